/// The keys of config.yml.
///
///   auto setting = find_setting("sandbox.policies.npm.profile");   // expected<Setting, …>
///   auto text = set_setting(file_text, *setting, "strict");        // expected<std::string, …>
///
/// Not for: the values as they hold; those are in SandboxConfig.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/set_scalar.hpp"

namespace pmg::adapters {

enum class SettingType : std::uint8_t {
  boolean,  ///< `true` or `false`
  text,     ///< not empty
};

struct Setting {
  std::vector<std::string> path;
  SettingType type;
  /// The environment variable that goes over it; empty where there is none.
  std::string variable;
};

enum class SettingErrc : std::uint8_t {
  unknown,  ///< `nearest` is the closest key, or empty
  section,  ///< it has keys below; `nearest` is one of them, or empty
};

struct SettingError {
  SettingErrc code;
  std::string nearest;
};

[[nodiscard]] tl::expected<Setting, SettingError> find_setting(std::string_view key);

/// Every key but those of templates, whose names are the user's. For completion and documents.
[[nodiscard]] std::vector<std::string> setting_keys();

/// The value is not of the key's type.
struct WrongType {
  SettingType expected;
};

/// CE1. Also where the text has mistakes elsewhere, as long as it is YAML.
[[nodiscard]] tl::expected<std::string, std::variant<WrongType, SetError>> set_setting(
    std::string_view text, const Setting& setting, const std::string& value);

/// A new config.yml: every key with its default, and what it means.
[[nodiscard]] std::string_view config_template() noexcept;

}  // namespace pmg::adapters
