/// Checks of raw bytes that come before the YAML parser. Private to the reader.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/yaml/yaml_node.hpp"

namespace pmg::adapters {

/// Size, NUL bytes, UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF) and tab
/// indentation, in this order; the first offence.
[[nodiscard]] std::optional<YamlError> check_text(std::string_view text);

}  // namespace pmg::adapters
