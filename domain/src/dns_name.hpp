/// The text of DNS names, for rules and for what programs ask for.
#pragma once

#include <string_view>

namespace pmg::domain {

/// One or more labels of letters, digits, `-` and `_` (RFC 1123 section 2.1; `_` is in names of
/// services), each of 1 … 63 bytes without `-` at either end, 253 bytes in all (RFC 1035 section
/// 2.3.4). No final dot.
[[nodiscard]] bool is_dns_name(std::string_view text) noexcept;

/// The last label is a number in some spelling (`1`, `0x7f`, `017`). Resolvers of programs read
/// such a text as an IPv4 address (URL Standard, "ends in a number"), so it is never a name.
[[nodiscard]] bool ends_in_number(std::string_view text) noexcept;

}  // namespace pmg::domain
