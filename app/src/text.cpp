#include "text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include <unistd.h>

namespace pmg::app {
namespace {

bool is_continuation(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

/// The length of the UTF-8 sequence that `first` opens; 0 where it opens none.
std::size_t sequence_length(unsigned char first) noexcept {
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first < 0xE0) {
    return 2;
  }
  if (first >= 0xE0 && first < 0xF0) {
    return 3;
  }
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

/// The length of the printable character that `text` starts with; 0 where there is none.
std::size_t printable_length(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = sequence_length(first);
  if (length == 0 || length > text.size() || first < 0x20 || first == 0x7F) {
    return 0;
  }
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                   is_continuation)) {
    return 0;
  }
  const bool is_c1 = first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
  return is_c1 ? 0 : length;
}

std::string hex_escape(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
}

bool is_plain(char c) noexcept {
  constexpr std::string_view kPlain = "_-./:=@%+,";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != std::string_view::npos;
}

bool write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    if (length == 0) {
      out += hex_escape(static_cast<unsigned char>(text.front()));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string quoted(std::string_view text) { return "`" + visible(text) + "`"; }

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : visible(text)) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

void complain(std::string_view message) {
  // Where even standard error fails there is nobody left to tell.
  (void)write_all(STDERR_FILENO, "pmg: " + std::string(message) + "\n");
}

bool print(std::string_view text) { return write_all(STDOUT_FILENO, text); }

}  // namespace pmg::app
