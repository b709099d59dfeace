// Rules on hosts, against their definition.
#include "domain/network.hpp"

#include <algorithm>
#include <compare>  // IWYU pragma: keep
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include <doctest/doctest.h>

#include "domain/host.hpp"
#include "domain/ip_address.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "gen/hosts.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;

namespace {

std::string shown(const NetworkRules& rules) {
  std::string out;
  for (const auto& rule : rules.allow_outbound) {
    out += "+" + rule.value.text() + " ";
  }
  for (const auto& rule : rules.deny_outbound) {
    out += "-" + rule.value.text() + " ";
  }
  return out;
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// How specific a rule is for a destination: kind of host, its length, has a port.
using Specificity = std::tuple<int, std::size_t, bool>;

/// NW1 and NW2 for one rule, read from its text.
std::optional<Specificity> match(const HostPortPattern& pattern, const Destination& to) {
  const std::string text = in_lower_case(pattern.text());
  const std::size_t colon = text.rfind(':');
  const std::string host = text.substr(0, colon);
  const std::string port = text.substr(colon + 1);
  if (port != "*" && port != std::to_string(to.port.number())) {
    return std::nullopt;
  }
  const bool has_port = port != "*";
  if (host == "*") {
    return Specificity(0, 0, has_port);
  }
  if (host.starts_with("*.")) {
    const auto* name = std::get_if<HostName>(&to.host);
    const bool is_beneath = name != nullptr && name->text().ends_with(host.substr(1));
    return is_beneath ? std::optional(Specificity(1, host.size(), has_port)) : std::nullopt;
  }
  const auto exact = parse_host(host);
  return exact && *exact == to.host ? std::optional(Specificity(2, 0, has_port)) : std::nullopt;
}

std::optional<Specificity> best(const NetRules& rules, const Destination& to) {
  std::optional<Specificity> most;
  for (const auto& rule : rules) {
    most = std::max(most, match(rule.value, to));
  }
  return most;
}

bool allows(const NetworkRules& rules, const Destination& to) {
  const auto allow = best(rules.allow_outbound, to);
  const auto deny = best(rules.deny_outbound, to);
  return allow && (!deny || *allow > *deny);
}

bool has_exact(const NetRules& rules, const Host& host, Port port) {
  const auto most = best(rules, Destination{host, port});
  return most && std::get<0>(*most) == 2;
}

/// By name or address, and then by the address that it leads to.
bool reaches(const NetworkPolicy& policy, const Destination& to, const IpAddress& address) {
  return decide_connection(policy, to).allowed() && decide_address(policy, to, address).allowed();
}

NetworkPolicy compiled(const NetworkRules& rules) { return *compile_network(rules, {}); }

}  // namespace

/// decide_connection of a name is the definition, rule by rule; of an address it is no wider.
bool hosts_agree_with_model(gen::Choices& c) {
  const NetworkRules rules = gen::network_rules(c);
  const Destination to = gen::destination(c);
  c.note("rules", [&] { return shown(rules); });
  c.note("to", [&] { return to.text(); });
  const NetworkPolicy policy = compiled(rules);
  const NetDecision decision = decide_connection(policy, to);
  const bool has_rule = policy.rule(decision.rule) != nullptr;
  if (decision.allowed() != (decision.reason == NetReason::allowed_by_rule) ||
      has_rule != (decision.reason == NetReason::allowed_by_rule ||
                   decision.reason == NetReason::denied_by_rule)) {
    return false;
  }
  const bool is_name = std::holds_alternative<HostName>(to.host);
  return is_name ? decision.allowed() == allows(rules, to)
                 : !decision.allowed() || allows(rules, to);
}

/// One deny more never reaches more.
bool host_denies_are_monotone(gen::Choices& c) {
  const NetworkRules rules = gen::network_rules(c);
  NetworkRules stricter = rules;
  const auto at = c.below(stricter.deny_outbound.size() + 1);
  stricter.deny_outbound.insert(stricter.deny_outbound.begin() + static_cast<std::ptrdiff_t>(at),
                                {gen::net_pattern(c), {}});
  const Destination to = gen::destination(c);
  const IpAddress address = gen::address(c);
  c.note("rules", [&] { return shown(rules); });
  c.note("with", [&] { return stricter.deny_outbound[at].value.text(); });
  c.note("to", [&] { return to.text() + " " + address.text(); });
  return !reaches(compiled(stricter), to, address) || reaches(compiled(rules), to, address);
}

/// A deny that is the same pattern as every allow that matches beats it.
bool host_denies_win_ties(gen::Choices& c) {
  NetworkRules rules = gen::network_rules(c);
  const Destination to = gen::destination(c);
  const IpAddress address = gen::address(c);
  c.note("rules", [&] { return shown(rules); });
  c.note("to", [&] { return to.text() + " " + address.text(); });
  rules.deny_outbound.insert(rules.deny_outbound.end(), rules.allow_outbound.begin(),
                             rules.allow_outbound.end());
  return !reaches(compiled(rules), to, address);
}

/// One allow more reaches only what it matches, by name or as the address.
bool host_allows_stay_within(gen::Choices& c) {
  const NetworkRules rules = gen::network_rules(c);
  NetworkRules wider = rules;
  const HostPortPattern added = gen::net_pattern(c);
  wider.allow_outbound.push_back({added, {}});
  const Destination to = gen::destination(c);
  const IpAddress address = gen::address(c);
  c.note("rules", [&] { return shown(rules); });
  c.note("with", [&] { return added.text(); });
  c.note("to", [&] { return to.text() + " " + address.text(); });
  return reaches(compiled(rules), to, address) || !reaches(compiled(wider), to, address) ||
         match(added, to) || match(added, Destination{address, to.port});
}

/// Case and a final dot change nothing, in rules and in what is asked for.
bool host_spelling_changes_nothing(gen::Choices& c) {
  const NetworkRules rules = gen::network_rules(c);
  const Destination to = gen::destination(c);
  NetworkRules respelled = rules;
  for (auto* list : {&respelled.allow_outbound, &respelled.deny_outbound}) {
    for (auto& rule : *list) {
      rule.value = *HostPortPattern::parse(gen::other_spelling(c, rule.value.text()));
    }
  }
  std::string host = gen::other_spelling(c, to_text(to.host));
  if (std::holds_alternative<HostName>(to.host) && c.one_in(2)) {
    host += '.';
  }
  const auto other = Destination::parse(host + ":" + std::to_string(to.port.number()));
  c.note("rules", [&] { return shown(rules) + "/ " + shown(respelled); });
  c.note("to", [&] { return to.text() + " " + host; });
  return other && *other == to &&
         decide_connection(compiled(rules), to) == decide_connection(compiled(respelled), *other);
}

/// What is not of the Internet is reached only by a rule that is exactly the address, or exactly a
/// name that means this machine.
bool inner_addresses_need_a_rule(gen::Choices& c) {
  const NetworkRules rules = gen::network_rules(c);
  const Destination to = gen::destination(c);
  const IpAddress address = gen::address(c);
  c.note("rules", [&] { return shown(rules); });
  c.note("to", [&] { return to.text() + " " + address.text(); });
  if (address.kind() == AddressKind::global ||
      !decide_address(compiled(rules), to, address).allowed()) {
    return true;
  }
  const auto* name = std::get_if<HostName>(&to.host);
  const bool means_machine = name != nullptr && name->is_localhost() &&
                             address.kind() == AddressKind::loopback &&
                             has_exact(rules.allow_outbound, to.host, to.port);
  return means_machine || has_exact(rules.allow_outbound, address, to.port);
}

/// A deny of an address holds whatever name leads there, and for what a translator makes of it.
bool address_denies_hold_behind_names(gen::Choices& c) {
  NetworkRules rules = gen::network_rules(c);
  const Destination to = gen::destination(c);
  const IpAddress address = gen::address(c);
  const IpAddress denied = c.one_in(2) && address.embedded_v4() ? *address.embedded_v4() : address;
  rules.deny_outbound.push_back({*HostPortPattern::parse(Destination{denied, to.port}.text()), {}});
  c.note("rules", [&] { return shown(rules); });
  c.note("to", [&] { return to.text() + " " + address.text(); });
  return !decide_address(compiled(rules), to, address).allowed();
}

/// parse(text(d)) = d, and no two spellings of an address are two values.
bool destinations_survive_printing(gen::Choices& c) {
  constexpr std::string_view kAlphabet = "a.:[]0123456789fxF-_%@*";
  std::string text;
  constexpr std::size_t kLongest = 48;
  while (text.size() < kLongest && !c.one_in(16)) {
    const std::uint8_t byte = c.byte();
    if (byte == 0) {
      break;
    }
    text += byte < 224 ? kAlphabet[byte % kAlphabet.size()] : static_cast<char>(byte);
  }
  c.note("text", [&] { return text; });
  const auto to = Destination::parse(text);
  const auto with_default = Destination::parse(text, *Port::from(kHttpPort));
  if (to && (!with_default || *with_default != *to)) {
    return false;
  }
  if (!with_default) {
    return true;
  }
  const auto again = Destination::parse(with_default->text());
  const auto* address = std::get_if<IpAddress>(&with_default->host);
  return again && *again == *with_default &&
         (address == nullptr || IpAddress::parse(address->text()) == *address);
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("NW1, NW2: hosts agree with the model") { CHECK_HOLDS_OFTEN(hosts_agree_with_model); }
TEST_CASE("NW1: one deny more never reaches more") { CHECK_HOLDS_OFTEN(host_denies_are_monotone); }
TEST_CASE("NW1: denies win ties") { CHECK_HOLDS_OFTEN(host_denies_win_ties); }
TEST_CASE("NW1: one allow more stays within") { CHECK_HOLDS_OFTEN(host_allows_stay_within); }
TEST_CASE("HN1: spelling changes nothing") { CHECK_HOLDS_OFTEN(host_spelling_changes_nothing); }
TEST_CASE("NW3: inner addresses need a rule") { CHECK_HOLDS_OFTEN(inner_addresses_need_a_rule); }
TEST_CASE("NW4: denied addresses stay denied") {
  CHECK_HOLDS_OFTEN(address_denies_hold_behind_names);
}
TEST_CASE("HN4: destinations survive printing") {
  CHECK_HOLDS_OFTEN(destinations_survive_printing);
}
