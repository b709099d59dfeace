// The only file that includes yaml-cpp: its exceptions end here.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tl/expected.hpp>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "adapters/yaml/yaml_node.hpp"
#include "text_checks.hpp"

namespace pmg::adapters {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Mark mark_of(const YAML::Mark& mark) noexcept {
  if (mark.is_null()) {
    return {};
  }
  return {static_cast<std::uint32_t>(mark.line) + 1, static_cast<std::uint32_t>(mark.column) + 1};
}

/// Whether the quoted scalar at the start of `source` ends. Block scalars always do.
bool is_closed(std::string_view source) noexcept {
  const char quote = source.empty() ? '\0' : source.front();
  if (quote != '"' && quote != '\'') {
    return true;
  }
  for (std::size_t i = 1; i < source.size(); ++i) {
    const bool escapes = quote == '"' ? source[i] == '\\' : source.substr(i).starts_with("''");
    if (escapes) {
      ++i;
    } else if (source[i] == quote) {
      return true;
    }
  }
  return false;
}

/// A mapping or sequence that is being filled.
struct Frame {
  YamlNode node;
  std::unordered_set<std::string> keys = {};
  std::optional<YamlEntry> pending = std::nullopt;  ///< a mapping's key that waits for its value
};

/// Builds the tree. The first offence is kept in `error()` and ends the parse: yaml-cpp offers no
/// other way out than an exception.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] const std::optional<YamlError>& error() const noexcept { return error_; }
  [[nodiscard]] std::optional<YamlNode> take_root() { return std::exchange(root_, std::nullopt); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      fail(YamlErrc::several_documents, mark);
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "?", anchor);
    add(mark, YamlNode{YamlKind::null, ScalarStyle::plain, mark_of(mark), {}, {}, {}});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    fail(YamlErrc::alias, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::string_view source = source_at(mark);
    // yaml-cpp gives quoted scalars the tag "!", the same as an explicit "!".
    const bool quoted = tag == "!" && !source.starts_with('!');
    check(mark, quoted ? "?" : tag, anchor);
    if (value.find('\0') != std::string::npos) {
      fail(YamlErrc::nul_byte, mark);
    }
    // yaml-cpp takes the end of the text for a closing quote, and the keys up to there for text.
    if (quoted && !is_closed(source)) {
      fail(YamlErrc::syntax, mark, "this quote is never closed");
    }
    ScalarStyle style = ScalarStyle::quoted;
    if (!quoted) {
      style = source.starts_with(value) ? ScalarStyle::plain : ScalarStyle::folded;
    }
    add(mark, YamlNode{YamlKind::scalar, style, mark_of(mark), value, {}, {}});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlKind::sequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlKind::mapping);
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] void fail(YamlErrc code, const YAML::Mark& mark, std::string detail = {}) {
    error_ = YamlError{code, mark_of(mark), std::move(detail)};
    throw YAML::ParserException(mark, "stopped");
  }

  [[nodiscard]] std::string_view source_at(const YAML::Mark& mark) const noexcept {
    const auto offset = static_cast<std::size_t>(std::max(mark.pos, 0));
    return text_.substr(std::min(offset, text_.size()));
  }

  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) {
      fail(YamlErrc::anchor, mark);
    }
    if (tag != "?" && !tag.empty()) {
      fail(YamlErrc::tag, mark, tag);
    }
    if (++nodes_ > kMaxYamlNodes) {
      fail(YamlErrc::too_many_nodes, mark);
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlKind kind) {
    check(mark, tag, anchor);
    if (stack_.size() >= kMaxYamlDepth) {
      fail(YamlErrc::too_deep, mark);
    }
    if (!stack_.empty() && stack_.back().node.kind == YamlKind::mapping && !stack_.back().pending) {
      fail(YamlErrc::key_not_text, mark);
    }
    stack_.push_back(Frame{YamlNode{kind, ScalarStyle::plain, mark_of(mark), {}, {}, {}}});
  }

  void close() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    add(YAML::Mark::null_mark(), std::move(node));
  }

  void add(const YAML::Mark& mark, YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& top = stack_.back();
    if (top.node.kind == YamlKind::sequence) {
      top.node.items.push_back(std::move(node));
    } else if (top.pending) {
      top.pending->value = std::move(node);
      top.node.entries.push_back(std::move(*top.pending));
      top.pending.reset();
    } else {
      add_key(mark, top, std::move(node));
    }
  }

  void add_key(const YAML::Mark& mark, Frame& mapping, YamlNode key) {
    if (key.kind != YamlKind::scalar) {
      fail(YamlErrc::key_not_text, mark);
    }
    if (!mapping.keys.insert(key.text).second) {
      fail(YamlErrc::duplicate_key, mark, key.text);
    }
    mapping.pending = YamlEntry{std::move(key.text), key.mark, {}};
  }

  std::string_view text_;
  std::size_t documents_ = 0;
  std::size_t nodes_ = 0;
  std::vector<Frame> stack_;
  std::optional<YamlNode> root_;
  std::optional<YamlError> error_;
};

/// Undefined aliases are the parser's to report; ours are clearer.
YamlErrc code_of(const std::string& words) noexcept {
  const bool alias = words == YAML::ErrorMsg::UNKNOWN_ANCHOR ||
                     words == YAML::ErrorMsg::ALIAS_NOT_FOUND ||
                     words == YAML::ErrorMsg::CHAR_IN_ALIAS;
  return alias ? YamlErrc::alias : YamlErrc::syntax;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const noexcept {
  const auto found =
      std::ranges::find_if(entries, [key](const YamlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

tl::expected<YamlNode, YamlError> parse_yaml(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (auto error = check_text(text)) {
    return tl::unexpected(std::move(*error));
  }
  TreeBuilder builder(text);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const std::exception& thrown) {
    if (builder.error()) {
      return tl::unexpected(*builder.error());
    }
    const auto* known = dynamic_cast<const YAML::Exception*>(&thrown);
    const std::string words = known == nullptr ? thrown.what() : known->msg;
    return tl::unexpected(
        YamlError{code_of(words), known == nullptr ? Mark{} : mark_of(known->mark), words});
  }
  std::optional<YamlNode> root = builder.take_root();
  if (!root || root->kind == YamlKind::null) {
    return tl::unexpected(YamlError{YamlErrc::empty, {}, {}});
  }
  return std::move(*root);
}

}  // namespace pmg::adapters
