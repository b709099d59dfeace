#include "domain/escaped.hpp"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ascii.hpp"
#include "domain/utf8.hpp"

namespace pmg::domain {
namespace {

constexpr std::size_t kEscapeLength = 4;  // \xNN
/// A malformed byte is escaped alone, a character that `is_unwanted` with all its bytes.
template <class Predicate>
std::string without(std::string_view bytes, Predicate is_unwanted) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto character = first_character(bytes);
    const std::string_view first = bytes.substr(0, character ? character->length : 1);
    if (character && !is_unwanted(character->code)) {
      out += first;
    } else {
      for (const char byte : first) {
        append_escape(out, byte);
      }
    }
    bytes.remove_prefix(first.size());
  }
  return out;
}

/// The byte that `text` starts with as `\xNN`.
std::optional<char> first_escape(std::string_view text) noexcept {
  if (text.size() < kEscapeLength || text[1] != 'x') {
    return std::nullopt;
  }
  unsigned value = 0;
  const char* const end = text.data() + kEscapeLength;
  const auto read = std::from_chars(text.data() + 2, end, value, 16);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(static_cast<char>(value))
                                                   : std::nullopt;
}

}  // namespace

void append_escape(std::string& out, char byte) {
  out += "\\x";
  append_hex(out, static_cast<unsigned char>(byte));
}

std::string escaped(std::string_view bytes) {
  return without(bytes, [](char32_t code) { return is_invisible(code) || code == U'\\'; });
}

std::string visible(std::string_view bytes) { return without(bytes, is_invisible); }

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (text.front() != '\\') {
      const std::size_t length = text.find('\\');
      out += text.substr(0, length);
      text.remove_prefix(length == std::string_view::npos ? text.size() : length);
      continue;
    }
    const auto byte = first_escape(text);
    if (!byte) {
      return std::nullopt;
    }
    out += *byte;
    text.remove_prefix(kEscapeLength);
  }
  return out;
}

}  // namespace pmg::domain
