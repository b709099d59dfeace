#include "domain/policy.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "domain/origin.hpp"

namespace pmg::domain {
namespace {

const std::string& text_of(const std::string& value) noexcept { return value; }

template <class T>
const std::string& text_of(const T& value) noexcept {
  return value.text();
}

template <class T>
void append_unless_present(std::vector<Sourced<T>>& list, Sourced<T> entry) {
  const bool present = std::ranges::any_of(list, [&entry](const Sourced<T>& other) {
    return text_of(other.value) == text_of(entry.value);
  });
  if (!present) {
    list.push_back(std::move(entry));
  }
}

template <class T>
std::vector<Sourced<T>> merged(const std::vector<Sourced<T>>& parent,
                               const std::vector<Sourced<T>>& child) {
  std::vector<Sourced<T>> all;
  all.reserve(parent.size() + child.size());
  for (Sourced<T> entry : parent) {
    entry.origin.layer = Layer::parent_profile;
    append_unless_present(all, std::move(entry));
  }
  for (const Sourced<T>& entry : child) {
    append_unless_present(all, entry);
  }
  return all;
}

constexpr Toggle merged(Toggle parent, Toggle child) noexcept {
  return child == Toggle::unset ? parent : child;
}

}  // namespace

Policy inherit(const Policy& parent, const Policy& child) {
  return Policy{
      .name = child.name,
      .description = child.description,
      .inherits = child.inherits,
      .package_managers = child.package_managers,
      .presets = merged(parent.presets, child.presets),
      .filesystem =
          {
              .allow_read = merged(parent.filesystem.allow_read, child.filesystem.allow_read),
              .allow_write = merged(parent.filesystem.allow_write, child.filesystem.allow_write),
              .deny_read = merged(parent.filesystem.deny_read, child.filesystem.deny_read),
              .deny_write = merged(parent.filesystem.deny_write, child.filesystem.deny_write),
              .package_content =
                  merged(parent.filesystem.package_content, child.filesystem.package_content),
          },
      .network =
          {
              .allow_outbound = merged(parent.network.allow_outbound, child.network.allow_outbound),
              .deny_outbound = merged(parent.network.deny_outbound, child.network.deny_outbound),
              .allow_bind = merged(parent.network.allow_bind, child.network.allow_bind),
          },
      .process =
          {
              .allow_exec = merged(parent.process.allow_exec, child.process.allow_exec),
              .deny_exec = merged(parent.process.deny_exec, child.process.deny_exec),
          },
      .environment =
          {
              .allow = merged(parent.environment.allow, child.environment.allow),
              .deny = merged(parent.environment.deny, child.environment.deny),
          },
      .unix_sockets = merged(parent.unix_sockets, child.unix_sockets),
      .allow_git_config = merged(parent.allow_git_config, child.allow_git_config),
      .allow_pty = merged(parent.allow_pty, child.allow_pty),
      .allow_network_bind = merged(parent.allow_network_bind, child.allow_network_bind),
      .network_via_proxy_only = merged(parent.network_via_proxy_only, child.network_via_proxy_only),
      .allow_direct_dns = merged(parent.allow_direct_dns, child.allow_direct_dns),
  };
}

bool grants_nothing(const Policy& policy) noexcept {
  return policy.filesystem.allow_read.empty() && policy.filesystem.allow_write.empty() &&
         policy.network.allow_outbound.empty() && policy.process.allow_exec.empty() &&
         policy.environment.allow.empty() && policy.unix_sockets.empty();
}

}  // namespace pmg::domain
