#include <string>
#include <string_view>

#include "adapters/profile/parse_policy.hpp"
#include "adapters/yaml/quoted.hpp"
#include "domain/origin.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::adapters {

namespace {

std::string_view text_of(std::string_view text) noexcept { return text; }
std::string_view text_of(const domain::PatternTemplate& pattern) noexcept { return pattern.text(); }
std::string_view text_of(const domain::EnvPattern& pattern) noexcept { return pattern.text(); }
std::string_view text_of(const domain::HostPortPattern& pattern) noexcept { return pattern.text(); }
template <class T>
std::string_view text_of(const domain::Sourced<T>& sourced) noexcept {
  return text_of(sourced.value);
}

template <class List>
void print_list(std::string& out, std::string_view indent, std::string_view key, const List& list) {
  out.append(indent).append(key).append(list.empty() ? ": []\n" : ":\n");
  for (const auto& entry : list) {
    out.append(indent).append("  - ").append(yaml_quoted(text_of(entry))).append("\n");
  }
}

void print_toggle(std::string& out, std::string_view key, domain::Toggle toggle) {
  switch (toggle) {
    case domain::Toggle::unset:
      return;
    case domain::Toggle::off:
      out.append(key).append(": false\n");
      return;
    case domain::Toggle::on:
      out.append(key).append(": true\n");
      return;
  }
}

}  // namespace

std::string to_yaml(const domain::Policy& policy) {
  std::string out;
  out.append("name: ").append(yaml_quoted(policy.name)).append("\n");
  out.append("description: ").append(yaml_quoted(policy.description)).append("\n");
  if (!policy.inherits.empty()) {
    out.append("inherits: ").append(yaml_quoted(policy.inherits)).append("\n");
  }
  print_list(out, "", "package_managers", policy.package_managers);
  print_list(out, "", "presets", policy.presets);
  out.append("filesystem:\n");
  print_list(out, "  ", "allow_read", policy.filesystem.allow_read);
  print_list(out, "  ", "allow_write", policy.filesystem.allow_write);
  print_list(out, "  ", "deny_read", policy.filesystem.deny_read);
  print_list(out, "  ", "deny_write", policy.filesystem.deny_write);
  print_list(out, "  ", "package_content", policy.filesystem.package_content);
  out.append("network:\n");
  print_list(out, "  ", "allow_outbound", policy.network.allow_outbound);
  print_list(out, "  ", "deny_outbound", policy.network.deny_outbound);
  print_list(out, "  ", "allow_bind", policy.network.allow_bind);
  out.append("process:\n");
  print_list(out, "  ", "allow_exec", policy.process.allow_exec);
  print_list(out, "  ", "deny_exec", policy.process.deny_exec);
  out.append("environment:\n");
  print_list(out, "  ", "allow", policy.environment.allow);
  print_list(out, "  ", "deny", policy.environment.deny);
  out.append("unix_sockets:\n");
  print_list(out, "  ", "allow", policy.unix_sockets);
  print_toggle(out, "allow_git_config", policy.allow_git_config);
  print_toggle(out, "allow_pty", policy.allow_pty);
  print_toggle(out, "allow_network_bind", policy.allow_network_bind);
  print_toggle(out, "network_via_proxy_only", policy.network_via_proxy_only);
  print_toggle(out, "allow_direct_dns", policy.allow_direct_dns);
  return out;
}

}  // namespace pmg::adapters
