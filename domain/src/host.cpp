#include "domain/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <tl/expected.hpp>

#include "dns_name.hpp"
#include "domain/ascii.hpp"
#include "domain/ip_address.hpp"

namespace pmg::domain {

std::optional<Port> Port::from(std::uint16_t number) noexcept {
  return number == 0 ? std::nullopt : std::optional(Port(number));
}

std::optional<Port> Port::parse(std::string_view text) noexcept {
  constexpr std::size_t kMaxDigits = 5;
  constexpr std::uint32_t kMaxPort = 65535;
  if (text.empty() || text.size() > kMaxDigits || text.front() == '0') {
    return std::nullopt;
  }
  std::uint32_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return value <= kMaxPort ? from(static_cast<std::uint16_t>(value)) : std::nullopt;
}

tl::expected<HostName, HostErrc> HostName::parse(std::string_view text) {
  if (text.ends_with('.')) {
    text.remove_suffix(1);
  }
  if (text.empty()) {
    return tl::unexpected(HostErrc::empty);
  }
  if (!is_dns_name(text)) {
    return tl::unexpected(HostErrc::bad_name);
  }
  if (ends_in_number(text)) {
    return tl::unexpected(HostErrc::numeric);
  }
  std::string name(text);
  std::ranges::transform(name, name.begin(), lower);
  return HostName(std::move(name));
}

bool HostName::is_localhost() const noexcept {
  return text_ == "localhost" || text_.ends_with(".localhost");
}

tl::expected<Host, HostErrc> parse_host(std::string_view text) {
  if (text.starts_with('[')) {
    const bool is_closed = text.size() > 2 && text.ends_with(']');
    const std::string_view inside = is_closed ? text.substr(1, text.size() - 2) : "";
    const auto address = IpAddress::parse(inside);
    if (!address || inside.find(':') == std::string_view::npos) {
      return tl::unexpected(HostErrc::bad_address);
    }
    return Host(*address);
  }
  if (text.find(':') == std::string_view::npos) {
    if (const auto address = IpAddress::parse(text)) {
      return Host(*address);
    }
  }
  return HostName::parse(text).map([](HostName name) { return Host(std::move(name)); });
}

std::string to_text(const Host& host) {
  if (const auto* name = std::get_if<HostName>(&host)) {
    return name->text();
  }
  const auto& address = *std::get_if<IpAddress>(&host);
  return address.is_v4() ? address.text() : "[" + address.text() + "]";
}

tl::expected<Destination, HostErrc> Destination::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']')) {
    return tl::unexpected(HostErrc::no_port);
  }
  const auto port = Port::parse(text.substr(colon + 1));
  if (!port) {
    return tl::unexpected(HostErrc::bad_port);
  }
  return parse_host(text.substr(0, colon)).map([&port](Host parsed) {
    return Destination{std::move(parsed), *port};
  });
}

tl::expected<Destination, HostErrc> Destination::parse(std::string_view text, Port otherwise) {
  auto with_port = parse(text);
  if (with_port || with_port.error() != HostErrc::no_port) {
    return with_port;
  }
  return parse_host(text).map([otherwise](Host parsed) {
    return Destination{std::move(parsed), otherwise};
  });
}

std::string Destination::text() const {
  return to_text(host) + ":" + std::to_string(port.number());
}

}  // namespace pmg::domain
