#include "domain/client_hello.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "gen/wire.hpp"

using namespace pmg::domain;
namespace gen = pmg::gen;

namespace {

/// "more", "error N", or the name and `+` for what may be hidden.
std::string shown(std::string_view bytes) {
  const auto hello = parse_client_hello(gen::as_bytes(bytes));
  if (!hello) {
    return "error " + std::to_string(static_cast<int>(hello.error()));
  }
  if (!hello->has_value()) {
    return "more";
  }
  const auto& name = (*hello)->server_name;
  return (name ? name->text() : "none") + ((*hello)->inner == InnerHello::possible ? "+" : "");
}

constexpr std::string_view kNotTls = "error 0";
constexpr std::string_view kMalformed = "error 1";
constexpr std::string_view kTooLong = "error 2";

}  // namespace

TEST_CASE("TL1: the name of a ClientHello") {
  const std::string name = gen::server_name("a.x");
  const std::string two_names =
      gen::extension(0, gen::vector(std::string(1, '\0') + gen::vector("a.x", 2) +
                                        std::string(1, '\0') + gen::vector("b.x", 2),
                                    2));
  const std::string other_type = gen::extension(0, gen::vector("\x01" + gen::vector("a.x", 2), 2));
  const std::string hidden = gen::extension(gen::kEncryptedHello, "x");
  struct Row {
    std::string bytes;
    std::string_view shown;
    std::string_view why;
  };
  std::string old_version = gen::client_hello({name});
  old_version[9] = '\x02';
  std::string server_hello = gen::client_hello({name});
  server_hello[5] = '\x02';
  for (const Row& row : std::vector<Row>{
           {gen::client_hello({name}), "a.x", ""},
           {gen::client_hello({gen::server_name("A.x.")}), "a.x", "HN1"},
           {gen::client_hello({gen::extension(16, "h2"), name}), "a.x", "after another extension"},
           {gen::client_hello({}), "none", "no name"},
           {gen::client_hello({name, hidden}), "a.x+", "another name may be inside"},
           {gen::client_hello({hidden}), "none+", ""},
           {gen::client_hello({name, name}), kMalformed, "twice"},
           {gen::client_hello({hidden, hidden}), kMalformed, "twice"},
           {gen::client_hello({two_names}), kMalformed, "two names"},
           {gen::client_hello({other_type}), kMalformed, "a name that is no host"},
           {gen::client_hello({gen::extension(0, "")}), kMalformed, "no list"},
           {gen::client_hello({gen::server_name("")}), kMalformed, "an empty name"},
           {gen::client_hello({gen::server_name("1.2.3.4")}), kMalformed, "RFC 6066: no address"},
           {gen::client_hello({gen::server_name(std::string_view("a.x\0b", 5))}), kMalformed,
            "what another program may cut"},
           {gen::client_hello({gen::number(0, 2) + gen::number(9, 2)}), kMalformed,
            "an extension that goes on after its end"},
           {gen::client_hello({name}) + "more", "a.x", "what follows is another record"},
           {gen::record(gen::hello_message({name}) + "x"), kMalformed, "more in the record"},
           {old_version, kMalformed, "SSL 2 in the frame of TLS"},
           {server_hello, kMalformed, "another message"},
           {"GET / HTTP/1.1\r\n", kNotTls, ""},
           {"\x16\x02\x01\x01\x01", kNotTls, "another version"},
           {std::string("\x16\x03\x01\x00\x00", 5), kMalformed, "an empty record"},
           {"\x16\x03\x01\x40\x01", kMalformed, "longer than records may be"},
           {"\x16\x03\x01\x04\x04\x01\x01\x01\x01", kTooLong, "64 KiB"},
           {gen::record(gen::hello_message({name}).substr(0, 9)) + "\x15\x03\x03", kNotTls,
            "an alert in the middle"},
           {"", "more", ""},
       }) {
    CAPTURE(row.why);
    CHECK(shown(row.bytes) == row.shown);
  }
}

TEST_CASE("TL1: without extensions there is no name") {
  const std::string body = "\x03\x01" + std::string(32, 'r') + gen::vector("", 1) +
                           gen::vector("\x13\x01", 2) + gen::vector(std::string(1, '\0'), 1);
  CHECK(shown(gen::record("\x01" + gen::vector(body, 3))) == "none");
  CHECK(shown(gen::record("\x01" + gen::vector(body + "x", 3))) == kMalformed);
  const std::string odd = "\x03\x01" + std::string(32, 'r') + gen::vector("", 1) +
                          gen::vector("\x13\x01\x02", 2) + gen::vector(std::string(1, '\0'), 1);
  CHECK(shown(gen::record("\x01" + gen::vector(odd, 3))) == kMalformed);
}

TEST_CASE("TL2: every cut of a ClientHello") {
  const std::string message = gen::hello_message({gen::server_name("a.x")});
  const std::string whole = gen::record(message);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CAPTURE(cut);
    CHECK(shown(whole.substr(0, cut)) == "more");
  }
  for (std::size_t cut = 1; cut < message.size(); ++cut) {
    CAPTURE(cut);
    CHECK(shown(gen::record(message.substr(0, cut)) + gen::record(message.substr(cut))) == "a.x");
  }
  std::string bytes;
  for (const char c : message) {
    bytes += gen::record(std::string(1, c));
  }
  CHECK(shown(bytes) == "a.x");
}

TEST_CASE("TL3: the name is the one asked for, and no other can hide") {
  const auto name = [](std::string_view text) { return *HostName::parse(text); };
  const Host asked = name("a.x");
  const Host address = *parse_host("8.8.8.8");
  CHECK(!check_name(asked, {name("A.x."), InnerHello::absent}));
  CHECK(check_name(asked, {name("b.x"), InnerHello::absent}) == NameErrc::other_name);
  CHECK(check_name(asked, {name("b.a.x"), InnerHello::absent}) == NameErrc::other_name);
  CHECK(check_name(asked, {std::nullopt, InnerHello::absent}) == NameErrc::no_name);
  CHECK(check_name(asked, {name("a.x"), InnerHello::possible}) == NameErrc::encrypted);
  CHECK(!check_name(address, {std::nullopt, InnerHello::absent}));
  CHECK(check_name(address, {name("a.x"), InnerHello::absent}) == NameErrc::other_name);
  CHECK(check_name(address, {std::nullopt, InnerHello::possible}) == NameErrc::encrypted);
}
