/// Rules on hosts, and destinations near them: few names and addresses, so that they collide.
///
///   const NetworkRules rules = gen::network_rules(c);
///   const Destination to = gen::destination_near(c, rules);
///
/// Every generator is total: any bytes give a value.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "domain/host.hpp"
#include "domain/ip_address.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "gen/choices.hpp"

namespace pmg::gen {

inline constexpr std::array<std::string_view, 9> kHosts{
    "a.x", "x", "b.a.x", "c.b.a.x", "aa.x", "y", "localhost", "a.localhost", "A.x"};
/// A public one first; then one of each kind that matters, and what embeds others.
inline constexpr std::array<std::string_view, 12> kAddresses{
    "8.8.8.8",        "10.0.0.9",         "127.0.0.1",          "[::1]",     "169.254.169.254",
    "[2606:4700::1]", "[::ffff:8.8.8.8]", "[64:ff9b::8.8.8.8]", "[fd00::1]", "[64:ff9b::10.0.0.9]",
    "[::127.0.0.1]",  "[2002:a00:9::]"};
inline constexpr std::array<std::string_view, 3> kPorts{"443", "80", "1"};

[[nodiscard]] inline std::string host_text(Choices& c) {
  return std::string(c.one_in(3) ? c.pick(kAddresses) : c.pick(kHosts));
}

[[nodiscard]] inline domain::HostPortPattern net_pattern(Choices& c) {
  std::string host = host_text(c);
  if (c.one_in(5)) {
    host = "*";
  } else if (c.one_in(3) && !host.starts_with('[') && !domain::IpAddress::parse(host)) {
    host = "*." + host;
  }
  const std::string_view port = c.one_in(3) ? "*" : c.pick(kPorts);
  auto pattern = domain::HostPortPattern::parse(host + ":" + std::string(port));
  return pattern ? *pattern : *domain::HostPortPattern::parse("a.x:443");
}

[[nodiscard]] inline domain::NetworkRules network_rules(Choices& c) {
  constexpr std::size_t kMost = 4;
  domain::NetworkRules rules;
  for (auto* list : {&rules.allow_outbound, &rules.deny_outbound}) {
    while (list->size() < kMost && c.one_in(2)) {
      list->push_back({net_pattern(c), {}});
    }
  }
  return rules;
}

[[nodiscard]] inline domain::IpAddress address(Choices& c) {
  const auto host = domain::parse_host(c.pick(kAddresses));
  return *std::get_if<domain::IpAddress>(&*host);
}

[[nodiscard]] inline domain::Destination destination(Choices& c) {
  const std::string text = host_text(c) + ":" + std::string(c.pick(kPorts));
  return *domain::Destination::parse(text);
}

/// The same text in another case, or with a final dot where that is a name.
[[nodiscard]] inline std::string other_spelling(Choices& c, std::string text) {
  for (char& letter : text) {
    if (letter >= 'a' && letter <= 'z' && c.one_in(2)) {
      letter = static_cast<char>(letter - 'a' + 'A');
    }
  }
  return text;
}

}  // namespace pmg::gen
