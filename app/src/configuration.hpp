/// config.yml for a command: read, or a sentence that says where it is wrong and what repairs it.
///
///   auto config = open_config(*context);                  // expected<SandboxConfig, std::string>
///   if (auto flag = governed_flag(flags, *config)) …      // under lockdown
///
/// Not for: commands that repair. They go on with the file as it is.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "flags.hpp"
#include "session.hpp"

namespace pmg::app {

/// config.yml of the user, whether or not it exists and counts.
[[nodiscard]] domain::AbsolutePath config_file(const Context& context);

/// Under lockdown the context's configuration directory becomes the administrator's: the profiles
/// that its policies name are not the user's to write.
[[nodiscard]] tl::expected<adapters::SandboxConfig, std::string> open_config(Context& context);

/// The error of a configuration, with the way out.
[[nodiscard]] std::string config_error_text(const Context& context,
                                            const adapters::LoadError& error);

/// A sentence where lockdown forbids a flag that was given.
[[nodiscard]] std::optional<std::string> governed_flag(const Flags& flags,
                                                       const adapters::SandboxConfig& config);

/// Whether what the configuration says for `manager` loads and is for it.
[[nodiscard]] tl::expected<void, std::string> check_policy_of(const Context& context,
                                                              const adapters::SandboxConfig& config,
                                                              domain::PackageManager manager);

}  // namespace pmg::app
