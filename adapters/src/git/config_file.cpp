#include "adapters/git/config_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/ascii.hpp"

namespace pmg::adapters {

namespace {

bool same_word(std::string_view one, std::string_view other) noexcept {
  return std::ranges::equal(one, other, {}, domain::lower, domain::lower);
}

bool is_key_character(char character) noexcept {
  const char small = domain::lower(character);
  return (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') || small == '-' ||
         small == '.';
}

bool is_blank(char character) noexcept { return character == ' ' || character == '\t'; }

struct Section {
  std::string_view name;
  bool has_subsection = false;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept : rest_(text) {}

  /// Calls `take(section, key, value)` for each value.
  template <class Take>
  void each(Take take) {
    while (!rest_.empty()) {
      skip_space();
      if (rest_.empty()) {
        break;
      }
      if (peek() == '#' || peek() == ';') {
        skip_line();
      } else if (peek() == '[') {
        read_section();
      } else {
        const std::string_view name = take_while(is_key_character);
        std::optional<std::string> value = read_value();
        if (value) {
          take(section_, name, *std::move(value));
        }
      }
    }
  }

 private:
  [[nodiscard]] char peek() const noexcept { return rest_.empty() ? '\n' : rest_.front(); }

  void skip_space() {
    const std::size_t start = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(start, rest_.size()));
  }

  void skip_line() {
    const std::size_t end = rest_.find('\n');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  }

  template <class Accept>
  std::string_view take_while(Accept accept) {
    const auto end = std::ranges::find_if_not(rest_, accept);
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  /// `[name]` or `[name "subsection"]`; what is malformed has no name.
  void read_section() {
    rest_.remove_prefix(1);
    section_ = {take_while(is_key_character), false};
    take_while(is_blank);
    if (peek() == '"') {
      section_.has_subsection = true;
      rest_.remove_prefix(1);
      while (!rest_.empty() && peek() != '"' && peek() != '\n') {
        rest_.remove_prefix(peek() == '\\' && rest_.size() > 1 ? 2 : 1);
      }
      rest_.remove_prefix(peek() == '"' ? 1 : 0);
    }
    if (peek() == ']') {
      rest_.remove_prefix(1);  // a key may follow on the same line
    } else {
      section_ = {};
      skip_line();
    }
  }

  /// From behind the key to behind the end of the line; empty where the line is malformed.
  std::optional<std::string> read_value() {
    take_while(is_blank);
    if (peek() == '\r' || peek() == '\n' || peek() == '#' || peek() == ';') {
      skip_line();
      return std::string();
    }
    if (peek() != '=') {
      skip_line();
      return std::nullopt;
    }
    rest_.remove_prefix(1);
    take_while(is_blank);
    return read_text();
  }

  struct Value {
    std::string text;
    std::size_t kept = 0;  ///< trailing blanks outside quotes do not belong to the value
    bool is_quoted = false;
  };
  enum class Next : std::uint8_t { more, end, broken };

  Next take_character(Value& value) {
    const char character = peek();
    rest_.remove_prefix(1);
    if (character == '"') {
      value.is_quoted = !value.is_quoted;
      value.kept = value.text.size();
      return Next::more;
    }
    if (character == '\\') {
      const Next next = read_escape(value.text) ? Next::more : Next::broken;
      value.kept = value.text.size();
      return next;
    }
    if (!value.is_quoted && (character == '#' || character == ';')) {
      return Next::end;
    }
    value.text += character;
    if (value.is_quoted || (!is_blank(character) && character != '\r')) {
      value.kept = value.text.size();
    }
    return Next::more;
  }

  std::optional<std::string> read_text() {
    Value value;
    Next next = Next::more;
    while (next == Next::more && !rest_.empty() && peek() != '\n') {
      next = take_character(value);
    }
    skip_line();
    if (next == Next::broken || value.is_quoted) {
      return std::nullopt;
    }
    value.text.resize(value.kept);
    return std::move(value.text);
  }

  bool read_escape(std::string& out) {
    const char character = peek();
    rest_.remove_prefix(rest_.empty() ? 0 : 1);
    switch (character) {
      case '\n':
        return true;  // the value goes on in the next line
      case 't':
        out += '\t';
        return true;
      case 'n':
        out += '\n';
        return true;
      case 'b':
        out += '\b';
        return true;
      case '\\':
      case '"':
        out += character;
        return true;
      default:
        return false;
    }
  }

  std::string_view rest_;
  Section section_;
};

}  // namespace

std::optional<std::string> git_value(std::string_view text, std::string_view section,
                                     std::string_view key) {
  std::optional<std::string> found;
  Scanner(text).each([&](const Section& in, std::string_view name, std::string value) {
    if (!in.has_subsection && same_word(in.name, section) && same_word(name, key)) {
      found = std::move(value);
    }
  });
  return found;
}

std::vector<std::string> git_includes(std::string_view text) {
  std::vector<std::string> files;
  Scanner(text).each([&](const Section& in, std::string_view name, std::string value) {
    const std::string_view section = in.has_subsection ? "includeIf" : "include";
    if (same_word(in.name, section) && same_word(name, "path") && !value.empty()) {
      files.push_back(std::move(value));
    }
  });
  return files;
}

}  // namespace pmg::adapters
