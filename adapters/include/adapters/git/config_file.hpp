/// One value of a git configuration file, without git.
///
///   git_value(text, "core", "hooksPath")       // optional<std::string>; the last one wins
///
/// Understands git-config(1), SYNTAX: sections, keys without case, comments, quotes, escapes,
/// continued lines, a key without a value (empty here).
/// Not for: subsections (`[remote "origin"]` is passed over) and include directives (an included
/// file is not read).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pmg::adapters {

/// Total on any bytes. What git would call a bad line is passed over.
[[nodiscard]] std::optional<std::string> git_value(std::string_view text, std::string_view section,
                                                   std::string_view key);

}  // namespace pmg::adapters
