#include "text_checks.hpp"

#include <algorithm>
#include <array>
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

/// One row of Unicode 15, table 3-7: which first byte starts how long a sequence, and which second
/// bytes it admits. All further bytes are 80 to BF.
struct SequenceForm {
  std::uint8_t first_low;
  std::uint8_t first_high;
  std::size_t length;
  std::uint8_t second_low;
  std::uint8_t second_high;
};

constexpr std::array kSequenceForms{
    SequenceForm{0x00, 0x7F, 1, 0x00, 0xFF}, SequenceForm{0xC2, 0xDF, 2, 0x80, 0xBF},
    SequenceForm{0xE0, 0xE0, 3, 0xA0, 0xBF}, SequenceForm{0xE1, 0xEC, 3, 0x80, 0xBF},
    SequenceForm{0xED, 0xED, 3, 0x80, 0x9F}, SequenceForm{0xEE, 0xEF, 3, 0x80, 0xBF},
    SequenceForm{0xF0, 0xF0, 4, 0x90, 0xBF}, SequenceForm{0xF1, 0xF3, 4, 0x80, 0xBF},
    SequenceForm{0xF4, 0xF4, 4, 0x80, 0x8F},
};

/// Length of the well-formed sequence at the start of `rest`; 0 where it is malformed.
std::size_t utf8_length(std::string_view rest) noexcept {
  const auto byte = [rest](std::size_t index) { return static_cast<std::uint8_t>(rest[index]); };
  const auto* const form = std::ranges::find_if(kSequenceForms, [&](const SequenceForm& row) {
    return byte(0) >= row.first_low && byte(0) <= row.first_high;
  });
  if (form == kSequenceForms.end() || rest.size() < form->length) {
    return 0;
  }
  if (form->length > 1 && (byte(1) < form->second_low || byte(1) > form->second_high)) {
    return 0;
  }
  for (std::size_t index = 2; index < form->length; ++index) {
    if (byte(index) < 0x80 || byte(index) > 0xBF) {
      return 0;
    }
  }
  return form->length;
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
