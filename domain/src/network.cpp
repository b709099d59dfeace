#include "domain/network.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "dns_name.hpp"
#include "domain/ascii.hpp"
#include "domain/compiled.hpp"
#include "domain/host.hpp"
#include "domain/ip_address.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "host_tree.hpp"

namespace pmg::domain {
namespace {

/// A rule's place in the tree.
class Builder {
 public:
  explicit Builder(const NetworkVariables& variables) : variables_(variables) {}

  [[nodiscard]] std::optional<NetworkErrc> add(Effect effect, const std::string& text,
                                               RuleId rule) {
    const std::size_t colon = text.rfind(':');
    std::string host = text.substr(0, colon);
    const std::string_view port_text = std::string_view(text).substr(colon + 1);
    // `*` is no number; HostPortPattern saw to everything else.
    const std::optional<Port> port = Port::parse(port_text);
    if (host == "*") {
      tree_->at_any().add(effect, port, rule);
      return std::nullopt;
    }
    if (host == "${NPM_REGISTRY}") {
      for (const Host& registry : variables_.npm_registry) {
        at(registry).add(effect, port, rule);
      }
      return variables_.npm_registry.empty() ? std::optional(NetworkErrc::no_registry)
                                             : std::nullopt;
    }
    if (host.starts_with("*.")) {
      std::ranges::transform(host, host.begin(), lower);
      tree_->at_name(std::string_view(host).substr(2), Below::names_beneath)
          .add(effect, port, rule);
      return ends_in_number(host) ? std::optional(NetworkErrc::bad_address) : std::nullopt;
    }
    const auto parsed = parse_host(host);
    if (!parsed) {
      return NetworkErrc::bad_address;
    }
    at(*parsed).add(effect, port, rule);
    return std::nullopt;
  }

  [[nodiscard]] std::unique_ptr<const HostTree> take() && { return std::move(tree_); }

 private:
  PortRules& at(const Host& host) {
    if (const auto* name = std::get_if<HostName>(&host)) {
      return tree_->at_name(name->text(), Below::name_itself);
    }
    return tree_->at_address(*std::get_if<IpAddress>(&host));
  }

  const NetworkVariables& variables_;
  std::unique_ptr<HostTree> tree_ = std::make_unique<HostTree>();
};

NetDecision decision_of(const std::optional<NetMatch>& match) noexcept {
  if (!match) {
    return {};
  }
  return match->effect == Effect::allow
             ? NetDecision{Verdict::allow, NetReason::allowed_by_rule, match->rule}
             : NetDecision{Verdict::deny, NetReason::denied_by_rule, match->rule};
}

/// A rule on exactly this name says that this machine is meant.
bool names_this_machine(const HostTree& tree, const Destination& destination,
                        AddressKind kind) noexcept {
  const auto* const name = std::get_if<HostName>(&destination.host);
  if (name == nullptr || !name->is_localhost() || kind != AddressKind::loopback) {
    return false;
  }
  const auto match = tree.find_exact(*name, destination.port);
  return match && match->effect == Effect::allow;
}

}  // namespace

NetworkPolicy::NetworkPolicy(NetworkPolicy&&) noexcept = default;
NetworkPolicy& NetworkPolicy::operator=(NetworkPolicy&&) noexcept = default;
NetworkPolicy::~NetworkPolicy() = default;

NetworkPolicy::NetworkPolicy(std::vector<NetRule> rules,
                             std::unique_ptr<const HostTree> hosts) noexcept
    : rules_(std::move(rules)), hosts_(std::move(hosts)) {}

const NetRule* NetworkPolicy::rule(RuleId id) const noexcept {
  return id.index < rules_.size() ? &rules_[id.index] : nullptr;
}

tl::expected<NetworkPolicy, NetworkError> compile_network(const NetworkRules& rules,
                                                          const NetworkVariables& variables) {
  std::vector<NetRule> all;
  for (const auto& rule : rules.allow_outbound) {
    all.push_back({Effect::allow, rule.value.text(), rule.origin});
  }
  for (const auto& rule : rules.deny_outbound) {
    all.push_back({Effect::deny, rule.value.text(), rule.origin});
  }
  Builder builder(variables);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (const auto error = builder.add(all[i].effect, all[i].text, RuleId{i})) {
      return tl::unexpected(NetworkError{*error, all[i].text, all[i].origin});
    }
  }
  return NetworkPolicy(std::move(all), std::move(builder).take());
}

NetDecision decide_connection(const NetworkPolicy& policy,
                              const Destination& destination) noexcept {
  if (const auto* name = std::get_if<HostName>(&destination.host)) {
    return decision_of(policy.hosts().find(*name, destination.port));
  }
  const auto& address = *std::get_if<IpAddress>(&destination.host);
  const NetDecision by_rule = decision_of(policy.hosts().find(address, destination.port));
  if (!by_rule.allowed()) {
    return by_rule;
  }
  const NetDecision by_address = decide_address(policy, destination, address);
  return by_address.allowed() ? by_rule : by_address;
}

NetDecision decide_address(const NetworkPolicy& policy, const Destination& destination,
                           const IpAddress& address) noexcept {
  const auto own = policy.hosts().find_exact(address, destination.port);
  if (own && own->effect == Effect::deny) {
    return decision_of(own);
  }
  if (const auto inner = address.embedded_v4()) {
    const auto match = policy.hosts().find_exact(*inner, destination.port);
    if (match && match->effect == Effect::deny) {
      return decision_of(match);
    }
  }
  if (own) {
    return decision_of(own);
  }
  const AddressKind kind = address.kind();
  if (kind == AddressKind::global || names_this_machine(policy.hosts(), destination, kind)) {
    return {Verdict::allow, NetReason::allowed_by_rule, {}};
  }
  return {Verdict::deny, NetReason::not_of_the_internet, {}};
}

}  // namespace pmg::domain
