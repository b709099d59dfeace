/// Bytes as clients of TLS, HTTP and SOCKS5 send them, and nearly so.
///
///   const std::string hello = gen::client_hello({gen::server_name("a.x")});
///   const std::string request = gen::request_text(c);
///
/// Every generator is total: any bytes give a value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gen/choices.hpp"

namespace pmg::gen {

/// Big-endian.
[[nodiscard]] inline std::string number(std::size_t value, std::size_t width) {
  std::string out(width, '\0');
  for (std::size_t i = width; i > 0; --i, value >>= 8U) {
    out[i - 1] = static_cast<char>(value & 0xffU);
  }
  return out;
}

/// With its length in front.
[[nodiscard]] inline std::string vector(std::string_view bytes, std::size_t width) {
  return number(bytes.size(), width) + std::string(bytes);
}

[[nodiscard]] inline std::string extension(std::size_t type, std::string_view bytes) {
  return number(type, 2) + vector(bytes, 2);
}

[[nodiscard]] inline std::string server_name(std::string_view name) {
  return extension(0, vector(std::string(1, '\0') + vector(name, 2), 2));
}

inline constexpr std::size_t kEncryptedHello = 0xfe0d;

/// The message alone, without records.
[[nodiscard]] inline std::string hello_message(const std::vector<std::string>& extensions) {
  std::string all;
  for (const auto& each : extensions) {
    all += each;
  }
  const std::string body = "\x03\x03" + std::string(32, 'r') + vector("session", 1) +
                           vector("\x13\x01", 2) + vector(std::string_view("\0", 1), 1) +
                           vector(all, 2);
  return "\x01" + vector(body, 3);
}

[[nodiscard]] inline std::string record(std::string_view bytes) {
  return "\x16\x03\x01" + vector(bytes, 2);
}

[[nodiscard]] inline std::string client_hello(const std::vector<std::string>& extensions) {
  return record(hello_message(extensions));
}

[[nodiscard]] inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Changes, adds or drops a few bytes.
[[nodiscard]] inline std::string damaged(Choices& c, std::string text) {
  while (!text.empty() && c.one_in(3)) {
    const std::size_t at = (c.below(256) * 256 + c.below(256)) % text.size();
    switch (c.below(3)) {
      case 0:
        text[at] = static_cast<char>(c.byte());
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(c.byte()));
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

/// A message of a client, mostly well-formed.
[[nodiscard]] inline std::string hello_near(Choices& c) {
  constexpr std::array<std::string_view, 5> kNames{"a.x", "A.X.", "b.x", "1.2.3.4", ""};
  std::vector<std::string> extensions;
  constexpr std::size_t kMost = 4;
  while (extensions.size() < kMost && c.one_in(2)) {
    switch (c.below(3)) {
      case 0:
        extensions.push_back(server_name(c.pick(kNames)));
        break;
      case 1:
        extensions.push_back(extension(c.byte(), "x"));
        break;
      default:
        extensions.push_back(extension(kEncryptedHello, "y"));
        break;
    }
  }
  return damaged(c, hello_message(extensions));
}

/// The message in records of any size.
[[nodiscard]] inline std::string in_records(Choices& c, std::string_view message) {
  std::string out;
  while (!message.empty()) {
    const std::size_t size =
        std::min<std::size_t>(c.one_in(2) ? 1 + c.byte() : message.size(), message.size());
    out += record(message.substr(0, size));
    message.remove_prefix(size);
  }
  return out;
}

/// Lines of requests, mostly ones that belong together.
[[nodiscard]] inline std::string request_text(Choices& c) {
  constexpr std::array<std::string_view, 9> kLines{"GET http://a.x/p?q HTTP/1.1",
                                                   "GET / HTTP/1.1",
                                                   "CONNECT a.x:443 HTTP/1.1",
                                                   "POST http://a.x HTTP/1.1",
                                                   "OPTIONS * HTTP/1.0",
                                                   "GET http://a.x:81/ HTTP/1.0",
                                                   "PRI * HTTP/2.0",
                                                   "GET https://a.x/ HTTP/1.1",
                                                   "GET /"};
  constexpr std::array<std::string_view, 14> kHeaders{
      "Host: a.x",   "host:a.x:80",         "Host: b.x",         "Content-Length: 3",
      "Accept: */*", "Content-Length: 0x3", "Connection: close", "Transfer-Encoding: chunked",
      "Upgrade: ws", "Connection: Upgrade", "Connection: host",  "Proxy-Authorization: Basic x",
      " folded",     "Host : a.x"};
  std::string out(c.pick(kLines));
  out += "\r\n";
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < kMost && !c.one_in(4); ++i) {
    out += c.pick(kHeaders);
    out += "\r\n";
  }
  return damaged(c, out + "\r\n");
}

[[nodiscard]] inline std::string chunked_body(Choices& c) {
  constexpr std::array<std::string_view, 8> kPieces{
      "3\r\nabc\r\n", "A;x=y\r\n0123456789\r\n", "0\r\n\r\n", "0\r\nT: v\r\n\r\n", "\r\n",
      "0;\r\n",       "ffffffffffffffff\r\n",    "1\n"};
  std::string out;
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < kMost && !c.one_in(6); ++i) {
    out += c.pick(kPieces);
  }
  return damaged(c, out);
}

/// A greeting, a login or a request.
[[nodiscard]] inline std::string socks_text(Choices& c) {
  constexpr std::array<std::string_view, 6> kHosts{"a.x", "A.X.", "1.2.3.4", "::1", "a b", ""};
  const std::string header("\x05\x01\x00", 3);
  switch (c.below(5)) {
    case 0:
      return damaged(c, header + "\x03" + vector(c.pick(kHosts), 1) + number(443, 2));
    case 1:
      return damaged(c, header + "\x01" + "\x08\x08\x08\x08" + number(443, 2));
    case 2:
      return damaged(c, header + "\x04" + std::string(15, '\0') + "\x01" + number(443, 2));
    case 3:
      return damaged(c, "\x01" + vector("pmg", 1) + vector("secret", 1));
    default:
      return damaged(c, "\x05" + vector(std::string_view("\0\x02", 2), 1));
  }
}

}  // namespace pmg::gen
