#include "commands/config.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "adapters/config/managed_file.hpp"
#include "adapters/config/settings.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "configuration.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "edit.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "platform/stored_file.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using nlohmann::ordered_json;

template <class T>
using Result = tl::expected<T, std::string>;

ordered_json to_json(const adapters::SandboxConfig& config) {
  const auto is_on = [](adapters::Switch value) { return value == adapters::Switch::on; };
  ordered_json templates = ordered_json::object();
  for (const auto& [name, path] : config.templates) {
    templates[name] = {{"path", path}};
  }
  ordered_json policies = ordered_json::object();
  for (const auto& [manager, policy] : config.policies) {
    policies[std::string(name_of(manager))] = {{"enabled", is_on(policy.enabled)},
                                               {"profile", policy.profile}};
  }
  return {{"sandbox",
           {{"enabled", is_on(config.enabled)},
            {"enforce_always", is_on(config.enforce_always)},
            {"policy_templates", std::move(templates)},
            {"policies", std::move(policies)}}}};
}

/// What is at a key; null where there is nothing.
const ordered_json* value_at(const ordered_json& all, std::string_view key) {
  const ordered_json* value = &all;
  while (true) {
    const auto dot = key.find('.');
    const auto found = value->find(std::string(key.substr(0, dot)));
    if (!value->is_object() || found == value->end()) {
      return nullptr;
    }
    value = &*found;
    if (dot == std::string_view::npos) {
      return value;
    }
    key.remove_prefix(dot + 1);
  }
}

std::string to_text(const adapters::SettingError& error, const std::string& key) {
  if (error.code == adapters::SettingErrc::section) {
    return app::quoted(key) + " is a section; set a key of it" +
           (error.nearest.empty() ? "" : ", such as " + app::quoted(error.nearest));
  }
  return "no key is called " + app::quoted(key) +
         (error.nearest.empty() ? "; `pmg config get sandbox` shows all"
                                : "; did you mean " + app::quoted(error.nearest) + "?");
}

std::string to_text(const adapters::WrongType& error, const SetSetting& command) {
  return app::quoted(command.key) + " must be " +
         (error.expected == adapters::SettingType::boolean ? "`true` or `false`" : "text") +
         ", not " + app::quoted(command.value);
}

std::string to_text(const adapters::SetError& error, const std::string& file) {
  if (error.code == adapters::SetErrc::bad_yaml) {
    return to_message(adapters::LoadError{
               adapters::LoadErrc::bad_yaml, file, error.mark, {}, {}, {}, error.cause}) +
           "; repair it with `pmg config edit`";
  }
  const auto what = [code = error.code] {
    switch (code) {
      case adapters::SetErrc::not_a_scalar:
        return " is a list or has keys below here";
      case adapters::SetErrc::not_a_mapping:
        return " has no keys below here";
      case adapters::SetErrc::not_in_place:
      case adapters::SetErrc::bad_yaml:
        break;
    }
    return " is written in a way that cannot be changed in place";
  };
  return visible(file) + ":" + std::to_string(error.mark.line) + ":" +
         std::to_string(error.mark.column) + ": " + app::quoted(error.subject) + what() +
         "; change it with `pmg config edit`";
}

/// Refuses where the administrator's file is in force: what the user's says would not count.
std::optional<std::string> managed_refusal() {
  const auto file = adapters::ManagedFile::of_system();
  const auto text = adapters::read_managed(file);
  if (text && !*text) {
    return std::nullopt;
  }
  return app::quoted(file.path.text()) +
         " is in force on this machine and only its administrator can change it";
}

/// The text of config.yml; that of a new one where there is none.
Result<std::string> text_of(const domain::AbsolutePath& file) {
  std::error_code error;
  if (std::filesystem::symlink_status(file.text(), error).type() ==
      std::filesystem::file_type::not_found) {
    return std::string(adapters::config_template());
  }
  auto text = adapters::read_text(file.text());
  if (!text) {
    return tl::unexpected(to_message(text.error()));
  }
  if (text->size() > adapters::kMaxYamlBytes) {
    return tl::unexpected(app::quoted(file.text()) + " is larger than a configuration can be");
  }
  return std::move(*text);
}

/// What `config` says of the package managers that `setting` is about has to work.
Result<void> check_effect(const Context& context, const adapters::SandboxConfig& config,
                          const adapters::Setting& setting) {
  constexpr std::size_t kName = 2;
  const auto& path = setting.path;
  const auto manager =
      path.size() > kName ? domain::parse_package_manager(path[kName]) : std::nullopt;
  if (manager && path[1] == "policies") {
    return check_policy_of(context, config, *manager);
  }
  if (path[1] != "policy_templates") {
    return {};
  }
  const auto policy = context.profiles().resolve(config.templates.at(path[kName]));
  return policy ? Result<void>() : tl::unexpected(to_message(policy.error()));
}

/// config.yml with the change; an error if it would not load, or not work, for this change.
Result<std::string> changed(const Context& context, const SetSetting& command,
                            const adapters::Setting& setting, const std::string& before) {
  const auto file = config_file(context);
  auto after = adapters::set_setting(before, setting, command.value);
  if (!after) {
    const auto* type = std::get_if<adapters::WrongType>(&after.error());
    return tl::unexpected(type != nullptr
                              ? to_text(*type, command)
                              : to_text(std::get<adapters::SetError>(after.error()), file.text()));
  }
  const auto config = adapters::parse_config(*after, file);
  if (config) {
    if (const auto works = check_effect(context, *config, setting); !works) {
      return tl::unexpected(works.error());
    }
  } else if (adapters::parse_config(before, file)) {
    return tl::unexpected(to_message(config.error()));
  } else {
    // One step of a repair. What is left to do is told, and runs stay stopped until then.
    complain("also wrong: " + to_message(config.error()));
  }
  return std::move(*after);
}

std::string profile_mistakes(const Context& context, const adapters::SandboxConfig& config) {
  std::string all;
  for (const auto manager : domain::all_package_managers()) {
    if (const auto works = check_policy_of(context, config, manager); !works) {
      all += (all.empty() ? "" : "\n") + std::string(name_of(manager)) + ": " + works.error();
    }
  }
  return all;
}

}  // namespace

void GetSetting::declare(Options& options) { options.argument("KEY", key, Completion::setting); }

int GetSetting::run(Context context) const {
  const auto config = open_config(context);
  if (!config) {
    return fail(config.error());
  }
  const auto all = to_json(*config);
  if (const auto* value = value_at(all, key)) {
    return print_json(*value);
  }
  const auto setting = adapters::find_setting(key);
  if (setting || setting.error().code == adapters::SettingErrc::section) {
    return fail("nothing is set at " + app::quoted(key));
  }
  return fail(to_text(setting.error(), key));
}

void SetSetting::declare(Options& options) {
  options.argument("KEY", key, Completion::setting);
  options.argument("VALUE", value);
}

int SetSetting::run(const Context& context) const {
  if (const auto refusal = managed_refusal()) {
    return fail(*refusal);
  }
  const auto setting = adapters::find_setting(key);
  if (!setting) {
    return fail(to_text(setting.error(), key));
  }
  const auto file = config_file(context);
  // Two at once lose nothing: each changes what the other one stored.
  const auto lock = platform::FileLock::acquire(file.text() + ".lock");
  if (!lock) {
    return fail(app::to_text(lock.error()));
  }
  const auto before = text_of(file);
  if (!before) {
    return fail(before.error());
  }
  const auto after = changed(context, *this, *setting, *before);
  if (!after) {
    return fail(after.error());
  }
  if (const auto stored = platform::store(file.text(), *after, platform::IfThere::replace);
      !stored) {
    return fail(app::to_text(stored.error()));
  }
  if (!setting->variable.empty() && context.environment.get(setting->variable)) {
    complain("stored, but " + app::quoted(setting->variable) + " in the environment goes over it");
  }
  return print(visible(key) + " is " + visible(value) + " in " + visible(file.text()) + "\n") ? 0
                                                                                              : 1;
}

void EditConfig::declare(Options& /*options*/) {}

int EditConfig::run(const Context& context) {
  if (const auto refusal = managed_refusal()) {
    return fail(*refusal);
  }
  const auto file = config_file(context);
  const auto text = text_of(file);
  if (!text) {
    return fail(text.error());
  }
  std::error_code error;
  if (!std::filesystem::exists(file.text(), error)) {
    if (const auto stored = platform::store(file.text(), *text, platform::IfThere::fail); !stored) {
      return fail(app::to_text(stored.error()));
    }
  }
  return edit_file(context, file,
                   {*text, [&](const std::string& draft) -> Result<std::string> {
                      const auto config = adapters::parse_config(draft, file);
                      if (!config) {
                        return tl::unexpected(to_message(config.error()));
                      }
                      const std::string mistakes = profile_mistakes(context, *config);
                      return mistakes.empty() ? Result<std::string>("") : tl::unexpected(mistakes);
                    }});
}

void ShowConfigPath::declare(Options& /*options*/) {}

int ShowConfigPath::run(const Context& context) {
  const auto managed = adapters::ManagedFile::of_system();
  const auto text = adapters::read_managed(managed);
  const bool is_users = text && !*text;
  return print((is_users ? config_file(context) : managed.path).text() + "\n") ? 0 : 1;
}

}  // namespace pmg::app
