/// What lint found, as lines and as JSON. Also used by `profile edit`, which shows what it stores.
///
///   const auto report = lint_profile(registry, *profile);
///   print(lines_of(report, paint, Detail::brief));
///
/// Not for: finding; that is domain/lint.hpp, and adapters for what does not load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "colour.hpp"
#include "domain/lint.hpp"

namespace pmg::app {

/// One finding in words.
struct Remark {
  domain::LintLevel level;
  std::string code;
  std::string file;
  std::uint32_t line;    ///< 0: none
  std::uint32_t column;  ///< 0: none
  std::string field;     ///< "filesystem.allow_read"; empty where it is about no field
  std::string rule;
  std::string message;  ///< one line, made visible
  std::string advice;   ///< what to do about it
};

enum class Detail { brief, with_advice };

/// Why it does not load, as an error. Nothing where it could not even be read.
[[nodiscard]] std::vector<Remark> remarks_of(const adapters::LoadError& error);

/// About a profile that was read; an error where what it inherits, its presets, or all of it, is
/// wrong.
[[nodiscard]] std::vector<Remark> lint_profile(const adapters::ProfileRegistry& registry,
                                               const adapters::LoadedProfile& profile);

/// "file:3:7: warning: … [code]", a line each.
[[nodiscard]] std::string lines_of(const std::vector<Remark>& remarks, const Paint& paint,
                                   Detail detail);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<Remark>& remarks);

}  // namespace pmg::app
