/// The first message of a TLS client, as far as it says whom the client wants.
///
///   auto hello = parse_client_hello(bytes);   // expected<optional<ClientHello>>
///   if (hello && *hello) { check_name(host, **hello); }
///
/// TL1: total and bounded on any bytes; what a server might read in another way is an error. TL2:
/// the message may come in pieces of any size, of TCP and of records. Not for: anything else of
/// TLS. Sources: RFC 8446 sections 4.1.2 and 5.1, RFC 6066 section 3, RFC 9849.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <tl/expected.hpp>

#include "domain/host.hpp"

namespace pmg::domain {

/// Clients send 300 to 2,000 bytes; keys that resist quantum computers may double that.
inline constexpr std::size_t kMaxClientHello = std::size_t{32} * 1024;

enum class HelloErrc : std::uint8_t {
  not_tls,    ///< another kind of record, or another version than 3.x
  malformed,  ///< lengths that do not fit, an extension twice, a name that is none
  too_long,   ///< longer than kMaxClientHello
};

/// Encrypted Client Hello: the name that the server sees may be another one.
enum class InnerHello : std::uint8_t { absent, possible };

struct ClientHello {
  std::optional<HostName> server_name;
  InnerHello inner = InnerHello::absent;

  friend bool operator==(const ClientHello&, const ClientHello&) = default;
};

/// Of the bytes since the start of the connection. Nothing: more are needed.
[[nodiscard]] tl::expected<std::optional<ClientHello>, HelloErrc> parse_client_hello(
    std::span<const std::uint8_t> bytes);

enum class NameErrc : std::uint8_t {
  no_name,     ///< the client names no server
  other_name,  ///< it names another one than it asked for
  encrypted,   ///< TL3: it may name another one where nobody can see it
};

/// TL3: the name is that of the host asked for, and no other can hide. A client that asked for an
/// address names nothing. Nothing: it may pass.
[[nodiscard]] std::optional<NameErrc> check_name(const Host& asked,
                                                 const ClientHello& hello) noexcept;

}  // namespace pmg::domain
