// Patterns over names rather than paths: environment variables and network endpoints.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "dns_name.hpp"
#include "domain/pattern.hpp"

namespace pmg::domain {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_hex(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Only the alphabet of RFC 4291 text: the proxy parses addresses, this keeps out what is none.
bool is_bracketed_address(std::string_view host) noexcept {
  if (host.size() < 4 || host.front() != '[' || host.back() != ']') {
    return false;
  }
  const std::string_view inside = host.substr(1, host.size() - 2);
  return inside.find(':') != std::string_view::npos &&
         std::ranges::all_of(inside, [](char c) { return is_hex(c) || c == ':' || c == '.'; });
}

bool is_host(std::string_view host) noexcept {
  // The registry that npm is configured for; resolved when the network policy is compiled.
  if (host == "*" || host == "${NPM_REGISTRY}" || is_bracketed_address(host)) {
    return true;
  }
  return is_dns_name(host.starts_with("*.") ? host.substr(2) : host);
}

bool is_port(std::string_view port) noexcept {
  if (port == "*") {
    return true;
  }
  constexpr std::size_t kMaxDigits = 5;
  constexpr unsigned kMaxPort = 65535;
  if (port.empty() || port.size() > kMaxDigits || port.front() == '0' ||
      !std::ranges::all_of(port, is_digit)) {
    return false;
  }
  unsigned value = 0;
  for (const char c : port) {
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value <= kMaxPort;
}

std::optional<HostPortErrc> find_error(std::string_view text) noexcept {
  if (text.find("://") != std::string_view::npos) {
    return HostPortErrc::has_scheme;
  }
  if (text.find('/') != std::string_view::npos) {
    return HostPortErrc::has_path;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']')) {
    return HostPortErrc::no_port;
  }
  const std::string_view host = text.substr(0, colon);
  if (host.empty()) {
    return HostPortErrc::empty_host;
  }
  if (!is_host(host)) {
    return HostPortErrc::bad_host;
  }
  if (!is_port(text.substr(colon + 1))) {
    return HostPortErrc::bad_port;
  }
  return std::nullopt;
}

}  // namespace

tl::expected<EnvPattern, EnvPatternErrc> EnvPattern::parse(std::string_view text) {
  if (text.empty()) {
    return tl::unexpected(EnvPatternErrc::empty);
  }
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '=') {
      return tl::unexpected(EnvPatternErrc::has_equals);
    }
    if (c == '/') {
      return tl::unexpected(EnvPatternErrc::has_slash);
    }
    if (byte < 0x20 || byte == 0x7f) {
      return tl::unexpected(EnvPatternErrc::has_control);
    }
    if (c == ' ') {
      return tl::unexpected(EnvPatternErrc::has_space);
    }
  }
  return EnvPattern(std::string(text));
}

bool EnvPattern::matches(std::string_view name) const noexcept {
  return glob_matches_ignoring_case(text_, name);
}

tl::expected<HostPortPattern, HostPortErrc> HostPortPattern::parse(std::string_view text) {
  if (const auto error = find_error(text)) {
    return tl::unexpected(*error);
  }
  return HostPortPattern(std::string(text));
}

}  // namespace pmg::domain
