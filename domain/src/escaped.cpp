#include "domain/escaped.hpp"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "domain/utf8.hpp"

namespace pmg::domain {
namespace {

constexpr std::size_t kEscapeLength = 4;  // \xNN
constexpr std::string_view kDigits = "0123456789abcdef";

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    out += "\\x";
    out += kDigits[value >> 4U];
    out += kDigits[value & 0xFU];
  }
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

std::string escaped(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto character = first_character(bytes);
    const std::string_view first = bytes.substr(0, character ? character->length : 1);
    if (character && !is_invisible(character->code) && character->code != U'\\') {
      out += first;
    } else {
      append_escaped(out, first);
    }
    bytes.remove_prefix(first.size());
  }
  return out;
}

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
