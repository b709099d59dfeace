#include "adapters/yaml/set_scalar.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/yaml_node.hpp"
#include "domain/escaped.hpp"

namespace pmg::adapters {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kIndent = 2;

using Keys = std::span<const std::string>;

/// `text[at, at + removed)` becomes `inserted`.
struct Splice {
  std::size_t at;
  std::size_t removed;
  std::string inserted;
};

std::string applied(std::string_view text, const Splice& splice) {
  return std::string(text.substr(0, splice.at)) + splice.inserted +
         std::string(text.substr(splice.at + splice.removed));
}

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_blank(text[at])) {
    ++at;
  }
  return at;
}

std::size_t offset_of(std::string_view text, const Mark& mark) noexcept {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < mark.line; ++line) {
    const auto end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  return std::min(at + mark.column - std::min(mark.column, 1U), text.size());
}

/// Whether plain text would be read as a boolean, a null or a number by this or another reader.
bool is_special_word(std::string text) {
  constexpr std::array<std::string_view, 9> kWords{"true", "false", "yes", "no", "on",
                                                   "off",  "null",  "y",   "n"};
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kWords, text) != kWords.end();
}

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_plain(std::string_view text) {
  constexpr std::string_view kOther = "0123456789_./-";
  return (is_letter(text.front()) || text.front() == '/' || text.starts_with("./")) &&
         std::ranges::all_of(
             text,
             [&](char c) { return is_letter(c) || kOther.find(c) != std::string_view::npos; }) &&
         !is_special_word(std::string(text));
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < ' ' || c == '\x7f') {
      domain::append_escape(out, c);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string written(std::string_view text) {
  return !text.empty() && is_plain(text) ? std::string(text) : in_quotes(text);
}

std::string written(const NewScalar& value) {
  return value.kind == ScalarText::literal ? value.text : written(value.text);
}

/// "{a: {b: value}}"
std::string as_flow(Keys keys, const NewScalar& value) {
  return keys.empty() ? written(value)
                      : "{" + written(keys.front()) + ": " + as_flow(keys.subspan(1), value) + "}";
}

/// Lines, one key each.
std::string as_lines(Keys keys, const NewScalar& value, std::size_t indent,
                     std::string_view line_end) {
  std::string out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    out += std::string(indent + i * kIndent, ' ') + written(keys[i]) + ":";
    out +=
        i + 1 < keys.size() ? std::string(line_end) : " " + written(value) + std::string(line_end);
  }
  return out;
}

/// The bytes of a scalar that is written on one line; empty otherwise.
std::optional<std::size_t> length_of(std::string_view source, const YamlNode& scalar) {
  if (scalar.style == ScalarStyle::plain) {
    return scalar.text.size();
  }
  const char quote = source.empty() ? '\0' : source.front();
  if (scalar.style == ScalarStyle::folded || (quote != '"' && quote != '\'')) {
    return std::nullopt;
  }
  for (std::size_t i = 1; i < source.size() && source[i] != '\n'; ++i) {
    if (quote == '"' ? source[i] == '\\' : source.substr(i).starts_with("''")) {
      ++i;
    } else if (source[i] == quote) {
      return i + 1;
    }
  }
  return std::nullopt;
}

/// Where the value of a key without one belongs: behind the colon. An explicit null is replaced.
std::optional<Splice> fill(std::string_view text, const YamlEntry& entry,
                           const std::string& value) {
  std::size_t at = offset_of(text, entry.key_mark);
  const bool is_quoted = at < text.size() && (text[at] == '"' || text[at] == '\'');
  YamlNode key;
  key.text = entry.key;
  key.style = is_quoted ? ScalarStyle::quoted : ScalarStyle::plain;
  const auto length = length_of(text.substr(at), key);
  if (!length) {
    return std::nullopt;
  }
  at = skip_blanks(text, at + *length);
  if (at >= text.size() || text[at] != ':') {
    return std::nullopt;
  }
  ++at;
  const std::string_view rest = text.substr(skip_blanks(text, at));
  for (const std::string_view null : {"null", "Null", "NULL", "~"}) {
    if (rest.starts_with(null)) {
      return Splice{text.size() - rest.size(), null.size(), value};
    }
  }
  return Splice{at, 0, " " + value};
}

/// The ends of lines behind which a block mapping may go on: the last line with something in it,
/// and the last line at all (a block scalar may end with what looks like comments).
std::vector<std::size_t> ends_of_block(std::string_view text, const YamlNode& mapping) {
  const YamlEntry& last = mapping.entries.back();
  const std::size_t indent = last.key_mark.column - 1;
  std::size_t content = offset_of(text, last.key_mark);
  std::size_t all = content;
  bool is_first = true;
  for (std::size_t line = content; line < text.size(); is_first = false) {
    const auto found = text.find('\n', line);
    const std::size_t end = found == std::string_view::npos ? text.size() : found + 1;
    const std::size_t begin = skip_blanks(text, line);
    const bool says_nothing = begin >= text.size() || text[begin] == '\n' || text[begin] == '#';
    if (!is_first && !says_nothing && begin - line < indent) {
      break;
    }
    all = end;
    content = says_nothing && !is_first ? content : end;
    line = end;
  }
  return {content, all};
}

bool same(const YamlNode& a, const YamlNode& b) {
  return a.kind == b.kind && a.style == b.style && a.text == b.text &&
         std::ranges::equal(a.items, b.items, same) &&
         std::ranges::equal(a.entries, b.entries, [](const YamlEntry& x, const YamlEntry& y) {
           return x.key == y.key && same(x.value, y.value);
         });
}

/// The value at `path`; null where there is none.
const YamlNode* value_at(const YamlNode& tree, Keys path) {
  const YamlNode* node = &tree;
  for (const std::string& key : path) {
    node = node == nullptr ? nullptr : node->find(key);
  }
  return node;
}

/// Removes what is at `path`, and the mappings around it that hold nothing else.
void prune(YamlNode& node, Keys path) {
  const auto entry = std::ranges::find(node.entries, path.front(), &YamlEntry::key);
  if (entry == node.entries.end()) {
    return;
  }
  if (path.size() > 1) {
    prune(entry->value, path.subspan(1));
  }
  if (path.size() == 1 || (entry->value.entries.empty() && entry->value.items.empty() &&
                           entry->value.kind != YamlKind::scalar)) {
    node.entries.erase(entry);
  }
}

/// Whether `after` has `value` at `path` and is `before` otherwise.
bool is_only_change(YamlNode before, const std::string& text, Keys path, const NewScalar& value) {
  auto after = parse_yaml(text);
  if (!after) {
    return false;
  }
  const YamlNode* now = value_at(*after, path);
  const bool is_set = now != nullptr && now->kind == YamlKind::scalar && now->text == value.text &&
                      (value.kind == ScalarText::text || now->style == ScalarStyle::plain);
  prune(before, path);
  prune(*after, path);
  return is_set && same(before, *after);
}

class Setter {
 public:
  Setter(std::string_view text, Keys path, const NewScalar& value)
      : text_(text),
        path_(path),
        value_(value),
        line_end_(text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n") {}

  [[nodiscard]] tl::expected<std::string, SetError> set() const {
    const auto tree = parse_yaml(text_);
    if (!tree && tree.error().code == YamlErrc::empty) {
      YamlNode nothing;
      nothing.kind = YamlKind::mapping;
      return tried(nothing, {lines_at(text_.size(), path_, 0)}, {}, path_.front());
    }
    if (!tree) {
      return tl::unexpected(
          SetError{SetErrc::bad_yaml, tree.error().mark, path_.front(), tree.error()});
    }
    return descend(*tree);
  }

 private:
  [[nodiscard]] tl::expected<std::string, SetError> descend(const YamlNode& tree) const {
    const YamlNode* node = &tree;
    const YamlEntry* entry = nullptr;
    Keys rest = path_;
    while (!rest.empty() && node->kind == YamlKind::mapping) {
      const auto found = std::ranges::find(node->entries, rest.front(), &YamlEntry::key);
      if (found == node->entries.end()) {
        return tried(tree, additions(*node, rest), node->mark, rest.front());
      }
      entry = &*found;
      node = &entry->value;
      rest = rest.subspan(1);
    }
    const std::string subject = entry == nullptr ? path_.front() : entry->key;
    if (node->kind == YamlKind::null && entry != nullptr) {
      const auto filled = fill(text_, *entry, as_flow(rest, value_));
      return tried(tree, filled ? std::vector{*filled} : std::vector<Splice>(), entry->key_mark,
                   subject);
    }
    if (!rest.empty()) {
      return tl::unexpected(SetError{SetErrc::not_a_mapping, node->mark, subject, {}});
    }
    if (node->kind != YamlKind::scalar) {
      return tl::unexpected(SetError{SetErrc::not_a_scalar, node->mark, subject, {}});
    }
    const std::size_t at = offset_of(text_, node->mark);
    std::vector<Splice> replacements;
    if (const auto length = length_of(text_.substr(at), *node)) {
      replacements.push_back({at, *length, written(value_)});
    }
    return tried(tree, replacements, node->mark, subject);
  }

  /// The ways to add `keys` to a mapping.
  [[nodiscard]] std::vector<Splice> additions(const YamlNode& mapping, Keys keys) const {
    const std::size_t at = offset_of(text_, mapping.mark);
    if (at < text_.size() && text_[at] == '{') {
      std::string flow = as_flow(keys, value_);
      flow = flow.substr(1, flow.size() - 2);
      return {{at + 1, 0, flow + (mapping.entries.empty() ? "" : ", ")}};
    }
    std::vector<Splice> found;
    if (!mapping.entries.empty() && mapping.entries.back().key_mark.column != 0) {
      for (const std::size_t end : ends_of_block(text_, mapping)) {
        found.push_back(lines_at(end, keys, mapping.entries.back().key_mark.column - 1));
      }
    }
    return found;
  }

  [[nodiscard]] Splice lines_at(std::size_t at, Keys keys, std::size_t indent) const {
    const bool is_open = at > 0 && text_[at - 1] != '\n';
    const bool is_half_closed = is_open && text_[at - 1] == '\r';
    const std::string closing = is_half_closed ? "\n" : is_open ? line_end_ : "";
    return {at, 0, closing + as_lines(keys, value_, indent, line_end_)};
  }

  /// The first of `splices` that changes nothing else. What a splice does is not argued but looked
  /// at: YAML has more ways to write than anyone thinks of.
  [[nodiscard]] tl::expected<std::string, SetError> tried(const YamlNode& before,
                                                          const std::vector<Splice>& splices,
                                                          const Mark& mark,
                                                          const std::string& subject) const {
    for (const Splice& splice : splices) {
      std::string text = applied(text_, splice);
      if (is_only_change(before, text, path_, value_)) {
        return text;
      }
    }
    return tl::unexpected(SetError{SetErrc::not_in_place, mark, subject, {}});
  }

  std::string_view text_;
  Keys path_;
  const NewScalar& value_;
  std::string line_end_;
};

}  // namespace

tl::expected<std::string, SetError> set_scalar(std::string_view text,
                                               const std::vector<std::string>& path,
                                               const NewScalar& value) {
  const std::size_t mark = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (text.substr(mark).starts_with(kByteOrderMark)) {
    // The reader would take a second one away, and all positions with it.
    return tl::unexpected(SetError{SetErrc::not_in_place, {1, 1}, path.front(), {}});
  }
  auto changed = Setter(text.substr(mark), path, value).set();
  return std::move(changed).map(
      [&](const std::string& body) { return std::string(text.substr(0, mark)) + body; });
}

}  // namespace pmg::adapters
