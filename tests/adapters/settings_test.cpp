#include "adapters/config/settings.hpp"

#include <string>
#include <string_view>
#include <variant>

#include <doctest/doctest.h>

#include "adapters/config.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/package_manager.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {

namespace {

std::string change(std::string_view text, std::string_view key, const std::string& value) {
  const auto setting = find_setting(key);
  REQUIRE(setting.has_value());
  const auto changed = set_setting(text, *setting, value);
  if (changed) {
    return *changed;
  }
  return std::holds_alternative<WrongType>(changed.error()) ? "wrong type" : "not in place";
}

}  // namespace

TEST_CASE("CP1: the template says the defaults") {
  const tests::TempDir dir;
  const auto from_template = parse_config(config_template(), dir.at("config.yml"));
  REQUIRE_MESSAGE(from_template.has_value(), to_message(from_template.error()));
  const auto none = parse_config("other: 1\n", dir.at("config.yml"));
  REQUIRE(none.has_value());
  CHECK(from_template->enabled == none->enabled);
  CHECK(from_template->enforce_always == none->enforce_always);
  CHECK(from_template->templates == none->templates);
  CHECK(from_template->policies.size() == none->policies.size());
  for (const auto& policy : none->policies) {
    CAPTURE(domain::name_of(policy.first));
    CHECK(from_template->policies.at(policy.first).enabled == policy.second.enabled);
    CHECK(from_template->policies.at(policy.first).profile == policy.second.profile);
  }
}

TEST_CASE("CE1: every key can be set in the template, and says so to the reader") {
  const tests::TempDir dir;
  for (const std::string& key : setting_keys()) {
    CAPTURE(key);
    const auto setting = find_setting(key);
    REQUIRE(setting.has_value());
    CHECK_FALSE(setting->variable.empty());
    const std::string value = setting->type == SettingType::text ? "go" : "true";
    const std::string text = change(config_template(), key, value);
    const auto config = parse_config(text, dir.at("config.yml"));
    REQUIRE_MESSAGE(config.has_value(), to_message(config.error()));
    if (value == "go") {
      const auto manager = domain::parse_package_manager(setting->path.at(2));
      REQUIRE(manager.has_value());
      CHECK(config->policies.at(*manager).profile == "go");
    }
  }
  const std::string text =
      change(config_template(), "sandbox.policy_templates.my own.path", "./a.yml");
  const auto config = parse_config(text, dir.at("config.yml"));
  REQUIRE(config.has_value());
  CHECK(config->templates.at("my own") == dir.path("a.yml"));
}

TEST_CASE("a value has to be of its key's type") {
  CHECK(change("", "sandbox.enabled", "yes") == "wrong type");
  CHECK(change("", "sandbox.enabled", "") == "wrong type");
  CHECK(change("", "sandbox.enabled", "TRUE") == "wrong type");
  CHECK(change("", "sandbox.policies.npm.profile", "") == "wrong type");
  CHECK(change("sandbox: [", "sandbox.enabled", "true") == "not in place");
  CHECK(change("", "sandbox.policies.npm.profile", "true") ==
        "sandbox:\n  policies:\n    npm:\n      profile: \"true\"\n");
}

TEST_CASE("an unknown key has a nearest one, a section has keys") {
  struct Row {
    const char* key;
    SettingErrc code;
    const char* nearest;
  };
  const Row rows[] = {
      {"sandbox.enabeld", SettingErrc::unknown, "sandbox.enabled"},
      {"sandbox.policies.nmp.profile", SettingErrc::unknown, "sandbox.policies.npm.profile"},
      {"enabled", SettingErrc::unknown, "sandbox.enabled"},
      {"enforce_always", SettingErrc::unknown, "sandbox.enforce_always"},
      {"npm.profile", SettingErrc::unknown, "sandbox.policies.npm.profile"},
      {"nothing.like.it", SettingErrc::unknown, ""},
      {"", SettingErrc::unknown, ""},
      {"sandbox.enabled.x", SettingErrc::unknown, "sandbox.enabled"},
      {"sandbox.policy_templates.a.pth", SettingErrc::unknown, ""},
      {"sandbox.policy_templates..path", SettingErrc::unknown, ""},
      {"sandbox", SettingErrc::section, "sandbox.enabled"},
      {"sandbox.policies.npm", SettingErrc::section, "sandbox.policies.npm.enabled"},
      {"sandbox.policy_templates", SettingErrc::section, ""},
      {"sandbox.policy_templates.a", SettingErrc::section, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.key);
    const auto setting = find_setting(row.key);
    REQUIRE_FALSE(setting.has_value());
    CHECK(setting.error().code == row.code);
    CHECK(setting.error().nearest == row.nearest);
  }
}

}  // namespace pmg::adapters
