#include "domain/host.hpp"

#include <string>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

using namespace pmg::domain;
using namespace std::string_literals;

static_assert(!std::is_constructible_v<HostName, std::string>);
static_assert(!std::is_constructible_v<Port, int>);

TEST_CASE("HN1, HN2, HN3: names of hosts") {
  const std::string label(63, 'a');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'a');
  struct Valid {
    std::string text;
    std::string canonical;
  };
  for (const Valid& row : {
           Valid{"example.com", "example.com"},
           Valid{"Registry.Example.COM.", "registry.example.com"},
           Valid{"localhost", "localhost"},
           Valid{"xn--bcher-kva.example", "xn--bcher-kva.example"},
           Valid{"_srv.a-b.x", "_srv.a-b.x"},
           Valid{"1.2.3.a", "1.2.3.a"},
           Valid{"0xg", "0xg"},
           Valid{longest, longest},
           Valid{longest + ".", longest},
       }) {
    CAPTURE(row.text);
    const auto name = HostName::parse(row.text);
    REQUIRE(name.has_value());
    CHECK(name->text() == row.canonical);
  }
  struct Invalid {
    std::string text;
    HostErrc code;
    std::string_view why;
  };
  for (const Invalid& row : {
           Invalid{"", HostErrc::empty, ""},
           Invalid{".", HostErrc::empty, "the root"},
           Invalid{"a..", HostErrc::bad_name, "two final dots"},
           Invalid{"a..b", HostErrc::bad_name, "an empty label"},
           Invalid{".a", HostErrc::bad_name, "an empty label"},
           Invalid{"-a.x", HostErrc::bad_name, ""},
           Invalid{"a-.x", HostErrc::bad_name, ""},
           Invalid{label + "a", HostErrc::bad_name, "64 bytes"},
           Invalid{longest + "a", HostErrc::bad_name, "254 bytes"},
           Invalid{"bücher.example", HostErrc::bad_name, "not in its ASCII form"},
           Invalid{"a\0.x"s, HostErrc::bad_name, "NUL"},
           Invalid{"a.x\n", HostErrc::bad_name, "a line break"},
           Invalid{"a b.x", HostErrc::bad_name, "a space"},
           Invalid{"a%2ex", HostErrc::bad_name, "percent"},
           Invalid{"u@a.x", HostErrc::bad_name, "a user"},
           Invalid{"a/b", HostErrc::bad_name, "a path"},
           Invalid{"a:1", HostErrc::bad_name, "a port"},
           Invalid{"*.a.x", HostErrc::bad_name, "a pattern"},
           Invalid{"127.1", HostErrc::numeric, "inet_aton takes it"},
           Invalid{"2130706433", HostErrc::numeric, "inet_aton takes it"},
           Invalid{"0x7f000001", HostErrc::numeric, "inet_aton takes it"},
           Invalid{"0X7F.1", HostErrc::numeric, "inet_aton takes it"},
           Invalid{"127.0x1", HostErrc::numeric, "inet_aton takes it"},
           Invalid{"0x", HostErrc::numeric, "URL parsers take it for 0"},
           Invalid{"0177.0.0.01", HostErrc::numeric, "octal"},
           Invalid{"a.1", HostErrc::numeric, "no name of the Internet ends in a number"},
           Invalid{"127.0.0.1", HostErrc::numeric, "an address"},
       }) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    REQUIRE(!HostName::parse(row.text).has_value());
    CHECK(HostName::parse(row.text).error() == row.code);
  }
}

TEST_CASE("HN1: localhost is this machine, and nothing else is by its name") {
  for (const std::string_view text : {"localhost", "LOCALHOST.", "a.localhost", "a.b.localhost"}) {
    CHECK(HostName::parse(text)->is_localhost());
  }
  for (const std::string_view text : {"localhost.example", "xlocalhost", "local"}) {
    CHECK(!HostName::parse(text)->is_localhost());
  }
}

TEST_CASE("HN4: destinations") {
  struct Valid {
    std::string text;
    std::string printed;
  };
  for (const Valid& row : {
           Valid{"Example.com:443", "example.com:443"},
           Valid{"example.com.:1", "example.com:1"},
           Valid{"1.2.3.4:65535", "1.2.3.4:65535"},
           Valid{"[::1]:80", "[::1]:80"},
           Valid{"[0:0::1]:80", "[::1]:80"},
           Valid{"[::ffff:1.2.3.4]:80", "1.2.3.4:80"},
       }) {
    CAPTURE(row.text);
    const auto to = Destination::parse(row.text);
    REQUIRE(to.has_value());
    CHECK(to->text() == row.printed);
    CHECK(Destination::parse(to->text()) == to);
    CHECK(Destination::parse(row.text, *Port::from(9)) == to);
  }
  struct Invalid {
    std::string text;
    HostErrc code;
  };
  for (const Invalid& row : {
           Invalid{"example.com", HostErrc::no_port},
           Invalid{"[::1]", HostErrc::no_port},
           Invalid{":443", HostErrc::empty},
           Invalid{"a:", HostErrc::bad_port},
           Invalid{"a:0", HostErrc::bad_port},
           Invalid{"a:080", HostErrc::bad_port},
           Invalid{"a:+1", HostErrc::bad_port},
           Invalid{"a:-1", HostErrc::bad_port},
           Invalid{"a: 1", HostErrc::bad_port},
           Invalid{"a:65536", HostErrc::bad_port},
           Invalid{"a:4294967297", HostErrc::bad_port},
           Invalid{"a:1a", HostErrc::bad_port},
           Invalid{"::1:80", HostErrc::bad_name},
           Invalid{"[::1:80", HostErrc::bad_address},
           Invalid{"[]:80", HostErrc::bad_address},
           Invalid{"[1.2.3.4]:80", HostErrc::bad_address},
           Invalid{"[fe80::1%eth0]:80", HostErrc::bad_address},
           Invalid{"[::1]x:80", HostErrc::bad_address},
           Invalid{"[a]:80", HostErrc::bad_address},
           Invalid{"127.1:80", HostErrc::numeric},
       }) {
    CAPTURE(row.text);
    REQUIRE(!Destination::parse(row.text).has_value());
    CHECK(Destination::parse(row.text).error() == row.code);
  }
  CHECK(Destination::parse("a.x", *Port::from(80))->text() == "a.x:80");
  CHECK(Destination::parse("[::1]", *Port::from(80))->text() == "[::1]:80");
  CHECK(Destination::parse("127.1", *Port::from(80)).error() == HostErrc::numeric);
  CHECK(!Port::from(0).has_value());
}
