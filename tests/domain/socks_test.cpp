#include "domain/socks.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/opening.hpp"
#include "gen/wire.hpp"

using namespace pmg::domain;
namespace gen = pmg::gen;

namespace {

std::string request(char type, std::string_view address, std::size_t port = 443) {
  return std::string("\x05\x01\x00", 3) + type + std::string(address) + gen::number(port, 2);
}

/// The destination, "more" or "error N".
std::string shown(std::string_view bytes) {
  const auto parsed = parse_socks_request(bytes);
  if (!parsed) {
    return "error " + std::to_string(static_cast<int>(parsed.error()));
  }
  return parsed->has_value() ? (*parsed)->to.text() : "more";
}

}  // namespace

TEST_CASE("SK1, SK3: what a request asks for") {
  struct Row {
    std::string bytes;
    std::string_view shown;
    std::string_view why;
  };
  for (const Row& row : std::vector<Row>{
           {request('\x03', gen::vector("A.x.", 1)), "a.x:443", "HN1"},
           {request('\x03', gen::vector("8.8.8.8", 1)), "8.8.8.8:443", "an address as text"},
           {request('\x03', gen::vector("::1", 1)), "[::1]:443", "an address as text"},
           {request('\x03', gen::vector("[::1]", 1)), "[::1]:443", "an address as text"},
           {request('\x01', "\x08\x08\x04\x04"), "8.8.4.4:443", ""},
           {request('\x04', std::string(10, '\0') + "\xff\xff\x08\x08\x04\x04"), "8.8.4.4:443",
            "IA1"},
           {request('\x04', std::string(15, '\0') + "\x01"), "[::1]:443", ""},
           {request('\x03', gen::vector("a.x", 1)) + "more", "a.x:443", "what follows is data"},
           {"\x04\x01", "error 0", "SOCKS4"},
           {"\x05\x02", "error 2", "BIND"},
           {"\x05\x03", "error 2", "UDP"},
           {request('\x02', "x"), "error 3", "no such type"},
           {request('\x03', gen::vector("", 1)), "error 3", "empty"},
           {request('\x03', gen::vector("127.1", 1)), "error 3", "HN3"},
           {request('\x03', gen::vector("a b", 1)), "error 3", "no name"},
           {request('\x03', gen::vector(std::string_view("a.x\0b", 5), 1)), "error 3", "NUL"},
           {request('\x03', gen::vector("a.x", 1), 0), "error 4", "port 0"},
       }) {
    CAPTURE(row.why);
    CHECK(shown(row.bytes) == row.shown);
  }
  const std::string whole = request('\x03', gen::vector("a.x", 1));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CAPTURE(cut);
    CHECK(shown(whole.substr(0, cut)) == "more");
  }
  CHECK((*parse_socks_request(whole + "x"))->size == whole.size());
}

TEST_CASE("SK2: a greeting offers to log in") {
  CHECK((*parse_socks_greeting(std::string_view("\x05\x02\x00\x02x", 5)))->size == 4);
  CHECK(parse_socks_greeting(std::string_view("\x05\x01\x00", 3)).error() ==
        SocksErrc::no_login_offered);
  CHECK(parse_socks_greeting(std::string_view("\x05\x00", 2)).error() ==
        SocksErrc::no_login_offered);
  CHECK(parse_socks_greeting("\x04").error() == SocksErrc::bad_version);
  for (std::size_t cut = 0; cut < 4; ++cut) {
    CHECK(
        !parse_socks_greeting(std::string_view("\x05\x02\x00\x02", 4).substr(0, cut))->has_value());
  }
}

TEST_CASE("SK1: a login") {
  const std::string whole = "\x01" + gen::vector("pmg", 1) + gen::vector("secret", 1);
  const std::string more = whole + "x";
  const auto login = parse_socks_login(more);
  REQUIRE(login.has_value());
  REQUIRE(login->has_value());
  CHECK((*login)->user == "pmg");
  CHECK((*login)->password == "secret");
  CHECK((*login)->size == whole.size());
  CHECK(parse_socks_login("\x05").error() == SocksErrc::bad_version);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CHECK(!parse_socks_login(whole.substr(0, cut))->has_value());
  }
}

TEST_CASE("OP1: what a server might take for TLS or HTTP is not something else") {
  struct Row {
    std::string bytes;
    Opening opening;
    std::string_view why;
  };
  for (const Row& row : std::vector<Row>{
           {"", Opening::undecided, ""},
           {"\x16", Opening::undecided, ""},
           {"\x16\x03", Opening::tls, ""},
           {"\x16\x02", Opening::other, ""},
           {"\x80\x2e\x01", Opening::undecided, ""},
           {"\x80\x2e\x01\x03", Opening::old_tls, ""},
           {std::string("\x80\x2e\x01\x00", 4), Opening::old_tls, "SSL 2"},
           {std::string("\xff\x00\x00\x00", 4), Opening::other, "ZeroMQ"},
           {"GET", Opening::undecided, ""},
           {"GET / HTTP/1.1", Opening::undecided, "no end of the line"},
           {"GET / HTTP/1.1\r\n", Opening::http, ""},
           {"GET / HTTP/1.1\n", Opening::http, "lenient servers"},
           {"get / http/1.1\n", Opening::http, "lenient servers"},
           {"GET\t/\tHTTP/1.1\n", Opening::http, "lenient servers"},
           {"G*T / HTTP/1.1\n", Opening::http, "lenient servers"},
           {"GET /\r\n", Opening::http, "HTTP/0.9"},
           {"GET /\x01 HTTP/1.1\r\n", Opening::http, "lenient servers"},
           {"PRI * HTTP/2.0\r\n", Opening::http, "HTTP/2"},
           {"\r\n", Opening::http, "servers skip it"},
           {" GET", Opening::http, "servers skip it"},
           {std::string(kMaxFirstLine + 1, 'G'), Opening::http, "endless"},
           {"SSH-2.0-OpenSSH_9.2p1\r\n", Opening::other, "SSH"},
           {"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", Opening::other, "SSH with a comment"},
           {"EHLO a.x\r\n", Opening::other, "SMTP"},
           {"*1\r\n$4\r\nPING\r\n", Opening::other, "Redis"},
           {"003egit-upload-pack /p", Opening::other, "git"},
           {"get key\r\n", Opening::other, "memcached"},
           {std::string("AMQP\0", 5), Opening::other, "AMQP"},
           {std::string("\x00\x00\x00\x08", 4), Opening::other, "PostgreSQL"},
       }) {
    CAPTURE(row.bytes);
    CAPTURE(row.why);
    CHECK(classify_opening(row.bytes) == row.opening);
  }
}
