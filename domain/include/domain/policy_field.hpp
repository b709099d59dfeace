/// The lists and switches of a policy, as values.
///
///   for (const PolicyField field : kPathFields) count += path_rules(policy, field).size();
///   key_of(PolicyField::deny_read)       // "filesystem.deny_read"
///
/// For what goes through all of a policy: lint, diff.
#pragma once

#include <array>
#include <cstdint>

#include "domain/compiled.hpp"
#include "domain/policy.hpp"

namespace pmg::domain {

enum class PolicyField : std::uint8_t {
  package_managers,
  presets,
  allow_read,
  allow_write,
  deny_read,
  deny_write,
  package_content,
  allow_outbound,
  deny_outbound,
  allow_bind,
  allow_exec,
  deny_exec,
  allow_env,
  deny_env,
  unix_sockets,
  allow_git_config,
  allow_pty,
  allow_network_bind,
  network_via_proxy_only,
  allow_direct_dns,
};

/// As in a profile, from its root.
[[nodiscard]] const char* key_of(PolicyField field) noexcept;

inline constexpr std::array kPathAllows{PolicyField::allow_read, PolicyField::allow_write,
                                        PolicyField::allow_exec, PolicyField::unix_sockets};
inline constexpr std::array kPathDenies{PolicyField::deny_read, PolicyField::deny_write,
                                        PolicyField::deny_exec};
inline constexpr std::array kNetworkFields{PolicyField::allow_outbound, PolicyField::deny_outbound,
                                           PolicyField::allow_bind};
inline constexpr std::array kToggleFields{
    PolicyField::allow_git_config, PolicyField::allow_pty, PolicyField::allow_network_bind,
    PolicyField::network_via_proxy_only, PolicyField::allow_direct_dns};

/// The list of a field that holds patterns of paths; empty for any other one.
[[nodiscard]] const PathRules& path_rules(const Policy& policy, PolicyField field) noexcept;
/// The list of a field of addresses; empty for any other one.
[[nodiscard]] const NetRules& network_rules(const Policy& policy, PolicyField field) noexcept;
/// The value of a switch; unset for any other field.
[[nodiscard]] Toggle toggle_of(const Policy& policy, PolicyField field) noexcept;

/// What a list of paths is about; package content is about reading.
[[nodiscard]] Access access_of(PolicyField field) noexcept;

}  // namespace pmg::domain
