/// The rules of a policy on hosts, compiled once, and the decisions on them.
///
///   auto network = compile_network(policy.network, {.npm_registry = {…}});   // expected<…>
///   NetDecision d = decide_connection(*network, destination);       // by name, before a lookup
///   NetDecision a = decide_address(*network, destination, address); // of what the lookup gave
///
/// Both must allow. NW1: of the rules that match host and port, the one with the most specific host
/// decides (an exact one, then the longest `*.…`, then `*`), among these the one with an exact
/// port; a tie is a deny; no match is a deny. NW2: `*.example.com` is one or more labels under it,
/// never the apex, and no address. NW3: an address that is not of the Internet at large is refused
/// unless an allow rule is exactly this address; `localhost` in a rule names this machine's. NW4: a
/// deny rule that is an address holds also for names that lead there, and for what embeds it.
///
/// A decision costs one walk along the name. Immutable, so any number of threads may decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "domain/compiled.hpp"
#include "domain/host.hpp"
#include "domain/ip_address.hpp"
#include "domain/origin.hpp"
#include "domain/policy.hpp"

namespace pmg::domain {

/// A rule as written, for explaining.
struct NetRule {
  Effect effect;
  std::string text;
  Origin origin;
};

enum class NetReason : std::uint8_t {
  allowed_by_rule,
  nothing_allows,  ///< default deny
  denied_by_rule,
  not_of_the_internet,  ///< NW3; the kind of the address says what it is
};

struct NetDecision {
  Verdict verdict = Verdict::deny;
  NetReason reason = NetReason::nothing_allows;
  RuleId rule;  ///< into NetworkPolicy::rules
  [[nodiscard]] bool allowed() const noexcept { return verdict == Verdict::allow; }
  friend bool operator==(const NetDecision&, const NetDecision&) = default;
};

/// What the rules' variables stand for. From the tools' own configuration.
struct NetworkVariables {
  /// `${NPM_REGISTRY}`: the registry, and those of scopes.
  std::vector<Host> npm_registry;
};

enum class NetworkErrc : std::uint8_t {
  bad_address,  ///< `[1:2]:443`, `1.2.3:80`: looks like an address and is none
  no_registry,  ///< `${NPM_REGISTRY}` stands for nothing
};

struct NetworkError {
  NetworkErrc code;
  std::string rule;  ///< as written
  Origin origin;
};

class HostTree;  // domain/src/host_tree.hpp

class NetworkPolicy {
 public:
  NetworkPolicy(NetworkPolicy&&) noexcept;
  NetworkPolicy& operator=(NetworkPolicy&&) noexcept;
  ~NetworkPolicy();

  [[nodiscard]] const std::vector<NetRule>& rules() const noexcept { return rules_; }
  /// Null for none.
  [[nodiscard]] const NetRule* rule(RuleId id) const noexcept;
  [[nodiscard]] const HostTree& hosts() const noexcept { return *hosts_; }

 private:
  friend tl::expected<NetworkPolicy, NetworkError> compile_network(const NetworkRules&,
                                                                   const NetworkVariables&);
  NetworkPolicy(std::vector<NetRule> rules, std::unique_ptr<const HostTree> hosts) noexcept;
  std::vector<NetRule> rules_;
  std::unique_ptr<const HostTree> hosts_;
};

/// Allows first, then denies, in the order written.
[[nodiscard]] tl::expected<NetworkPolicy, NetworkError> compile_network(
    const NetworkRules& rules, const NetworkVariables& variables);

/// May it be asked for at all? Of an address the answer is complete: it includes decide_address.
[[nodiscard]] NetDecision decide_connection(const NetworkPolicy& policy,
                                            const Destination& destination) noexcept;

/// May what the host of `destination` was resolved to be connected to? Does not repeat
/// decide_connection.
[[nodiscard]] NetDecision decide_address(const NetworkPolicy& policy,
                                         const Destination& destination,
                                         const IpAddress& address) noexcept;

}  // namespace pmg::domain
