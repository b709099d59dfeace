#include "text_checks.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

#include "adapters/yaml/yaml_node.hpp"
#include "domain/utf8.hpp"

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

std::optional<YamlError> check_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const auto character = domain::first_character(text.substr(offset));
    if (!character) {
      return YamlError{YamlErrc::not_utf8, mark_at(text, offset), {}};
    }
    offset += character->length;
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
