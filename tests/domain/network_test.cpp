#include "domain/network.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/rules.hpp"

using namespace pmg::domain;
using pmg::tests::rules;

namespace {

using Texts = std::initializer_list<std::string_view>;

NetworkPolicy compiled(Texts allow, Texts deny, const NetworkVariables& variables = {}) {
  auto network =
      compile_network({rules<HostPortPattern>(allow), rules<HostPortPattern>(deny), {}}, variables);
  REQUIRE(network.has_value());
  return std::move(*network);
}

Destination to(std::string_view text) {
  auto destination = Destination::parse(text);
  REQUIRE(destination.has_value());
  return *destination;
}

IpAddress address(std::string_view text) {
  const auto parsed = IpAddress::parse(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

/// "+rule", "-rule" or "-" and the reason in short.
std::string shown(const NetworkPolicy& policy, const NetDecision& decision) {
  std::string out(decision.allowed() ? "+" : "-");
  if (const NetRule* rule = policy.rule(decision.rule)) {
    return out + rule->text;
  }
  switch (decision.reason) {
    case NetReason::nothing_allows:
      return out + "nothing";
    case NetReason::not_of_the_internet:
      return out + "kind";
    case NetReason::allowed_by_rule:
    case NetReason::denied_by_rule:
      return out;
  }
  return out;
}

}  // namespace

TEST_CASE("NW1, NW2: the most specific rule decides") {
  struct Row {
    Texts allow;
    Texts deny;
    std::string_view destination;
    std::string_view shown;
    std::string_view why;
  };
  for (const Row& row : {
           Row{{}, {}, "a.x:443", "-nothing", "no match is a deny"},
           Row{{"a.x:443"}, {}, "a.x:443", "+a.x:443", ""},
           Row{{"A.X:443"}, {}, "a.x.:443", "+A.X:443", "case and the final dot"},
           Row{{"a.x:443"}, {}, "a.x:80", "-nothing", "another port"},
           Row{{"a.x:443"}, {}, "b.a.x:443", "-nothing", "a name beneath"},
           Row{{"a.x:443"}, {}, "x:443", "-nothing", "a name above"},
           Row{{"a.x:443"}, {}, "aa.x:443", "-nothing", "a longer label"},
           Row{{"*.x:443"}, {}, "a.x:443", "+*.x:443", ""},
           Row{{"*.x:443"}, {}, "b.a.x:443", "+*.x:443", "several labels"},
           Row{{"*.x:443"}, {}, "x:443", "-nothing", "never the apex"},
           Row{{"*.x:443"}, {}, "ax:443", "-nothing", "whole labels"},
           Row{{"*.X:443"}, {}, "a.x:443", "+*.X:443", "case"},
           Row{{"*:443"}, {}, "a.x:443", "+*:443", ""},
           Row{{"*:443"}, {}, "8.8.8.8:443", "+*:443", "addresses too"},
           Row{{"*.8:443"}, {}, "8.8.8.8:443", "error", "no name ends in a number"},
           Row{{"a.x:443"}, {"*:*"}, "a.x:443", "+a.x:443", "the exact host"},
           Row{{"a.x:443"}, {"*:*"}, "b.x:443", "-*:*", ""},
           Row{{"*.x:443"}, {"a.x:443"}, "a.x:443", "-a.x:443", "the exact host"},
           Row{{"*.x:*"}, {"*.a.x:*"}, "b.a.x:1", "-*.a.x:*", "the longer name"},
           Row{{"*.a.x:*"}, {"*.x:*"}, "b.a.x:1", "+*.a.x:*", "the longer name"},
           Row{{"*.x:443"}, {"a.x:*"}, "a.x:443", "-a.x:*", "the host before the port"},
           Row{{"a.x:*"}, {"*:443"}, "a.x:443", "+a.x:*", "the host before the port"},
           Row{{"a.x:*"}, {"a.x:80"}, "a.x:80", "-a.x:80", "then the port"},
           Row{{"a.x:80"}, {"a.x:*"}, "a.x:80", "+a.x:80", "then the port"},
           Row{{"a.x:80"}, {"a.x:80"}, "a.x:80", "-a.x:80", "a tie is a deny"},
           Row{{"*:*"}, {"*:*"}, "a.x:80", "-*:*", "a tie is a deny"},
           Row{{"*.x:1"}, {"*.x:1"}, "a.x:1", "-*.x:1", "a tie is a deny"},
           Row{{"*.x:*", "a.x:80"}, {}, "a.x:443", "+*.x:*", "one that does not match is none"},
           Row{{"a.x:80", "A.x:80"}, {}, "a.x:80", "+a.x:80", "the first of equal ones"},
           Row{{}, {"a.x:80", "A.x:80"}, "a.x:80", "-a.x:80", "the first of equal ones"},
       }) {
    CAPTURE(row.destination);
    CAPTURE(row.why);
    auto network = compile_network(
        {rules<HostPortPattern>(row.allow), rules<HostPortPattern>(row.deny), {}}, {});
    if (row.shown == "error") {
      REQUIRE(!network.has_value());
      CHECK(network.error().code == NetworkErrc::bad_address);
      continue;
    }
    REQUIRE(network.has_value());
    CHECK(shown(*network, decide_connection(*network, to(row.destination))) == row.shown);
  }
}

TEST_CASE("NW3: an address that is not of the Internet needs a rule of its own") {
  struct Row {
    Texts allow;
    Texts deny;
    std::string_view destination;
    std::string_view address;
    std::string_view shown;
    std::string_view why;
  };
  for (const Row& row : {
           Row{{"a.x:1"}, {}, "a.x:1", "8.8.8.8", "+", ""},
           Row{{"a.x:1"}, {}, "a.x:1", "2606:4700::1", "+", ""},
           Row{{"a.x:1"}, {}, "a.x:1", "10.0.0.9", "-kind", "a public name that leads inside"},
           Row{{"a.x:1"}, {}, "a.x:1", "127.0.0.1", "-kind", ""},
           Row{{"a.x:1"}, {}, "a.x:1", "::1", "-kind", ""},
           Row{{"a.x:1"}, {}, "a.x:1", "::ffff:127.0.0.1", "-kind", ""},
           Row{{"a.x:1"}, {}, "a.x:1", "169.254.169.254", "-kind", ""},
           Row{{"a.x:1"}, {}, "a.x:1", "64:ff9b::10.0.0.9", "-kind", ""},
           Row{{"*:*"}, {}, "a.x:1", "10.0.0.9", "-kind", "`*` names nothing"},
           Row{{"a.x:1", "10.0.0.9:1"}, {}, "a.x:1", "10.0.0.9", "+10.0.0.9:1", "named"},
           Row{{"a.x:1", "10.0.0.9:*"}, {}, "a.x:1", "10.0.0.9", "+10.0.0.9:*", "any port"},
           Row{{"a.x:1", "[::ffff:10.0.0.9]:1"},
               {},
               "a.x:1",
               "10.0.0.9",
               "+[::ffff:10.0.0.9]:1",
               "one address, one value"},
           Row{{"a.x:1", "10.0.0.9:2"}, {}, "a.x:1", "10.0.0.9", "-kind", "another port"},
           Row{{"a.x:1", "10.0.0.8:1"}, {}, "a.x:1", "10.0.0.9", "-kind", "another address"},
           Row{{"a.x:1", "10.0.0.9:1"},
               {},
               "a.x:1",
               "64:ff9b::10.0.0.9",
               "-kind",
               "an allow is narrow"},
           Row{{"localhost:3000"}, {}, "localhost:3000", "127.0.0.1", "+", "by definition"},
           Row{{"localhost:3000"}, {}, "localhost:3000", "::1", "+", ""},
           Row{{"localhost:3000"}, {}, "localhost:3000", "10.0.0.9", "-kind", "a name server lies"},
           Row{{"localhost:3000"}, {}, "a.localhost:3000", "127.0.0.1", "-kind", "another name"},
           Row{{"*:*"}, {}, "localhost:3000", "127.0.0.1", "-kind", "`*` names nothing"},
           Row{{"localhost:*", "*:*"},
               {"localhost:3000"},
               "localhost:3000",
               "127.0.0.1",
               "-kind",
               "the deny is more specific"},
       }) {
    CAPTURE(row.destination);
    CAPTURE(row.address);
    CAPTURE(row.why);
    const NetworkPolicy network = compiled(row.allow, row.deny);
    CHECK(shown(network, decide_address(network, to(row.destination), address(row.address))) ==
          row.shown);
  }
}

TEST_CASE("NW3: an address that is asked for is judged as one") {
  const NetworkPolicy all = compiled({"*:*", "10.0.0.9:1"}, {"8.8.4.4:*"});
  CHECK(shown(all, decide_connection(all, to("8.8.8.8:1"))) == "+*:*");
  CHECK(shown(all, decide_connection(all, to("8.8.4.4:1"))) == "-8.8.4.4:*");
  CHECK(shown(all, decide_connection(all, to("[64:ff9b::8.8.4.4]:1"))) == "-8.8.4.4:*");
  CHECK(shown(all, decide_connection(all, to("10.0.0.9:1"))) == "+10.0.0.9:1");
  CHECK(shown(all, decide_connection(all, to("10.0.0.8:1"))) == "-kind");
  CHECK(shown(all, decide_connection(all, to("[::1]:1"))) == "-kind");
  CHECK(shown(all, decide_connection(all, to("0.0.0.0:1"))) == "-kind");
}

TEST_CASE("NW4: a deny of an address holds behind names and inside other addresses") {
  const NetworkPolicy network = compiled({"*:*", "8.8.4.4:2"}, {"8.8.4.4:*", "[2606:4700::1]:*"});
  const Destination name = to("a.x:1");
  CHECK(shown(network, decide_connection(network, name)) == "+*:*");
  CHECK(shown(network, decide_address(network, name, address("8.8.4.4"))) == "-8.8.4.4:*");
  CHECK(shown(network, decide_address(network, name, address("::ffff:8.8.4.4"))) == "-8.8.4.4:*");
  CHECK(shown(network, decide_address(network, name, address("64:ff9b::8.8.4.4"))) == "-8.8.4.4:*");
  CHECK(shown(network, decide_address(network, name, address("2606:4700::1"))) ==
        "-[2606:4700::1]:*");
  CHECK(shown(network, decide_address(network, to("a.x:2"), address("8.8.4.4"))) == "+8.8.4.4:2");
  CHECK(shown(network, decide_address(network, name, address("8.8.8.8"))) == "+");
}

TEST_CASE("NW5: variables stand for hosts, and what is no rule does not compile") {
  const auto host = [](std::string_view text) { return *parse_host(text); };
  const NetworkPolicy network =
      compiled({"${NPM_REGISTRY}:443"}, {"*:*"}, {{host("registry.x"), host("10.0.0.9")}});
  CHECK(shown(network, decide_connection(network, to("registry.x:443"))) == "+${NPM_REGISTRY}:443");
  CHECK(shown(network, decide_connection(network, to("10.0.0.9:443"))) == "+${NPM_REGISTRY}:443");
  CHECK(shown(network, decide_connection(network, to("registry.x:80"))) == "-*:*");

  struct Row {
    std::string_view text;
    NetworkErrc code;
  };
  for (const Row& row : {
           Row{"${NPM_REGISTRY}:443", NetworkErrc::no_registry},
           Row{"[1:2]:443", NetworkErrc::bad_address},
           Row{"1.2.3:443", NetworkErrc::bad_address},
           Row{"0x7f.1:443", NetworkErrc::bad_address},
           Row{"*.1:443", NetworkErrc::bad_address},
       }) {
    CAPTURE(row.text);
    for (const bool is_allow : {true, false}) {
      NetworkRules all;
      (is_allow ? all.allow_outbound : all.deny_outbound) = rules<HostPortPattern>({row.text});
      const auto error = compile_network(all, {});
      REQUIRE(!error.has_value());
      CHECK(error.error().code == row.code);
      CHECK(error.error().rule == row.text);
      CHECK(error.error().origin.line == 1);
    }
  }
}
