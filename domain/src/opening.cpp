#include "domain/opening.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dns_name.hpp"
#include "domain/ascii.hpp"
#include "http_text.hpp"

namespace pmg::domain {
namespace {

std::uint8_t byte_at(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<std::uint8_t>(bytes[at]);
}

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

/// A ClientHello in SSL 2 clothes (RFC 5246 appendix E.2): OpenSSL still reads it.
Opening classify_high(std::string_view bytes) noexcept {
  constexpr std::size_t kNeeded = 4;
  if (bytes.size() < kNeeded) {
    return Opening::undecided;
  }
  return byte_at(bytes, 2) == 1 && byte_at(bytes, 3) <= 3 ? Opening::old_tls : Opening::other;
}

/// `HTTP/` in any case.
bool mentions_http(std::string_view line) noexcept {
  constexpr std::string_view kHttp = "http/";
  const auto same = [](char a, char b) { return lower(a) == b; };
  return std::search(line.begin(), line.end(), kHttp.begin(), kHttp.end(), same) != line.end();
}

/// `GET /path` of HTTP/0.9: it has no version and no headers.
bool is_simple_request(std::string_view line) noexcept {
  constexpr std::string_view kGet = "get";
  const std::size_t target = line.find_first_not_of(" \t", kGet.size());
  return target != std::string_view::npos && line[target] == '/' && is_blank(line[kGet.size()]) &&
         std::ranges::equal(line.substr(0, kGet.size()), kGet, {}, lower);
}

/// A word and a blank start a line of text, of HTTP or another protocol. Git's own protocol starts
/// with digits and has no end of a line; no method does.
Opening classify_text(std::string_view bytes) noexcept {
  if (bytes[0] >= '0' && bytes[0] <= '9') {
    return Opening::other;
  }
  const auto* const end = std::ranges::find_if_not(bytes, is_token_byte);
  if (end != bytes.end() && (end == bytes.begin() || !is_blank(*end))) {
    return Opening::other;
  }
  const std::size_t line_end = bytes.find('\n');
  if (line_end == std::string_view::npos) {
    return bytes.size() > kMaxFirstLine ? Opening::http : Opening::undecided;
  }
  const std::string_view line = bytes.substr(0, line_end);
  return mentions_http(line) || is_simple_request(line) ? Opening::http : Opening::other;
}

}  // namespace

Opening classify_opening(std::string_view bytes) noexcept {
  constexpr std::uint8_t kHandshake = 22;
  constexpr std::uint8_t kHighBit = 0x80;
  if (bytes.empty()) {
    return Opening::undecided;
  }
  if (byte_at(bytes, 0) == kHandshake) {
    if (bytes.size() == 1) {
      return Opening::undecided;
    }
    return byte_at(bytes, 1) == 3 ? Opening::tls : Opening::other;
  }
  if ((byte_at(bytes, 0) & kHighBit) != 0) {
    return classify_high(bytes);
  }
  // Servers skip blank lines and spaces in front of a request.
  if (is_blank(bytes[0]) || bytes[0] == '\r' || bytes[0] == '\n') {
    return Opening::http;
  }
  return classify_text(bytes);
}

}  // namespace pmg::domain
