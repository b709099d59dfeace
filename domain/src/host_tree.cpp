#include "host_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "domain/compiled.hpp"
#include "domain/host.hpp"
#include "domain/ip_address.hpp"

namespace pmg::domain {
namespace {

/// Takes the last label off.
std::string_view pop_label(std::string_view& name) noexcept {
  const std::size_t dot = name.rfind('.');
  const std::string_view label = name.substr(dot + 1);  // npos + 1 is 0
  name = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
  return label;
}

}  // namespace

void PortRules::add(Effect effect, std::optional<Port> port, RuleId rule) {
  std::optional<NetMatch> found;
  if (!port) {
    found = any_;
  } else if (const auto it = exact_.find(port->number()); it != exact_.end()) {
    found = it->second;
  }
  if (found && (found->effect == Effect::deny || effect == Effect::allow)) {
    return;
  }
  if (port) {
    exact_.insert_or_assign(port->number(), NetMatch{effect, rule});
  } else {
    any_ = NetMatch{effect, rule};
  }
}

std::optional<NetMatch> PortRules::find(Port port) const noexcept {
  const auto it = exact_.find(port.number());
  return it != exact_.end() ? std::optional(it->second) : any_;
}

std::size_t HostTree::AddressHash::operator()(const IpAddress& address) const noexcept {
  std::size_t hash = 14695981039346656037U;  // FNV-1a
  for (const std::uint8_t byte : address.bytes()) {
    hash = (hash ^ byte) * 1099511628211U;
  }
  return hash;
}

PortRules& HostTree::at_address(const IpAddress& address) { return addresses_[address]; }

PortRules& HostTree::at_name(std::string_view name, Below below) {
  Node* node = &root_;
  while (!name.empty()) {
    auto& child = node->children[std::string(pop_label(name))];
    if (child == nullptr) {
      child = std::make_unique<Node>();
    }
    node = child.get();
  }
  return below == Below::names_beneath ? node->beneath : node->itself;
}

std::optional<NetMatch> HostTree::find(const HostName& name, Port port) const noexcept {
  std::optional<NetMatch> best = any_.find(port);
  const Node* node = &root_;
  std::string_view rest = name.text();
  while (!rest.empty()) {
    const auto child = node->children.find(pop_label(rest));
    if (child == node->children.end()) {
      return best;
    }
    node = child->second.get();
    const auto& rules = rest.empty() ? node->itself : node->beneath;
    if (const auto match = rules.find(port)) {
      best = match;
    }
  }
  return best;
}

std::optional<NetMatch> HostTree::find_exact(const HostName& name, Port port) const noexcept {
  const Node* node = &root_;
  std::string_view rest = name.text();
  while (!rest.empty()) {
    const auto child = node->children.find(pop_label(rest));
    if (child == node->children.end()) {
      return std::nullopt;
    }
    node = child->second.get();
  }
  return node->itself.find(port);
}

std::optional<NetMatch> HostTree::find(const IpAddress& address, Port port) const noexcept {
  const auto exact = find_exact(address, port);
  return exact ? exact : any_.find(port);
}

std::optional<NetMatch> HostTree::find_exact(const IpAddress& address, Port port) const noexcept {
  const auto it = addresses_.find(address);
  return it == addresses_.end() ? std::nullopt : it->second.find(port);
}

}  // namespace pmg::domain
