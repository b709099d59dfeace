/// Rules on hosts as a tree of labels, from the last one on: `com`, `example`, `www`.
///
///   HostTree tree;
///   tree.at_name("example.com", Below::name_itself).add(Effect::allow, std::nullopt, rule);
///   tree.find(name, port);   // NW1: the most specific rule that matches
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "domain/compiled.hpp"
#include "domain/host.hpp"
#include "domain/ip_address.hpp"

namespace pmg::domain {

/// The rule that decides for one pattern of host and port.
struct NetMatch {
  Effect effect;
  RuleId rule;
};

/// The rules of one pattern of hosts, by port.
class PortRules {
 public:
  /// `port`: nothing is `*`. Of equal patterns a deny wins, else the first one.
  void add(Effect effect, std::optional<Port> port, RuleId rule);
  /// An exact port first.
  [[nodiscard]] std::optional<NetMatch> find(Port port) const noexcept;

 private:
  /// By number.
  std::map<std::uint16_t, NetMatch> exact_;
  std::optional<NetMatch> any_;
};

enum class Below : std::uint8_t { name_itself, names_beneath };

class HostTree {
 public:
  PortRules& at_any() noexcept { return any_; }
  PortRules& at_address(const IpAddress& address);
  /// `name` is in lower case and has no final dot.
  PortRules& at_name(std::string_view name, Below below);

  [[nodiscard]] std::optional<NetMatch> find(const HostName& name, Port port) const noexcept;
  /// Rules that are this address, and `*`.
  [[nodiscard]] std::optional<NetMatch> find(const IpAddress& address, Port port) const noexcept;
  /// Only rules that are this address.
  [[nodiscard]] std::optional<NetMatch> find_exact(const IpAddress& address,
                                                   Port port) const noexcept;
  /// Only rules that are this name.
  [[nodiscard]] std::optional<NetMatch> find_exact(const HostName& name, Port port) const noexcept;

 private:
  /// Lets labels be looked up by a view, without a copy.
  struct LabelHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view label) const noexcept {
      return std::hash<std::string_view>()(label);
    }
  };
  struct Node {
    PortRules itself;
    PortRules beneath;
    /// By label.
    std::unordered_map<std::string, std::unique_ptr<Node>, LabelHash, std::equal_to<>> children;
  };
  struct AddressHash {
    std::size_t operator()(const IpAddress& address) const noexcept;
  };

  PortRules any_;
  std::unordered_map<IpAddress, PortRules, AddressHash> addresses_;
  Node root_;
};

}  // namespace pmg::domain
