#include "configuration.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "adapters/config/managed_file.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "flags.hpp"
#include "messages.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {

domain::AbsolutePath config_file(const Context& context) {
  return domain::normalise(context.directories.config, "config.yml");
}

tl::expected<adapters::SandboxConfig, std::string> open_config(Context& context) {
  auto config = adapters::read_config(context.directories.config, context.caller);
  if (!config) {
    return tl::unexpected(config_error_text(context, config.error()));
  }
  context.lockdown = config->lockdown;
  for (const auto& [name, path] : config->templates) {
    context.policy_files.push_back(domain::normalise(context.directories.config, path));
  }
  if (config->lockdown == adapters::Lockdown::on) {
    context.own_config = context.directories.config;
    context.directories.config = domain::normalise(adapters::ManagedFile::of_system().path, "..");
  }
  return std::move(*config);
}

std::string config_error_text(const Context& context, const adapters::LoadError& error) {
  const std::string what = to_message(error);
  if (error.file.empty()) {
    return what + " (environment variable)";
  }
  if (error.file == config_file(context).text()) {
    return what +
           "; nothing runs until it is right: `pmg config edit`, or `pmg config set KEY VALUE`";
  }
  return what + "; nothing runs until the administrator has set it right";
}

std::optional<std::string> governed_flag(const Flags& flags,
                                         const adapters::SandboxConfig& config) {
  if (config.lockdown == adapters::Lockdown::off) {
    return std::nullopt;
  }
  Flags others = flags;
  others.dry_run = false;  // runs nothing
  const auto flag = flag_of_a_run(others);
  if (!flag) {
    return std::nullopt;
  }
  return quoted(*flag) + " is not available: " + quoted(config.file) +
         " locks the configuration of this machine";
}

tl::expected<void, std::string> check_policy_of(const Context& context,
                                                const adapters::SandboxConfig& config,
                                                domain::PackageManager manager) {
  const auto choice = choose_profile(config, manager);
  if (!choice) {
    return tl::unexpected(to_message(choice.error()));
  }
  const auto* reference = std::get_if<adapters::ProfileReference>(&*choice);
  if (reference == nullptr) {
    return {};
  }
  const auto policy = load_policy(context, {reference->text, manager});
  return policy ? tl::expected<void, std::string>() : tl::unexpected(policy.error());
}

}  // namespace pmg::app
