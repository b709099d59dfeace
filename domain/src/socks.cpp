#include "domain/socks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "domain/host.hpp"
#include "domain/ip_address.hpp"

namespace pmg::domain {
namespace {

constexpr std::uint8_t kVersion = 5;
constexpr std::uint8_t kLoginVersion = 1;
constexpr std::uint8_t kLoginMethod = 2;
constexpr std::uint8_t kConnect = 1;
constexpr std::uint8_t kTypeV4 = 1;
constexpr std::uint8_t kTypeName = 3;
constexpr std::uint8_t kTypeV6 = 4;

std::uint8_t byte_at(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<std::uint8_t>(bytes[at]);
}

template <class Array>
IpAddress address_of(std::string_view bytes) noexcept {
  Array out{};
  std::ranges::transform(bytes.substr(0, out.size()), out.begin(),
                         [](char c) { return static_cast<std::uint8_t>(c); });
  return IpAddress::from(out);
}

tl::expected<Host, SocksErrc> host_of(std::uint8_t type, std::string_view bytes) {
  if (type == kTypeV4) {
    return Host(address_of<IpAddress::V4>(bytes));
  }
  if (type == kTypeV6) {
    return Host(address_of<IpAddress::V6>(bytes));
  }
  if (const auto address = IpAddress::parse(bytes)) {
    return Host(*address);
  }
  return parse_host(bytes).map_error([](HostErrc) { return SocksErrc::bad_address; });
}

/// Where the address starts, and its length. A length of 0: more bytes are needed.
struct Extent {
  std::size_t begin;
  std::size_t length;
};

tl::expected<Extent, SocksErrc> extent_of(std::string_view bytes) noexcept {
  constexpr std::size_t kHeader = 4;
  const std::uint8_t type = byte_at(bytes, 3);
  if (type == kTypeV4 || type == kTypeV6) {
    return Extent{kHeader, type == kTypeV4 ? IpAddress::V4{}.size() : IpAddress::V6{}.size()};
  }
  if (type != kTypeName || (bytes.size() > kHeader && byte_at(bytes, kHeader) == 0)) {
    return tl::unexpected(SocksErrc::bad_address);
  }
  return Extent{kHeader + 1, bytes.size() > kHeader ? byte_at(bytes, kHeader) : std::size_t{0}};
}

}  // namespace

tl::expected<std::optional<SocksGreeting>, SocksErrc> parse_socks_greeting(
    std::string_view bytes) noexcept {
  if (!bytes.empty() && byte_at(bytes, 0) != kVersion) {
    return tl::unexpected(SocksErrc::bad_version);
  }
  if (bytes.size() < 2 || bytes.size() < std::size_t{2} + byte_at(bytes, 1)) {
    return std::nullopt;
  }
  const std::string_view methods = bytes.substr(2, byte_at(bytes, 1));
  if (methods.find(static_cast<char>(kLoginMethod)) == std::string_view::npos) {
    return tl::unexpected(SocksErrc::no_login_offered);
  }
  return SocksGreeting{2 + methods.size()};
}

tl::expected<std::optional<SocksLogin>, SocksErrc> parse_socks_login(
    std::string_view bytes) noexcept {
  if (!bytes.empty() && byte_at(bytes, 0) != kLoginVersion) {
    return tl::unexpected(SocksErrc::bad_version);
  }
  if (bytes.size() < 2) {
    return std::nullopt;
  }
  const std::size_t user = byte_at(bytes, 1);
  if (bytes.size() < 3 + user) {
    return std::nullopt;
  }
  const std::size_t password = byte_at(bytes, 2 + user);
  if (bytes.size() < 3 + user + password) {
    return std::nullopt;
  }
  return SocksLogin{bytes.substr(2, user), bytes.substr(3 + user, password), 3 + user + password};
}

tl::expected<std::optional<SocksRequest>, SocksErrc> parse_socks_request(std::string_view bytes) {
  if (!bytes.empty() && byte_at(bytes, 0) != kVersion) {
    return tl::unexpected(SocksErrc::bad_version);
  }
  if (bytes.size() >= 2 && byte_at(bytes, 1) != kConnect) {
    return tl::unexpected(SocksErrc::unsupported_command);
  }
  constexpr std::size_t kHeader = 4;
  if (bytes.size() < kHeader) {
    return std::nullopt;
  }
  const auto extent = extent_of(bytes);
  if (!extent) {
    return tl::unexpected(extent.error());
  }
  const std::size_t end = extent->begin + extent->length;
  if (extent->length == 0 || bytes.size() < end + 2) {
    return std::nullopt;
  }
  auto host = host_of(byte_at(bytes, 3), bytes.substr(extent->begin, extent->length));
  if (!host) {
    return tl::unexpected(host.error());
  }
  const auto port =
      Port::from(static_cast<std::uint16_t>(byte_at(bytes, end) << 8U | byte_at(bytes, end + 1)));
  if (!port) {
    return tl::unexpected(SocksErrc::bad_port);
  }
  return SocksRequest{Destination{std::move(*host), *port}, end + 2};
}

}  // namespace pmg::domain
