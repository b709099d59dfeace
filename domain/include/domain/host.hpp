/// Hosts and ports that a program asks for.
///
///   auto host = HostName::parse("Registry.Example.COM.");   // expected<…>; registry.example.com
///   auto to = Destination::parse("[::1]:443");              // expected<…>; an address and a port
///
/// HN1: one name has one value: lower case, no final dot. HN2: names are ASCII; an international
/// name is asked for and written in rules in its ASCII form (`xn--…`, RFC 5890), which is what
/// resolvers send. Not for: rules, which are HostPortPattern.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <tl/expected.hpp>

#include "domain/ip_address.hpp"

namespace pmg::domain {

enum class HostErrc : std::uint8_t {
  empty,
  bad_name,     ///< a byte or a label that no host name has, or too long
  numeric,      ///< `127.1`, `0x7f000001`: some programs take it for an address, others do not
  bad_address,  ///< in brackets, and no IPv6 address; also one with a zone
  no_port,
  bad_port,  ///< not 1 … 65535 in decimal digits
};

class Port {
 public:
  /// Decimal digits without sign, spaces and leading zeros.
  [[nodiscard]] static std::optional<Port> parse(std::string_view text) noexcept;
  /// Nothing for 0, which is no port to connect to.
  [[nodiscard]] static std::optional<Port> from(std::uint16_t number) noexcept;
  [[nodiscard]] std::uint16_t number() const noexcept { return number_; }

  friend bool operator==(const Port&, const Port&) = default;

 private:
  explicit Port(std::uint16_t number) noexcept : number_(number) {}
  std::uint16_t number_;
};

inline constexpr std::uint16_t kHttpPort = 80;
inline constexpr std::uint16_t kHttpsPort = 443;

class HostName {
 public:
  /// HN3: labels as in rules; one final dot is dropped; a text whose last label is a number in any
  /// spelling is no name.
  [[nodiscard]] static tl::expected<HostName, HostErrc> parse(std::string_view text);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// `localhost` and what is beneath: this machine by definition (RFC 6761 section 6.3).
  [[nodiscard]] bool is_localhost() const noexcept;

  friend bool operator==(const HostName&, const HostName&) = default;

 private:
  explicit HostName(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_;
};

/// What stands before the port of a URL or of CONNECT.
using Host = std::variant<HostName, IpAddress>;

/// A name, an IPv4 address or an IPv6 address in brackets.
[[nodiscard]] tl::expected<Host, HostErrc> parse_host(std::string_view text);
/// As in a URL: an IPv6 address gets brackets.
[[nodiscard]] std::string to_text(const Host& host);

struct Destination {
  Host host;
  Port port;

  /// `host:port`; the port is required.
  [[nodiscard]] static tl::expected<Destination, HostErrc> parse(std::string_view text);
  /// `host` or `host:port`.
  [[nodiscard]] static tl::expected<Destination, HostErrc> parse(std::string_view text,
                                                                 Port otherwise);
  /// As `parse` takes it.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Destination&, const Destination&) = default;
};

}  // namespace pmg::domain
