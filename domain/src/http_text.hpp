/// The alphabet of HTTP/1.1 (RFC 9110 section 5.6).
#pragma once

#include <string_view>

namespace pmg::domain {

/// A byte of a token, such as a method or the name of a header.
[[nodiscard]] bool is_token_byte(char c) noexcept;
/// At least one byte, all of them of a token.
[[nodiscard]] bool is_token(std::string_view text) noexcept;
/// No control character but the tabulator.
[[nodiscard]] bool is_field_text(std::string_view text) noexcept;
/// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
/// In any case of ASCII letters.
[[nodiscard]] bool same_word(std::string_view a, std::string_view b) noexcept;

}  // namespace pmg::domain
