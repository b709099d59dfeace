/// Changing one value of a YAML text where it stands.
///
///   auto text = set_scalar("a: 1  # one\n", {"a"}, {"2", ScalarText::literal});   // "a: 2  #
///   one\n"
///
/// CE1: the new text reads back as the same tree but for this value, and every other byte of the
/// old text is still there, in order: comments, layout and line ends stay. What cannot be changed
/// so is an error. Keys that are missing are added at the end of the mapping that they belong to.
/// Not for: lists, and values over several lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/yaml_node.hpp"

namespace pmg::adapters {

enum class ScalarText : std::uint8_t {
  literal,  ///< written as it is: `true`, `8080`
  text,     ///< quoted where it could be taken for something else
};

struct NewScalar {
  std::string text;
  ScalarText kind;
};

enum class SetErrc : std::uint8_t {
  bad_yaml,       ///< the old text; `cause` says why
  not_a_scalar,   ///< there is a list or a mapping
  not_a_mapping,  ///< a key on the way has no keys below
  not_in_place,   ///< written over several lines, or in a way that only a person should change
};

struct SetError {
  SetErrc code;
  Mark mark;            ///< of the value in question
  std::string subject;  ///< the key whose value that is
  YamlError cause;
};

/// `path` is not empty.
[[nodiscard]] tl::expected<std::string, SetError> set_scalar(std::string_view text,
                                                             const std::vector<std::string>& path,
                                                             const NewScalar& value);

}  // namespace pmg::adapters
