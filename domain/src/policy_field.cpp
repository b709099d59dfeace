#include "domain/policy_field.hpp"

#include "domain/compiled.hpp"
#include "domain/policy.hpp"

namespace pmg::domain {

const char* key_of(PolicyField field) noexcept {
  switch (field) {
    case PolicyField::package_managers:
      return "package_managers";
    case PolicyField::presets:
      return "presets";
    case PolicyField::allow_read:
      return "filesystem.allow_read";
    case PolicyField::allow_write:
      return "filesystem.allow_write";
    case PolicyField::deny_read:
      return "filesystem.deny_read";
    case PolicyField::deny_write:
      return "filesystem.deny_write";
    case PolicyField::package_content:
      return "filesystem.package_content";
    case PolicyField::allow_outbound:
      return "network.allow_outbound";
    case PolicyField::deny_outbound:
      return "network.deny_outbound";
    case PolicyField::allow_bind:
      return "network.allow_bind";
    case PolicyField::allow_exec:
      return "process.allow_exec";
    case PolicyField::deny_exec:
      return "process.deny_exec";
    case PolicyField::allow_env:
      return "environment.allow";
    case PolicyField::deny_env:
      return "environment.deny";
    case PolicyField::unix_sockets:
      return "unix_sockets.allow";
    case PolicyField::allow_git_config:
      return "allow_git_config";
    case PolicyField::allow_pty:
      return "allow_pty";
    case PolicyField::allow_network_bind:
      return "allow_network_bind";
    case PolicyField::network_via_proxy_only:
      return "network_via_proxy_only";
    case PolicyField::allow_direct_dns:
      return "allow_direct_dns";
  }
  return "";
}

const PathRules& path_rules(const Policy& policy, PolicyField field) noexcept {
  static const PathRules none;
  switch (field) {
    case PolicyField::allow_read:
      return policy.filesystem.allow_read;
    case PolicyField::allow_write:
      return policy.filesystem.allow_write;
    case PolicyField::deny_read:
      return policy.filesystem.deny_read;
    case PolicyField::deny_write:
      return policy.filesystem.deny_write;
    case PolicyField::package_content:
      return policy.filesystem.package_content;
    case PolicyField::allow_exec:
      return policy.process.allow_exec;
    case PolicyField::deny_exec:
      return policy.process.deny_exec;
    case PolicyField::unix_sockets:
      return policy.unix_sockets;
    case PolicyField::package_managers:
    case PolicyField::presets:
    case PolicyField::allow_outbound:
    case PolicyField::deny_outbound:
    case PolicyField::allow_bind:
    case PolicyField::allow_env:
    case PolicyField::deny_env:
    case PolicyField::allow_git_config:
    case PolicyField::allow_pty:
    case PolicyField::allow_network_bind:
    case PolicyField::network_via_proxy_only:
    case PolicyField::allow_direct_dns:
      return none;
  }
  return none;
}

const NetRules& network_rules(const Policy& policy, PolicyField field) noexcept {
  static const NetRules none;
  if (field == PolicyField::allow_outbound) {
    return policy.network.allow_outbound;
  }
  if (field == PolicyField::deny_outbound) {
    return policy.network.deny_outbound;
  }
  return field == PolicyField::allow_bind ? policy.network.allow_bind : none;
}

Toggle toggle_of(const Policy& policy, PolicyField field) noexcept {
  if (field == PolicyField::allow_git_config) {
    return policy.allow_git_config;
  }
  if (field == PolicyField::allow_pty) {
    return policy.allow_pty;
  }
  if (field == PolicyField::allow_network_bind) {
    return policy.allow_network_bind;
  }
  if (field == PolicyField::network_via_proxy_only) {
    return policy.network_via_proxy_only;
  }
  return field == PolicyField::allow_direct_dns ? policy.allow_direct_dns : Toggle::unset;
}

Access access_of(PolicyField field) noexcept {
  if (field == PolicyField::allow_write || field == PolicyField::deny_write) {
    return Access::write;
  }
  if (field == PolicyField::allow_exec || field == PolicyField::deny_exec) {
    return Access::exec;
  }
  return field == PolicyField::unix_sockets ? Access::connect : Access::read;
}

}  // namespace pmg::domain
