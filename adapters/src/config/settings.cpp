#include "adapters/config/settings.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/set_scalar.hpp"
#include "domain/package_manager.hpp"

namespace pmg::adapters {

namespace {

constexpr std::string_view kTemplates = "sandbox.policy_templates.";

std::vector<std::string> split(std::string_view key) {
  std::vector<std::string> words;
  while (true) {
    const auto dot = key.find('.');
    words.emplace_back(key.substr(0, dot));
    if (dot == std::string_view::npos) {
      return words;
    }
    key.remove_prefix(dot + 1);
  }
}

/// "sandbox.policies.npm.profile" → "PMG_SANDBOX_POLICIES_NPM_PROFILE"
std::string variable_of(std::string_view key) {
  std::string name = "PMG_";
  for (const char c : key) {
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

SettingType type_of(std::string_view key) {
  return key.ends_with(".profile") || key.ends_with(".path") ? SettingType::text
                                                             : SettingType::boolean;
}

/// "sandbox.policy_templates.NAME.path"
bool is_template_path(std::string_view key) {
  const auto words = split(key);
  constexpr std::size_t kWords = 4;
  return key.starts_with(kTemplates) && words.size() == kWords && words.back() == "path" &&
         !words[2].empty();
}

/// A key that is `key` plus something in front: who types `enabled` means one of few.
std::string with_section(std::string_view key, const std::vector<std::string>& known) {
  const std::string end = "." + std::string(key);
  const auto found = std::ranges::find_if(
      known, [&end](const std::string& candidate) { return candidate.ends_with(end); });
  return found == known.end() ? "" : *found;
}

}  // namespace

std::vector<std::string> setting_keys() {
  std::vector<std::string> keys{"sandbox.enabled", "sandbox.enforce_always"};
  for (const auto manager : domain::all_package_managers()) {
    const std::string policy = "sandbox.policies." + std::string(domain::name_of(manager));
    keys.push_back(policy + ".enabled");
    keys.push_back(policy + ".profile");
  }
  return keys;
}

tl::expected<Setting, SettingError> find_setting(std::string_view key) {
  const auto known = setting_keys();
  if (std::ranges::find(known, key) != known.end()) {
    return Setting{split(key), type_of(key), variable_of(key)};
  }
  if (is_template_path(key)) {
    return Setting{split(key), type_of(key), {}};
  }
  const std::string below = std::string(key) + ".";
  const auto child = std::ranges::find_if(
      known, [&below](const std::string& candidate) { return candidate.starts_with(below); });
  if (child != known.end()) {
    return tl::unexpected(SettingError{SettingErrc::section, *child});
  }
  if (below.starts_with(kTemplates) && split(key).size() <= 3) {
    return tl::unexpected(SettingError{SettingErrc::section, {}});
  }
  std::string nearest = nearest_of(key, std::vector<std::string_view>(known.begin(), known.end()));
  return tl::unexpected(SettingError{
      SettingErrc::unknown, nearest.empty() ? with_section(key, known) : std::move(nearest)});
}

tl::expected<std::string, std::variant<WrongType, SetError>> set_setting(std::string_view text,
                                                                         const Setting& setting,
                                                                         const std::string& value) {
  const bool fits =
      setting.type == SettingType::boolean ? value == "true" || value == "false" : !value.empty();
  if (!fits) {
    return tl::unexpected(std::variant<WrongType, SetError>(WrongType{setting.type}));
  }
  const ScalarText kind =
      setting.type == SettingType::boolean ? ScalarText::literal : ScalarText::text;
  return set_scalar(text, setting.path, {value, kind}).map_error([](SetError error) {
    return std::variant<WrongType, SetError>(std::move(error));
  });
}

}  // namespace pmg::adapters
