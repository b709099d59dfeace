// Of several rules on hosts the most specific one wins, host before port; a tie is a deny, and no
// match is a deny.
#include <algorithm>
#include <compare>  // IWYU pragma: keep
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "diff_parts.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/policy_diff.hpp"
#include "domain/policy_field.hpp"

namespace pmg::domain {
namespace {

struct Address {
  std::string host;
  std::string port;
  friend bool operator==(const Address&, const Address&) = default;
};

Address address_of(const HostPortPattern& pattern) {
  const std::string& text = pattern.text();
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  if (!host.starts_with("${")) {
    std::ranges::transform(host, host.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
  }
  return {std::move(host), text.substr(colon + 1)};
}

bool covers_host(std::string_view all, std::string_view part) {
  return all == "*" || all == part ||
         (all.starts_with("*.") && part != "*" && !part.starts_with("[") &&
          !part.starts_with("${") && part.ends_with(all.substr(1)) && part.size() >= all.size());
}

bool covers(const Address& all, const Address& part) {
  return covers_host(all.host, part.host) && (all.port == "*" || all.port == part.port);
}

/// More is more specific: the host first, then the port.
struct Specificity {
  std::size_t host;
  bool has_port;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a pointer in what this expands to
  friend auto operator<=>(const Specificity&, const Specificity&) = default;
};

Specificity specificity_of(const Address& address) {
  constexpr std::size_t kExact = 1000;  // longer than any name
  const std::size_t host = address.host == "*"              ? 0
                           : address.host.starts_with("*.") ? address.host.size()
                                                            : kExact;
  return {host, address.port != "*"};
}

class NetworkSide {
 public:
  explicit NetworkSide(const NetworkRules& rules)
      : allows_(addresses(rules.allow_outbound)),
        denies_(addresses(rules.deny_outbound)),
        binds_(addresses(rules.allow_bind)) {}

  /// All that the rule allows is allowed here, but for what `own`, which has the rule, denies too.
  [[nodiscard]] bool allows(const Address& address, const NetworkSide& own) const {
    return is_allowed(address) && std::ranges::none_of(denies_, [&](const Address& deny) {
             return is_beneath(deny, address) && own.is_allowed(deny);
           });
  }
  /// All that the rule denies is denied here, but for what `own`, which has the rule, allows too.
  [[nodiscard]] bool denies(const Address& address, const NetworkSide& own) const {
    return has(denies_, address) ||
           (!is_allowed(address) && std::ranges::none_of(allows_, [&](const Address& allow) {
             return is_beneath(allow, address) && is_allowed(allow) && !own.is_allowed(allow);
           }));
  }
  /// A rule of its own takes away what it allows.
  [[nodiscard]] bool has_tie(const Address& address) const { return has(denies_, address); }
  /// The same rules decide on the same addresses beneath.
  [[nodiscard]] bool has_allow(const Address& address) const { return has(allows_, address); }
  [[nodiscard]] bool binds(const Address& address) const {
    return std::ranges::any_of(binds_, [&](const Address& bind) { return covers(bind, address); });
  }

 private:
  static std::vector<Address> addresses(const NetRules& rules) {
    std::vector<Address> all;
    for (const auto& rule : rules) {
      all.push_back(address_of(rule.value));
    }
    return all;
  }
  static bool has(const std::vector<Address>& all, const Address& address) {
    return std::ranges::find(all, address) != all.end();
  }
  static bool is_beneath(const Address& address, const Address& all) {
    return address != all && covers(all, address);
  }
  [[nodiscard]] bool is_allowed(const Address& address) const {
    const auto best = [&address](const std::vector<Address>& all) {
      Specificity most{0, false};
      bool is_covered = false;
      for (const Address& other : all) {
        if (covers(other, address)) {
          most = is_covered ? std::max(most, specificity_of(other)) : specificity_of(other);
          is_covered = true;
        }
      }
      return std::pair(is_covered, most);
    };
    const auto [has_allow, allow] = best(allows_);
    const auto [has_deny, deny] = best(denies_);
    return has_allow && (!has_deny || allow > deny);
  }

  std::vector<Address> allows_;
  std::vector<Address> denies_;
  std::vector<Address> binds_;
};

void compare(const Policy& has, const Policy& lacks, Change change,
             std::vector<RuleChange>& allowed, std::vector<RuleChange>& denied) {
  const NetworkSide own(has.network);
  const NetworkSide other(lacks.network);
  for (const auto& rule : has.network.allow_outbound) {
    const Address address = address_of(rule.value);
    const bool is_same = other.has_allow(address) && !other.has_tie(address);
    if (!own.has_tie(address) && !is_same && !other.allows(address, own)) {
      allowed.push_back(change_of(change, PolicyField::allow_outbound, rule));
    }
  }
  for (const auto& rule : has.network.deny_outbound) {
    if (!other.denies(address_of(rule.value), own)) {
      denied.push_back(change_of(change, PolicyField::deny_outbound, rule));
    }
  }
  for (const auto& rule : has.network.allow_bind) {
    if (!other.binds(address_of(rule.value))) {
      allowed.push_back(change_of(change, PolicyField::allow_bind, rule));
    }
  }
}

}  // namespace

void diff_network(const Policy& before, const Policy& after, PolicyDiff& out) {
  compare(after, before, Change::added, out.newly_allowed, out.newly_denied);
  compare(before, after, Change::removed, out.newly_denied, out.newly_allowed);
}

}  // namespace pmg::domain
