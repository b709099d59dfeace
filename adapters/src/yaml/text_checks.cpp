#include "text_checks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/yaml/yaml_node.hpp"

namespace pmg::adapters {

namespace {

Mark mark_at(std::string_view text, std::size_t offset) {
  Mark mark{1, 1};
  for (const char byte : text.substr(0, offset)) {
    if (byte == '\n') {
      ++mark.line;
      mark.column = 1;
    } else {
      ++mark.column;
    }
  }
  return mark;
}

/// Length of the well-formed sequence at the start of `rest`; 0 where it is malformed (Unicode
/// 15, table 3-7).
std::size_t utf8_length(std::string_view rest) noexcept {
  const auto byte = [rest](std::size_t index) {
    return index < rest.size() ? static_cast<std::uint8_t>(rest[index]) : std::uint8_t{0};
  };
  const auto follows = [&byte](std::size_t index, std::uint8_t low, std::uint8_t high) {
    return byte(index) >= low && byte(index) <= high;
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return follows(1, 0x80, 0xBF) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    const std::uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;
    const std::uint8_t high = lead == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const std::uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
    const std::uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) && follows(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

std::optional<YamlError> check_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t length = utf8_length(text.substr(offset));
    if (length == 0) {
      return YamlError{YamlErrc::not_utf8, mark_at(text, offset), {}};
    }
    offset += length;
  }
  return std::nullopt;
}

/// Blank lines and comments may hold tabs: they indent nothing.
std::optional<YamlError> check_tabs(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    const std::string_view line =
        text.substr(start, end == std::string_view::npos ? end : end - start);
    const std::size_t content = line.find_first_not_of(" \t\r");
    const std::size_t tab = line.find('\t');
    if (content != std::string_view::npos && line[content] != '#' && tab < content) {
      return YamlError{YamlErrc::tab_indentation, mark_at(text, start + tab), {}};
    }
    if (end == std::string_view::npos) {
      break;
    }
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<YamlError> check_text(std::string_view text) {
  if (text.size() > kMaxYamlBytes) {
    return YamlError{YamlErrc::too_large, {}, {}};
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return YamlError{YamlErrc::nul_byte, mark_at(text, nul), {}};
  }
  if (auto error = check_utf8(text)) {
    return error;
  }
  return check_tabs(text);
}

}  // namespace pmg::adapters
