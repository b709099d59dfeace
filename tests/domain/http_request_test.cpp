#include "domain/http_request.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "domain/http_body.hpp"

using namespace pmg::domain;

namespace {

std::string with_host(std::string_view headers) {
  return "GET / HTTP/1.1\r\nHost: a.x\r\n" + std::string(headers) + "\r\n";
}

RequestHead parsed(std::string_view text) {
  auto head = parse_request_head(text);
  REQUIRE(head.has_value());
  REQUIRE(head->has_value());
  return **head;
}

Destination to(std::string_view text) { return *Destination::parse(text); }

}  // namespace

TEST_CASE("HR1: what a request names") {
  const RequestHead get =
      parsed("GET http://A.x:81/p?q HTTP/1.1\r\nHost: a.x:81\r\nX:  y \r\n\r\nrest");
  CHECK(get.method == "GET");
  CHECK(get.form == TargetForm::absolute);
  CHECK(get.path == "/p?q");
  CHECK(get.target == to("a.x:81"));
  CHECK(get.host == to("a.x:81"));
  CHECK(*get.header("x") == "y");
  CHECK(get.size == 56);
  CHECK(asked_for(get) == to("a.x:81"));
  CHECK(parsed("GET http://a.x HTTP/1.0\r\n\r\n").path == "/");
  CHECK(parsed("GET http://a.x?q HTTP/1.0\r\n\r\n").path == "/?q");
  CHECK(parsed("GET HTTP://[::1]/ HTTP/1.0\r\n\r\n").target == to("[::1]:80"));
  const RequestHead connect = parsed("CONNECT a.x:443 HTTP/1.1\r\nHost: a.x\r\n\r\n");
  CHECK(connect.form == TargetForm::authority);
  CHECK(asked_for(connect) == to("a.x:443"));
  CHECK(parsed("OPTIONS * HTTP/1.1\r\nHost: a.x\r\n\r\n").path == "*");
  CHECK(asked_for(parsed(with_host(""))).error() == HttpErrc::bad_target);
}

TEST_CASE("HR1: what can be read in two ways is refused") {
  struct Row {
    std::string text;
    HttpErrc code;
    std::string_view why;
  };
  const std::string many = [] {
    std::string out;
    for (std::size_t i = 0; i < kMaxHeaders; ++i) {
      out += "X: y\r\n";
    }
    return out;
  }();
  for (const Row& row : std::vector<Row>{
           {"GET / HTTP/1.1\nHost: a.x\n\n", HttpErrc::bad_request_line, "bare LF"},
           {"GET / HTTP/1.1\r\nHost: a.x\rX: y\r\n\r\n", HttpErrc::bad_request_line, "bare CR"},
           {"\r\nGET / HTTP/1.1\r\n\r\n", HttpErrc::bad_request_line, "an empty line first"},
           {" GET / HTTP/1.1\r\n\r\n", HttpErrc::bad_request_line, "a space first"},
           {"1GET / HTTP/1.1\r\n\r\n", HttpErrc::bad_request_line, "OP1"},
           {"G(T / HTTP/1.1\r\n\r\n", HttpErrc::bad_request_line, "no token"},
           {std::string(33, 'G') + " / HTTP/1.1\r\n\r\n", HttpErrc::bad_request_line, "long"},
           {"GET  / HTTP/1.1\r\n\r\n", HttpErrc::bad_version, "two spaces"},
           {"GET / HTTP/1.1 \r\n\r\n", HttpErrc::bad_version, "a space last"},
           {"GET /\r\n\r\n", HttpErrc::bad_version, "HTTP/0.9"},
           {"GET / http/1.1\r\n\r\n", HttpErrc::bad_version, "case"},
           {"GET / HTTP/1.2\r\n\r\n", HttpErrc::bad_version, ""},
           {"PRI * HTTP/2.0\r\n\r\n", HttpErrc::bad_version, "HTTP/2 without TLS"},
           {"GET * HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "* is for OPTIONS"},
           {"GET a.x HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "no path"},
           {"GET /\t HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "a tabulator"},
           {"GET /#f HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "a fragment"},
           {"GET https://a.x/ HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "TLS is the client's"},
           {"GET http://u@a.x/ HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "a user"},
           {"GET http:///p HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "no host"},
           {"GET http://127.1/ HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "HN3"},
           {"CONNECT a.x HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "no port"},
           {"CONNECT http://a.x:1/ HTTP/1.1\r\n\r\n", HttpErrc::bad_target, "no authority"},
           {with_host("Host: a.x\r\n"), HttpErrc::bad_host, "twice"},
           {"GET / HTTP/1.1\r\nHost:\r\n\r\n", HttpErrc::bad_host, "empty"},
           {"GET / HTTP/1.1\r\nHost: a.x/p\r\n\r\n", HttpErrc::bad_host, "no host"},
           {"GET / HTTP/1.1\r\nHost: a.x, b.x\r\n\r\n", HttpErrc::bad_host, "a list"},
           {with_host(" folded\r\n"), HttpErrc::bad_header, "a folded line"},
           {with_host("X : y\r\n"), HttpErrc::bad_header, "a space before the colon"},
           {with_host("X\r\n"), HttpErrc::bad_header, "no colon"},
           {with_host(": y\r\n"), HttpErrc::bad_header, "no name"},
           {with_host("X: a\x01\r\n"), HttpErrc::bad_header, "a control character"},
           {with_host(std::string("X: a\0b\r\n", 8)), HttpErrc::bad_header, "NUL"},
           {with_host(many), HttpErrc::bad_header, "too many"},
           {with_host("Connection: close, Host\r\n"), HttpErrc::bad_header, "Host of one hop"},
           {with_host("Connection: content-length\r\n"), HttpErrc::bad_header, ""},
           {with_host("Connection: Transfer-Encoding\r\n"), HttpErrc::bad_header, ""},
           {with_host("Content-Length: 1\r\nContent-Length: 1\r\n"), HttpErrc::bad_length, "twice"},
           {with_host("Content-Length: +1\r\n"), HttpErrc::bad_length, "a sign"},
           {with_host("Content-Length: 1, 1\r\n"), HttpErrc::bad_length, "a list"},
           {with_host("Content-Length: \r\n"), HttpErrc::bad_length, "empty"},
           {with_host("Content-Length: 1234567890123456789\r\n"), HttpErrc::bad_length, "long"},
           {with_host("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), HttpErrc::bad_length,
            "two lengths"},
           {with_host("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"), HttpErrc::bad_length,
            "two lengths"},
           {with_host("Transfer-Encoding: gzip, chunked\r\n"), HttpErrc::bad_length, "another one"},
           {with_host("Transfer-Encoding: xchunked\r\n"), HttpErrc::bad_length, ""},
           {"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", HttpErrc::bad_length,
            "HTTP/1.0 has none"},
           {std::string(kMaxRequestHead, 'G'), HttpErrc::too_long, ""},
       }) {
    CAPTURE(row.text.substr(0, 80));
    CAPTURE(row.why);
    const auto head = parse_request_head(row.text);
    REQUIRE(!head.has_value());
    CHECK(head.error() == row.code);
  }
}

TEST_CASE("HR1: every cut of a head needs more") {
  const std::string text = with_host("X: y\r\n");
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    CAPTURE(cut);
    const auto head = parse_request_head(text.substr(0, cut));
    REQUIRE(head.has_value());
    CHECK(!head->has_value());
  }
}

TEST_CASE("HR1: body and upgrade") {
  CHECK(std::holds_alternative<NoBody>(parsed(with_host("")).body));
  CHECK(parsed(with_host("Content-Length: 12\r\n")).body == BodyLength(std::uint64_t{12}));
  CHECK(parsed(with_host("Transfer-Encoding: Chunked\r\n")).body == BodyLength(Chunked{}));
  CHECK(parsed(with_host("Connection: keep-alive, Upgrade\r\nUpgrade: ws\r\n")).upgrade ==
        Upgrade::asked);
  CHECK(parsed(with_host("Connection: Upgrade\r\n")).upgrade == Upgrade::none);
  for (const std::string_view no : {"h2c", "H2C", "HTTP/2.0", "websocket, h2c", "h2"}) {
    const auto head =
        parsed(with_host("Connection: Upgrade\r\nUpgrade: " + std::string(no) + "\r\n"));
    CHECK(head.upgrade == Upgrade::none);
    CHECK(to_origin_form(head, to("a.x:80")) ==
          "GET / HTTP/1.1\r\nHost: a.x\r\nConnection: Upgrade\r\n\r\n");
  }
  CHECK(parsed(with_host("Upgrade: ws\r\n")).upgrade == Upgrade::none);
}

TEST_CASE("HR2: target and Host name the same host") {
  struct Row {
    std::string_view target;
    std::string_view host;
    bool is_same;
  };
  for (const Row& row : {
           Row{"http://a.x/", "a.x", true},
           Row{"http://a.x/", "A.X.:80", true},
           Row{"http://a.x/", "b.x", false},
           Row{"http://a.x/", "a.x:81", false},
           Row{"http://a.x:81/", "a.x", false},
           Row{"http://1.2.3.4/", "a.x", false},
       }) {
    CAPTURE(row.target);
    CAPTURE(row.host);
    const auto head = parsed("GET " + std::string(row.target) +
                             " HTTP/1.1\r\nHost: " + std::string(row.host) + "\r\n\r\n");
    CHECK(asked_for(head).has_value() == row.is_same);
  }
  CHECK(asked_for(parsed("CONNECT a.x:443 HTTP/1.1\r\nHost: b.x:443\r\n\r\n")).error() ==
        HttpErrc::host_mismatch);
}

TEST_CASE("HR2: a request within a connection names its host") {
  const auto check = [](std::string_view target, std::string_view host, std::string_view dest) {
    const std::string headers = host.empty() ? "" : "Host: " + std::string(host) + "\r\n";
    return check_host(parsed(std::string(target) + " HTTP/1.1\r\n" + headers + "\r\n"), to(dest));
  };
  CHECK(!check("GET /", "a.x", "a.x:80"));
  CHECK(!check("GET /", "a.x:8080", "a.x:8080"));
  CHECK(!check("GET /", "a.x", "a.x:8080"));
  CHECK(!check("GET http://a.x/", "a.x", "a.x:80"));
  CHECK(check("GET /", "a.x:81", "a.x:8080") == HttpErrc::host_mismatch);
  CHECK(check("GET /", "b.x", "a.x:80") == HttpErrc::host_mismatch);
  CHECK(check("GET /", "1.2.3.4", "a.x:80") == HttpErrc::host_mismatch);
  CHECK(check("GET http://b.x/", "a.x", "a.x:80") == HttpErrc::host_mismatch);
  CHECK(check("GET /", "", "a.x:80") == HttpErrc::no_host);
  CHECK(check("CONNECT a.x:80", "a.x", "a.x:80") == HttpErrc::bad_target);
}

TEST_CASE("HR3: what a server gets") {
  const RequestHead head = parsed(
      "POST http://A.x:81/p HTTP/1.1\r\nproxy-authorization: Basic s\r\nAccept:*/*\r\n"
      "Host: a.x:81\r\nProxy-Connection: x\r\nContent-Length: 3\r\n\r\nabc");
  CHECK(to_origin_form(head, *head.target) ==
        "POST /p HTTP/1.1\r\nHost: a.x:81\r\nAccept: */*\r\nContent-Length: 3\r\n\r\n");
  CHECK(to_origin_form(parsed("GET http://a.x HTTP/1.0\r\n\r\n"), to("a.x:80")) ==
        "GET / HTTP/1.0\r\nHost: a.x\r\n\r\n");
}

TEST_CASE("HB1: where bodies end") {
  struct Row {
    std::string_view text;
    std::size_t taken;
    std::string_view why;
  };
  constexpr std::size_t kError = 999;
  for (const Row& row : {
           Row{"3\r\nabc\r\n0\r\n\r\nGET", 13, ""},
           Row{"3;x=\"y\"\r\nabc\r\n0;z\r\n\r\nGET", 21, "extensions"},
           Row{"00a\r\n0123456789\r\n0\r\nT: v\r\nU: w\r\n\r\nGET", 34, "trailers"},
           Row{"\r\n", kError, "no length"},
           Row{"x\r\n", kError, "no digit"},
           Row{"+3\r\n", kError, "a sign"},
           Row{"0x3\r\n", kError, ""},
           Row{"3 \r\nabc", kError, "a space"},
           Row{"3\nabc", kError, "bare LF"},
           Row{"3;x\nabc", kError, "bare LF"},
           Row{"3\rabc", kError, "bare CR"},
           Row{"3\r\nabcd\r\n", kError, "longer than it says"},
           Row{"3\r\nabc\n0", kError, "bare LF"},
           Row{"0\r\n T: v\r\n\r\n", kError, "a folded trailer"},
           Row{"0\r\nT: v\n\r\n", kError, "bare LF"},
           Row{"0\r\n\rX", kError, "bare CR"},
           Row{"1000000000000000\r\n", kError, "too long"},
       }) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    BodyCounter body(BodyLength(Chunked{}));
    const auto taken = body.take(row.text);
    if (row.taken == kError) {
      CHECK(!taken.has_value());
      CHECK(!body.take("0\r\n\r\n").has_value());
      continue;
    }
    REQUIRE(taken.has_value());
    CHECK(*taken == row.taken);
    CHECK(body.is_done());
  }
  BodyCounter endless(BodyLength(Chunked{}));
  CHECK(!endless.take("1;" + std::string(9000, 'x')).has_value());
  BodyCounter trailers(BodyLength(Chunked{}));
  CHECK(!trailers.take("0\r\nT: " + std::string(9000, 'x')).has_value());
}

TEST_CASE("HB1: a length, and no body") {
  BodyCounter none(BodyLength(NoBody{}));
  CHECK(none.is_done());
  CHECK(none.take("x") == 0);
  BodyCounter empty(BodyLength(std::uint64_t{0}));
  CHECK(empty.is_done());
  BodyCounter five(BodyLength(std::uint64_t{5}));
  CHECK(five.take("abc") == 3);
  CHECK(!five.is_done());
  CHECK(five.take("defg") == 2);
  CHECK(five.is_done());
}
