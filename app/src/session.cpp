#include "session.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <tl/expected.hpp>

#include "adapters/caller.hpp"
#include "adapters/config.hpp"
#include "adapters/overlay/store.hpp"
#include "adapters/preset/registry.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/record/run_store.hpp"
#include "adapters/surroundings.hpp"
#include "adapters/yaml/load_error.hpp"
#include "allowances.hpp"
#include "domain/compiled.hpp"
#include "domain/overrides.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "domain/policy.hpp"
#include "environment.hpp"
#include "flags.hpp"
#include "layers.hpp"
#include "messages.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

template <class T>
using Result = tl::expected<T, std::string>;

Result<std::vector<domain::Override>> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<domain::Override> overrides;
  for (const std::string& text : texts) {
    auto parsed = domain::parse_override(text);
    if (!parsed) {
      return tl::unexpected("--sandbox-allow " + to_text(parsed.error()));
    }
    overrides.push_back(std::move(*parsed));
  }
  return overrides;
}

/// The working directory is writable in most profiles; where it holds the home directory that would
/// be everything the user owns.
std::string to_text(adapters::WorkingDirectoryErrc code, const domain::AbsolutePath& cwd) {
  return "the working directory " + quoted(cwd.text()) + " " + to_words(code) +
         ", so the program could write all of it; change to a project, or pass --unsafe-cwd";
}

bool is_for(const domain::Policy& policy, domain::PackageManager manager) {
  return std::any_of(policy.package_managers.begin(), policy.package_managers.end(),
                     [manager](const std::string& name) {
                       return domain::parse_package_manager(name) == manager;
                     });
}

/// H1: what a run is confined by is not for the run to write, also where it is a file of the
/// project.
void protect_policy_files(const Context& context, const Request& request,
                          domain::Surroundings& surroundings) {
  std::vector<domain::AbsolutePath>& own = surroundings.own_state;
  own.insert(own.end(), context.policy_files.begin(), context.policy_files.end());
  // Most runs are under a built-in one, which is no file: it is not read a second time.
  const auto built_in = adapters::built_in_names();
  if (std::ranges::find(built_in, request.profile) != built_in.end()) {
    return;
  }
  const auto profile = context.profiles().load(request.profile);
  if (profile && !profile->path.empty()) {
    own.push_back(domain::normalise(context.caller.working_directory, profile->path));
  }
}

}  // namespace

adapters::ProfileRegistry Context::profiles() const {
  return adapters::ProfileRegistry(directories.config.text() + "/sandbox/profiles", presets());
}

adapters::PresetRegistry Context::presets() const {
  return adapters::PresetRegistry(directories.config.text() + "/sandbox/presets");
}

adapters::OverlayStore Context::overlays() const {
  return adapters::OverlayStore(own_config.value_or(directories.config).text() +
                                "/sandbox/overlays");
}

adapters::RunStore Context::runs() const {
  return adapters::RunStore(directories.cache.text() + "/sandbox/runs");
}

std::string to_words(adapters::WorkingDirectoryErrc code) {
  switch (code) {
    case adapters::WorkingDirectoryErrc::root:
      return "is the root of the file system";
    case adapters::WorkingDirectoryErrc::home:
      return "is the home directory";
    case adapters::WorkingDirectoryErrc::above_home:
      return "holds the home directory";
  }
  return {};
}

Result<Context> read_context() {
  auto caller = adapters::read_caller(::geteuid(), environ);
  if (!caller) {
    return tl::unexpected(to_message(caller.error()));
  }
  auto directories = state_directories(*caller);
  if (!directories) {
    return tl::unexpected(to_message(directories.error()));
  }
  return Context{Environment::of_process(), std::move(*caller), std::move(*directories),
                 adapters::Lockdown::off};
}

Result<domain::Policy> load_policy(const Context& context, const Request& request) {
  auto policy = context.profiles().resolve(request.profile);
  if (!policy) {
    return tl::unexpected(to_message(policy.error()));
  }
  if (request.manager && !is_for(*policy, *request.manager)) {
    return tl::unexpected("the profile " + quoted(policy->name) + " is not for " +
                          quoted(name_of(*request.manager)) +
                          ", which is not in its `package_managers`");
  }
  return std::move(*policy);
}

Result<Session> open_session(const Context& context, const Flags& flags, const Request& request) {
  const auto overrides = parse_overrides(flags.allow);
  if (!overrides) {
    return tl::unexpected(overrides.error());
  }
  auto policy = load_policy(context, request);
  if (!policy) {
    return tl::unexpected(policy.error());
  }
  auto surroundings = adapters::read_surroundings(context.caller);
  if (!surroundings) {
    return tl::unexpected(to_text(surroundings.error()));
  }
  protect_policy_files(context, request, *surroundings);
  if (!flags.unsafe_cwd) {
    const auto safe = adapters::check_working_directory(surroundings->variables);
    if (!safe) {
      return tl::unexpected(to_text(safe.error(), surroundings->variables.cwd));
    }
  }
  auto layered = with_layers(context, std::move(*policy), *overrides, *surroundings);
  if (!layered) {
    return tl::unexpected(layered.error());
  }
  auto compiled = compile(layered->policy, *surroundings);
  if (!compiled) {
    return tl::unexpected(to_text(compiled.error()));
  }
  return Session{std::move(layered->policy),  std::move(layered->layers),
                 std::move(layered->notices), std::move(*compiled),
                 *std::move(surroundings),    context.lockdown};
}

}  // namespace pmg::app
