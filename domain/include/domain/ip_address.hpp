/// IP addresses as values, and what kind of place each is.
///
///   auto address = IpAddress::parse("::ffff:10.0.0.1");   // optional<IpAddress>; 10.0.0.1
///   address->kind();                                      // AddressKind::private_network
///
/// IA1: one address has one value: an IPv4 address in IPv6 clothes (RFC 4291 section 2.5.5.2) is
/// the IPv4 address. Not for: zones (`fe80::1%eth0`), which name an interface of one machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pmg::domain {

/// Where an address leads. Only `global` is the Internet at large; all others are a place that the
/// machine reaches because of where it stands.
enum class AddressKind : std::uint8_t {
  global,
  unspecified,      ///< 0.0.0.0/8, ::; Linux takes it for this machine
  loopback,         ///< 127.0.0.0/8, ::1
  private_network,  ///< RFC 1918, fc00::/7, fec0::/10
  shared,           ///< 100.64.0.0/10, of providers (RFC 6598)
  link_local,       ///< 169.254.0.0/16, fe80::/10
  metadata,         ///< where clouds hand out credentials of the machine
  multicast,        ///< 224.0.0.0/4, ff00::/8
  reserved,         ///< all other ranges that are not for hosts, and tunnels (6to4, Teredo)
};

class IpAddress {
 public:
  using V4 = std::array<std::uint8_t, 4>;
  using V6 = std::array<std::uint8_t, 16>;

  [[nodiscard]] static IpAddress from(const V4& bytes) noexcept;
  /// A mapped IPv4 address becomes that address.
  [[nodiscard]] static IpAddress from(const V6& bytes) noexcept;
  /// IA2: `1.2.3.4` with four decimal numbers without leading zeros, or RFC 4291 section 2.2
  /// without brackets and zone. Nothing else: no `127.1`, no `0x7f000001`, no `010.0.0.1`.
  [[nodiscard]] static std::optional<IpAddress> parse(std::string_view text) noexcept;

  [[nodiscard]] bool is_v4() const noexcept { return is_v4_; }
  /// Of an IPv4 address: the first four bytes, the others are zero.
  [[nodiscard]] const V6& bytes() const noexcept { return bytes_; }
  /// RFC 5952, without brackets.
  [[nodiscard]] std::string text() const;

  /// IA3: by the registries of IANA for special purposes. An address that carries an IPv4 address
  /// to a translator (NAT64, RFC 6052) is of that one's kind. A prefix of one's own for NAT64
  /// cannot be known.
  [[nodiscard]] AddressKind kind() const noexcept;
  /// The IPv4 address that a translator or a tunnel would make of this IPv6 address: NAT64, SIIT,
  /// 6to4, IPv4-compatible.
  [[nodiscard]] std::optional<IpAddress> embedded_v4() const noexcept;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;

 private:
  IpAddress(const V6& bytes, bool is_v4) noexcept : bytes_(bytes), is_v4_(is_v4) {}
  V6 bytes_;
  bool is_v4_;
};

/// "a private network", "a metadata service", …: for messages.
[[nodiscard]] const char* to_words(AddressKind kind) noexcept;

}  // namespace pmg::domain
