/// UTF-8, read one character at a time.
///
///   if (const auto character = first_character(text)) { text.remove_prefix(character->length); }
///
/// U1: what is not a row of table 3-7 of the Unicode standard is no character: no overlong forms,
/// no surrogates, at most U+10FFFF (RFC 3629).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace pmg::domain {

struct Utf8Character {
  char32_t code;
  std::size_t length;  ///< bytes, 1 to 4
};

/// The character that `text` starts with; nothing where it is empty or malformed there.
[[nodiscard]] std::optional<Utf8Character> first_character(std::string_view text) noexcept;

/// Whether `code` moves the cursor, reorders or hides text, or shows nothing: controls (C0, DEL,
/// C1), line and paragraph separators, bidirectional and other format characters, fillers, tags.
[[nodiscard]] bool is_invisible(char32_t code) noexcept;

}  // namespace pmg::domain
