/// The sandbox section of config.yml.
///
///   auto config = read_config(directories.config, caller);          // expected<SandboxConfig, …>
///   auto choice = choose_profile(*config, PackageManager::npm);     // expected<ProfileChoice, …>
///
/// CP1: defaults < the user's file, or the administrator's in its place < variables < flags (which
/// are the caller's to apply). CM2: under lockdown no variable counts.
/// C1: a missing file is the defaults: sandbox off, every package manager bound to its own profile.
/// C2: strict inside `sandbox`; other top-level sections belong to other parts of the tool and are
/// skipped. A mistake is an error, never the defaults.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include <tl/expected.hpp>

#include "adapters/caller.hpp"
#include "adapters/config/managed_file.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"

namespace pmg::adapters {

enum class Switch : std::uint8_t { off, on };

struct ManagerPolicy {
  Switch enabled = Switch::on;
  std::string profile;  ///< a template, a profile or a path, as written
};

enum class ConfigSource : std::uint8_t {
  user,
  managed,  ///< the administrator's
};

/// `global_lockdown: true` in the administrator's file: what it says holds as it is. Variables,
/// flags that change the policy, and overlays do not count, and nothing of it can be stored.
enum class Lockdown : std::uint8_t { off, on };

struct SandboxConfig {
  Switch enabled = Switch::off;
  Switch enforce_always = Switch::off;           ///< also for commands that do not install
  std::map<std::string, std::string> templates;  ///< name to absolute path
  std::map<domain::PackageManager, ManagerPolicy> policies;
  std::string file;  ///< config.yml, whether or not it exists
  ConfigSource source = ConfigSource::user;
  Lockdown lockdown = Lockdown::off;
};

/// Entries of the file replace the default of the same package manager, key by key. Over both go
/// variables that are called as the keys, such as PMG_SANDBOX_ENABLED and
/// PMG_SANDBOX_POLICIES_NPM_PROFILE (of `true`, `false`, `1` and `0` where the key is a switch; an
/// empty one is none).
[[nodiscard]] tl::expected<SandboxConfig, LoadError> read_config(
    const domain::AbsolutePath& directory, const Caller& caller,
    const ManagedFile& managed = ManagedFile::of_system());

/// What a text would mean as the user's `file`, without variables.
[[nodiscard]] tl::expected<SandboxConfig, LoadError> parse_config(std::string_view text,
                                                                  const domain::AbsolutePath& file);

/// The operator wants no sandbox for this package manager: `enabled: false`.
struct SandboxSkipped {};
/// For ProfileRegistry::resolve: a name, or the path of a template.
struct ProfileReference {
  std::string text;
};
using ProfileChoice = std::variant<SandboxSkipped, ProfileReference>;

/// Relative paths, of templates and of policies, start at the configuration directory. A template
/// wins over a profile of the same name. The names of older configurations
/// (`npm-restrictive`, `pnpm-restrictive`, `pypi-restrictive`) mean the profile of the package
/// manager, unless a template has the name. No entry at all is an error.
[[nodiscard]] tl::expected<ProfileChoice, LoadError> choose_profile(const SandboxConfig& config,
                                                                    domain::PackageManager manager);

}  // namespace pmg::adapters
