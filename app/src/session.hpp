/// Everything that has to be known before a program starts under a policy.
///
///   auto context = read_context();                        // expected<Context, std::string>
///   auto session = open_session(*context, flags, request);
///
/// An error is a sentence for the user, and means that nothing runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/caller.hpp"
#include "adapters/config.hpp"
#include "adapters/overlay/store.hpp"
#include "adapters/preset/registry.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/record/run_store.hpp"
#include "adapters/surroundings.hpp"
#include "domain/compiled.hpp"
#include "domain/package_manager.hpp"
#include "domain/policy.hpp"
#include "environment.hpp"
#include "flags.hpp"

namespace pmg::app {

/// Who called, and where pmg's own files are.
struct Context {
  Environment environment;
  adapters::Caller caller;
  adapters::StateDirectories directories;

  adapters::Lockdown lockdown = adapters::Lockdown::off;
  /// Policies that the configuration names, wherever they are: no program writes its own rules.
  std::vector<domain::AbsolutePath> policy_files = {};
  /// The user's own configuration directory, where `directories` has the administrator's.
  std::optional<domain::AbsolutePath> own_config = std::nullopt;

  [[nodiscard]] adapters::ProfileRegistry profiles() const;
  [[nodiscard]] adapters::PresetRegistry presets() const;
  [[nodiscard]] adapters::OverlayStore overlays() const;
  /// Records of runs.
  [[nodiscard]] adapters::RunStore runs() const;
};

[[nodiscard]] tl::expected<Context, std::string> read_context();

struct Request {
  std::string profile;  ///< a name or a file
  /// The profile has to be for this manager; empty for `sandbox exec`.
  std::optional<domain::PackageManager> manager;
};

/// One layer of a policy, for people.
struct Layered {
  std::string_view layer;  ///< "preset"
  std::string what;        ///< "git (built-in)"
};

struct Session {
  domain::Policy policy;             ///< as it holds, with all its layers
  std::vector<Layered> layers;       ///< in the order in which they were put on each other
  std::vector<std::string> notices;  ///< a line each, for standard error
  domain::CompiledPolicy compiled;
  domain::Surroundings surroundings;
  adapters::Lockdown lockdown;
};

/// The profile as it holds, with its parent's rules, if it is for the manager.
[[nodiscard]] tl::expected<domain::Policy, std::string> load_policy(const Context& context,
                                                                    const Request& request);

/// "is the home directory"
[[nodiscard]] std::string to_words(adapters::WorkingDirectoryErrc code);

[[nodiscard]] tl::expected<Session, std::string> open_session(const Context& context,
                                                              const Flags& flags,
                                                              const Request& request);

}  // namespace pmg::app
