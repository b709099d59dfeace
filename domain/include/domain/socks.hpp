/// What a client of SOCKS5 says before its bytes are carried.
///
///   auto greeting = parse_socks_greeting(bytes);   // expected<optional<…>>; nothing: more needed
///   auto login = parse_socks_login(bytes);         // RFC 1929
///   auto request = parse_socks_request(bytes);     // only CONNECT, by name or address
///
/// SK1: total and bounded; no message is longer than 515 bytes. Sources: RFC 1928, RFC 1929.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <tl/expected.hpp>

#include "domain/host.hpp"

namespace pmg::domain {

enum class SocksErrc : std::uint8_t {
  bad_version,
  no_login_offered,     ///< the client does not offer to log in
  unsupported_command,  ///< BIND and UDP ASSOCIATE
  bad_address,          ///< a type that is unknown, or a name that is none
  bad_port,
};

struct SocksGreeting {
  std::size_t size = 0;  ///< bytes of the message
};

/// Views into the bytes that were parsed.
struct SocksLogin {
  std::string_view user;
  std::string_view password;
  std::size_t size = 0;
};

struct SocksRequest {
  Destination to;
  std::size_t size = 0;
};

/// SK2: one that offers to log in with a name and a password.
[[nodiscard]] tl::expected<std::optional<SocksGreeting>, SocksErrc> parse_socks_greeting(
    std::string_view bytes) noexcept;
[[nodiscard]] tl::expected<std::optional<SocksLogin>, SocksErrc> parse_socks_login(
    std::string_view bytes) noexcept;
/// SK3: a name that is the text of an address is that address.
[[nodiscard]] tl::expected<std::optional<SocksRequest>, SocksErrc> parse_socks_request(
    std::string_view bytes);

}  // namespace pmg::domain
