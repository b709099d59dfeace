/// A strict YAML document as a tree with positions.
///
///   auto tree = parse_yaml("name: x\n");           // expected<YamlNode, YamlError>
///   tree->entries[0].key                            // "name"
///   tree->entries[0].value.mark.line                // 1
///
/// Y1: what is not plainly scalars, lists and mappings is an error: anchors, aliases, tags, merge
/// keys, several documents, duplicate keys, keys that are not text, tab indentation, NUL.
/// Y2: bounded: 256 KiB, 16 levels, 20,000 nodes.
/// Not for: meaning. Which keys exist is for the reader of each kind of document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace pmg::adapters {

/// A profile of the size of the built-in ones has some 10 KiB; a quarter megabyte is a mistake.
inline constexpr std::size_t kMaxYamlBytes = std::size_t{256} * 1024;
/// The deepest schema of ours has 4 levels.
inline constexpr std::size_t kMaxYamlDepth = 16;
inline constexpr std::size_t kMaxYamlNodes = 20'000;

/// 1-based; columns count bytes. 0 where there is no position.
struct Mark {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Mark&, const Mark&) = default;
};

enum class YamlKind : std::uint8_t { null, scalar, sequence, mapping };
/// `"true"` is text where `true` is a boolean. `folded` is plain text that goes on in further
/// lines: in a list, most likely a forgotten dash.
enum class ScalarStyle : std::uint8_t { plain, quoted, folded };

struct YamlEntry;

struct YamlNode {
  YamlKind kind = YamlKind::null;
  ScalarStyle style = ScalarStyle::plain;
  Mark mark;
  std::string text;                ///< of a scalar
  std::vector<YamlNode> items;     ///< of a sequence
  std::vector<YamlEntry> entries;  ///< of a mapping, in order; keys are distinct

  /// The value of `key`; null where there is none or this is not a mapping.
  [[nodiscard]] const YamlNode* find(std::string_view key) const noexcept;
};

struct YamlEntry {
  std::string key;
  Mark key_mark;
  YamlNode value;
};

enum class YamlErrc : std::uint8_t {
  empty,  ///< nothing but white space, comments or null
  several_documents,
  too_large,
  too_deep,
  too_many_nodes,
  nul_byte,
  not_utf8,
  tab_indentation,
  anchor,
  alias,  ///< also an unquoted pattern that starts with `*`
  tag,
  key_not_text,
  duplicate_key,
  syntax,
};

struct YamlError {
  YamlErrc code;
  Mark mark;
  std::string detail;  ///< the key or anchor; the parser's words for `syntax`
};

/// Never throws, whatever the bytes.
[[nodiscard]] tl::expected<YamlNode, YamlError> parse_yaml(std::string_view text);

}  // namespace pmg::adapters
