/// Text as a YAML scalar that reads back as the same text.
#pragma once

#include <string>
#include <string_view>

namespace pmg::adapters {

/// In double quotes always: a pattern may start with `*`, `[` or `{`, and a name may be `on`. For
/// text that is UTF-8.
[[nodiscard]] std::string yaml_quoted(std::string_view text);

}  // namespace pmg::adapters
