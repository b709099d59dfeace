/// The allowances of one repository, as they are kept.
///
///   auto overlay = parse_overlay(text, "…/0123456789abcdef.yml");   // expected<Overlay,
///   LoadError> parse_overlay(to_yaml(*overlay), …) == *overlay                 // but for the
///   origins (OV2)
///
/// OV1: strict: every entry is checked again as if it were typed now; the first mistake is the
/// result. Not for: where the file is; adapters/overlay/store.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "domain/origin.hpp"
#include "domain/overrides.hpp"

namespace pmg::adapters {

struct SavedAllowance {
  domain::OverrideText text;
  domain::Override rule;
  domain::Origin origin;
};

struct Overlay {
  std::string repo_root;
  std::string created_at;  ///< RFC 3339, UTC
  std::string updated_at;
  std::vector<SavedAllowance> allow;  ///< each once

  /// What `with_allowances` takes.
  [[nodiscard]] std::vector<domain::Sourced<domain::Override>> rules() const;
};

/// `repo_root` is required; `schema_version` is 1, or 0, or not there. Of equal entries the first
/// is kept.
[[nodiscard]] tl::expected<Overlay, LoadError> parse_overlay(std::string_view text,
                                                             const std::string& file);

[[nodiscard]] std::string to_yaml(const Overlay& overlay);

}  // namespace pmg::adapters
