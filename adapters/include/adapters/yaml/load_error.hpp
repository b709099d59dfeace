/// What can be wrong with a file that pmg reads: profiles, presets, overlays, configuration.
///
///   auto loaded = registry.resolve("npm");
///   if (!loaded) print(to_message(loaded.error()));
///     // p.yml:3:3: unknown key `deny_wirte`; did you mean `deny_write`?
///
/// Every error ends the load: nothing is skipped, so a mistake never gives a looser policy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/yaml/yaml_node.hpp"
#include "domain/caution.hpp"
#include "domain/overrides.hpp"
#include "domain/pattern.hpp"
#include "domain/preset.hpp"

namespace pmg::adapters {

enum class LoadErrc : std::uint8_t {
  // the file
  missing,
  directory,
  unreadable,
  unsafe_kind,   ///< of the administrator's file or a directory above: not a regular one
  unsafe_owner,  ///< ... belongs to somebody else
  unsafe_mode,   ///< ... may be written by others
  // the text; `cause` is a YamlError
  bad_yaml,
  // the document
  unknown_key,      ///< subject: the key; nearest: the closest known one, or empty
  missing_key,      ///< subject: the key
  wrong_type,       ///< subject: the key; expected: what it takes, in words
  bad_path,         ///< subject: the pattern; `cause` is a PatternError
  bad_environment,  ///< subject: the pattern; `cause` is an EnvPatternErrc
  bad_host_port,    ///< subject: the pattern; `cause` is a HostPortErrc
  // names
  unknown_profile,      ///< subject: the name; nearest: the closest known one, or empty
  parent_not_built_in,  ///< subject: the parent's name; nearest: the closest built-in one, or empty
  no_profile_for_manager,  ///< subject: the package manager
  unknown_preset,          ///< subject: the name; nearest: the closest known one, or empty
  // presets and overlays
  bad_preset_entry,    ///< subject: the entry; `cause` is a PresetErrc
  bad_allowance,       ///< subject: TYPE=VALUE; `cause` is an OverrideErrc
  relative_allowance,  ///< subject: the value; only absolute ones are saved
  never_allowed,       ///< subject: TYPE=VALUE; `cause` is a Caution
  other_repository,    ///< subject: the repository that the file is for
  preset_gives_nothing,
  // the result
  grants_nothing,
};

using LoadCause =
    std::variant<std::monostate, YamlError, domain::PatternError, domain::EnvPatternErrc,
                 domain::HostPortErrc, domain::PresetErrc, domain::OverrideErrc, domain::Caution>;

struct LoadError {
  LoadErrc code;
  std::string file;  ///< a path, or the name of a built-in profile
  Mark mark;         ///< of the offending text; of the byte within a pattern where that is known
  std::string subject;
  std::string nearest;
  std::string expected;
  LoadCause cause;
};

/// One line, `file:line:column: what is wrong`, with the way out where there is one. User text is
/// in backticks (but for the file, so that editors find it); control characters are escaped.
[[nodiscard]] std::string to_message(const LoadError& error);

/// The candidate with the smallest edit distance to `word`, if that is at most 1, or 2 for words of
/// more than 4 bytes and 3 for more than 8; else empty.
[[nodiscard]] std::string nearest_of(std::string_view word,
                                     const std::vector<std::string_view>& candidates);

}  // namespace pmg::adapters
