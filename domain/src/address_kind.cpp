// What kind of place an address is: the registries of IANA for special purposes (RFC 6890 and its
// successors, as of 2024), and the services that clouds answer at fixed addresses.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "domain/ip_address.hpp"

namespace pmg::domain {
namespace {

template <std::size_t n>
struct Range {
  std::array<std::uint8_t, n> prefix;
  unsigned bits;
  AddressKind kind;
};
using Range4 = Range<4>;
using Range6 = Range<16>;

/// The first that holds the address counts.
constexpr std::array kRanges4{
    // Metadata services: AWS, Azure, GCP and others; ECS; EKS; Oracle; Alibaba; Azure's agent.
    Range4{{169, 254, 169, 254}, 32, AddressKind::metadata},
    Range4{{169, 254, 170, 2}, 32, AddressKind::metadata},
    Range4{{169, 254, 170, 23}, 32, AddressKind::metadata},
    Range4{{192, 0, 0, 192}, 32, AddressKind::metadata},
    Range4{{100, 100, 100, 200}, 32, AddressKind::metadata},
    Range4{{168, 63, 129, 16}, 32, AddressKind::metadata},
    Range4{{0, 0, 0, 0}, 8, AddressKind::unspecified},
    Range4{{10, 0, 0, 0}, 8, AddressKind::private_network},
    Range4{{100, 64, 0, 0}, 10, AddressKind::shared},
    Range4{{127, 0, 0, 0}, 8, AddressKind::loopback},
    Range4{{169, 254, 0, 0}, 16, AddressKind::link_local},
    Range4{{172, 16, 0, 0}, 12, AddressKind::private_network},
    Range4{{192, 0, 0, 0}, 24, AddressKind::reserved},    // protocol assignments
    Range4{{192, 0, 2, 0}, 24, AddressKind::reserved},    // documentation
    Range4{{192, 88, 99, 0}, 24, AddressKind::reserved},  // relays of 6to4, given up
    Range4{{192, 168, 0, 0}, 16, AddressKind::private_network},
    Range4{{198, 18, 0, 0}, 15, AddressKind::reserved},    // benchmarks
    Range4{{198, 51, 100, 0}, 24, AddressKind::reserved},  // documentation
    Range4{{203, 0, 113, 0}, 24, AddressKind::reserved},   // documentation
    Range4{{224, 0, 0, 0}, 4, AddressKind::multicast},
    Range4{{240, 0, 0, 0}, 4, AddressKind::reserved},  // and the broadcast
};

/// The first that holds the address counts; what none holds is reserved.
constexpr std::array kRanges6{
    Range6{{0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54},
           128,  // AWS
           AddressKind::metadata},
    Range6{{0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x23},
           128,  // EKS
           AddressKind::metadata},
    Range6{{0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54},
           128,  // GCP
           AddressKind::metadata},
    Range6{{}, 128, AddressKind::unspecified},
    Range6{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, AddressKind::loopback},
    Range6{{0xfc}, 7, AddressKind::private_network},
    Range6{{0xfe, 0x80}, 10, AddressKind::link_local},
    Range6{{0xfe, 0xc0}, 10, AddressKind::private_network},
    Range6{{0xff}, 8, AddressKind::multicast},
    Range6{{0x20, 0x01}, 23, AddressKind::reserved},              // protocols, Teredo, ORCHID
    Range6{{0x20, 0x01, 0x0d, 0xb8}, 32, AddressKind::reserved},  // documentation
    Range6{{0x20, 0x02}, 16, AddressKind::reserved},              // 6to4, given up
    Range6{{0x3f, 0xff}, 20, AddressKind::reserved},              // documentation
    Range6{{0x20}, 3, AddressKind::global},
};

template <std::size_t n>
bool is_within(std::span<const std::uint8_t> address, const Range<n>& range) noexcept {
  for (unsigned bit = 0; bit < range.bits; bit += 8) {
    const unsigned left = std::min(range.bits - bit, 8U);
    const unsigned mask = 0xffU << (8U - left) & 0xffU;
    if (((address[bit / 8] ^ range.prefix[bit / 8]) & mask) != 0) {
      return false;
    }
  }
  return true;
}

template <class Ranges>
AddressKind kind_in(const Ranges& ranges, std::span<const std::uint8_t> address,
                    AddressKind otherwise) noexcept {
  const auto* const found =
      std::ranges::find_if(ranges, [&](const auto& range) { return is_within(address, range); });
  return found == ranges.end() ? otherwise : found->kind;
}

/// Where the IPv4 address is, in the addresses of this prefix.
struct Embedding {
  IpAddress::V6 prefix;
  unsigned bits;
  std::size_t at;
  /// A translator of the network carries it there; the others are tunnels that are given up.
  bool is_translated;
};

constexpr std::array kEmbeddings{
    Embedding{{0, 0x64, 0xff, 0x9b}, 96, 12, true},                  // NAT64 (RFC 6052)
    Embedding{{0, 0x64, 0xff, 0x9b, 0, 1}, 48, 12, false},           // its local prefix (RFC 8215)
    Embedding{{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, 12, false},  // SIIT (RFC 2765)
    Embedding{{}, 96, 12, false},                                    // IPv4-compatible
    Embedding{{0x20, 0x02}, 16, 2, false},                           // 6to4 (RFC 3056)
};

const Embedding* embedding_of(const IpAddress& address) noexcept {
  if (address.is_v4()) {
    return nullptr;
  }
  const auto* const found = std::ranges::find_if(kEmbeddings, [&](const Embedding& embedding) {
    return is_within(address.bytes(),
                     Range6{embedding.prefix, embedding.bits, AddressKind::reserved});
  });
  return found == kEmbeddings.end() ? nullptr : found;
}

}  // namespace

std::optional<IpAddress> IpAddress::embedded_v4() const noexcept {
  const Embedding* const embedding = embedding_of(*this);
  if (embedding == nullptr) {
    return std::nullopt;
  }
  const std::size_t at = embedding->at;
  return from(V4{bytes_[at], bytes_[at + 1], bytes_[at + 2], bytes_[at + 3]});
}

AddressKind IpAddress::kind() const noexcept {
  if (is_v4_) {
    return kind_in(kRanges4, bytes_, AddressKind::global);
  }
  const AddressKind own = kind_in(kRanges6, bytes_, AddressKind::reserved);
  const Embedding* const embedding = embedding_of(*this);
  if (own != AddressKind::reserved || embedding == nullptr) {
    return own;
  }
  const AddressKind inner = embedded_v4()->kind();
  return inner == AddressKind::global && !embedding->is_translated ? AddressKind::reserved : inner;
}

const char* to_words(AddressKind kind) noexcept {
  switch (kind) {
    case AddressKind::global:
      return "a public address";
    case AddressKind::unspecified:
      return "no address of a host";
    case AddressKind::loopback:
      return "this machine";
    case AddressKind::private_network:
      return "a private network";
    case AddressKind::shared:
      return "a network of the provider";
    case AddressKind::link_local:
      return "a link-local address";
    case AddressKind::metadata:
      return "a metadata service";
    case AddressKind::multicast:
      return "a multicast address";
    case AddressKind::reserved:
      return "a reserved address";
  }
  return "";
}

}  // namespace pmg::domain
