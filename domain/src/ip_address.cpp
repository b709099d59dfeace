// The text of addresses: RFC 4291 section 2.2 in, RFC 5952 out.
#include "domain/ip_address.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pmg::domain {
namespace {

constexpr std::size_t kGroups = 8;
using Groups = std::array<std::uint16_t, kGroups>;

std::optional<std::uint8_t> octet(std::string_view text) noexcept {
  constexpr std::size_t kMaxDigits = 3;
  constexpr unsigned kMax = 255;
  if (text.empty() || text.size() > kMaxDigits || (text.size() > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  unsigned value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value <= kMax ? std::optional(static_cast<std::uint8_t>(value)) : std::nullopt;
}

std::optional<IpAddress::V4> parse_v4(std::string_view text) noexcept {
  IpAddress::V4 bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t dot = text.find('.');
    const bool is_last = i + 1 == bytes.size();
    const auto value = octet(text.substr(0, dot));
    if (!value || (dot == std::string_view::npos) != is_last) {
      return std::nullopt;
    }
    bytes[i] = *value;
    text.remove_prefix(is_last ? text.size() : dot + 1);
  }
  return bytes;
}

std::optional<std::uint16_t> group(std::string_view text) noexcept {
  constexpr std::size_t kMaxDigits = 4;
  if (text.empty() || text.size() > kMaxDigits) {
    return std::nullopt;
  }
  unsigned value = 0;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_lower = c >= 'a' && c <= 'f';
    const bool is_upper = c >= 'A' && c <= 'F';
    if (!is_digit && !is_lower && !is_upper) {
      return std::nullopt;
    }
    const int digit = is_digit ? c - '0' : (is_lower ? c - 'a' : c - 'A') + 10;
    value = value * 16 + static_cast<unsigned>(digit);
  }
  return static_cast<std::uint16_t>(value);
}

/// Groups on one side of `::`.
struct Side {
  Groups groups{};
  std::size_t count = 0;
};

enum class Dotted : std::uint8_t { allowed_last, never };

/// `1.2.3.4` as two groups.
std::optional<Side> with_dotted(Side side, std::string_view text) noexcept {
  const auto v4 = parse_v4(text);
  if (!v4 || side.count + 2 > kGroups) {
    return std::nullopt;
  }
  side.groups[side.count++] = static_cast<std::uint16_t>((*v4)[0] << 8U | (*v4)[1]);
  side.groups[side.count++] = static_cast<std::uint16_t>((*v4)[2] << 8U | (*v4)[3]);
  return side;
}

/// `a:b:1.2.3.4`, or nothing at all.
std::optional<Side> parse_side(std::string_view text, Dotted dotted) noexcept {
  Side side;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    const bool is_last = colon == std::string_view::npos;
    if (is_last && dotted == Dotted::allowed_last && part.find('.') != std::string_view::npos) {
      return with_dotted(side, part);
    }
    const auto value = group(part);
    if (!value || side.count == kGroups) {
      return std::nullopt;
    }
    side.groups[side.count++] = *value;
    text.remove_prefix(is_last ? text.size() : colon + 1);
    if (!is_last && text.empty()) {
      return std::nullopt;  // ends in a single colon
    }
  }
  return side;
}

IpAddress::V6 to_bytes(const Groups& groups) noexcept {
  IpAddress::V6 bytes{};
  for (std::size_t i = 0; i < kGroups; ++i) {
    bytes[2 * i] = static_cast<std::uint8_t>(groups[i] >> 8U);
    bytes[2 * i + 1] = static_cast<std::uint8_t>(groups[i] & 0xffU);
  }
  return bytes;
}

std::optional<IpAddress::V6> parse_v6(std::string_view text) noexcept {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    const auto all = parse_side(text, Dotted::allowed_last);
    return all && all->count == kGroups ? std::optional(to_bytes(all->groups)) : std::nullopt;
  }
  const auto head = parse_side(text.substr(0, gap), Dotted::never);
  const auto tail = parse_side(text.substr(gap + 2), Dotted::allowed_last);
  if (!head || !tail || head->count + tail->count >= kGroups) {
    return std::nullopt;  // `::` stands for at least one group
  }
  Groups groups = head->groups;
  std::copy_n(tail->groups.begin(), tail->count,
              groups.end() - static_cast<std::ptrdiff_t>(tail->count));
  return to_bytes(groups);
}

void append_decimal(std::string& out, std::uint8_t value) { out += std::to_string(value); }

void append_hex(std::string& out, std::uint16_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  bool has_begun = false;
  for (unsigned shift = 16; shift > 0;) {
    shift -= 4;
    const auto digit = static_cast<std::size_t>(value >> shift & 0xfU);
    has_begun = has_begun || digit != 0 || shift == 0;
    if (has_begun) {
      out += kDigits[digit];
    }
  }
}

/// The longest run of zero groups, the first of equal ones; none is shorter than two.
struct Gap {
  std::size_t begin = kGroups;
  std::size_t length = 0;
};

Gap longest_gap(const Groups& groups) noexcept {
  Gap best;
  for (std::size_t i = 0; i < kGroups;) {
    std::size_t end = i;
    while (end < kGroups && groups[end] == 0) {
      ++end;
    }
    if (end - i >= 2 && end - i > best.length) {
      best = {i, end - i};
    }
    i = std::max(end, i + 1);
  }
  return best;
}

std::string print_v6(const IpAddress::V6& bytes) {
  Groups groups{};
  for (std::size_t i = 0; i < kGroups; ++i) {
    groups[i] = static_cast<std::uint16_t>(bytes[2 * i] << 8U | bytes[2 * i + 1]);
  }
  const Gap gap = longest_gap(groups);
  std::string out;
  for (std::size_t i = 0; i < kGroups;) {
    if (i == gap.begin) {
      out += "::";
      i += gap.length;
      continue;
    }
    if (!out.empty() && out.back() != ':') {
      out += ':';
    }
    append_hex(out, groups[i]);
    ++i;
  }
  return out;
}

}  // namespace

IpAddress IpAddress::from(const V4& bytes) noexcept {
  V6 all{};
  std::ranges::copy(bytes, all.begin());
  return IpAddress(all, true);
}

IpAddress IpAddress::from(const V6& bytes) noexcept {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) {
    return from(V4{bytes[12], bytes[13], bytes[14], bytes[15]});
  }
  return IpAddress(bytes, false);
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) noexcept {
  if (text.find(':') == std::string_view::npos) {
    const auto bytes = parse_v4(text);
    return bytes ? std::optional(from(*bytes)) : std::nullopt;
  }
  const auto bytes = parse_v6(text);
  return bytes ? std::optional(from(*bytes)) : std::nullopt;
}

std::string IpAddress::text() const {
  if (!is_v4_) {
    return print_v6(bytes_);
  }
  std::string out;
  for (std::size_t i = 0; i < V4{}.size(); ++i) {
    out += i == 0 ? "" : ".";
    append_decimal(out, bytes_[i]);
  }
  return out;
}

}  // namespace pmg::domain
