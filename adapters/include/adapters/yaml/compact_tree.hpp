/// A YAML tree as bytes, so that a built-in profile is parsed when pmg is built and not at every
/// start.
///
///   std::string bytes = to_compact(*parse_yaml("name: x\n"));
///   auto tree = from_compact(bytes);                     // expected<YamlNode, CompactError>
///
/// Reading back gives the same tree, positions included. Any other bytes are an error or a tree
/// within the bounds of Y2, never a crash.
///
///   node  = kind:byte style:byte line:number column:number content
///   content of null = (nothing); of scalar = text; of sequence = count:number node…;
///   of mapping = count:number (key:text line:number column:number node)…
///   text = size:number byte…; number = 7 bits a byte, the lowest first, the top bit: more follow
///
/// Not for: keeping. Written and read by the same build; there is no version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "adapters/yaml/yaml_node.hpp"

namespace pmg::adapters {

enum class CompactErrc : std::uint8_t {
  cut_off,        ///< the bytes end within a value, or a count promises more than there are
  bad_kind,       ///< no such kind of node or style
  bad_number,     ///< more than 32 bits
  too_deep,       ///< more than kMaxYamlDepth sequences and mappings within each other
  too_many,       ///< more than kMaxYamlNodes nodes
  duplicate_key,  ///< twice in one mapping
  trailing,       ///< bytes after the tree
};

struct CompactError {
  CompactErrc code;
  std::size_t offset;  ///< byte index into the input
};

/// Of a tree as `parse_yaml` gives it: text of less than 4 GiB.
[[nodiscard]] std::string to_compact(const YamlNode& tree);

/// Never throws, whatever the bytes.
[[nodiscard]] tl::expected<YamlNode, CompactError> from_compact(std::string_view bytes);

}  // namespace pmg::adapters
