/// Values of a git configuration file, without git.
///
///   git_value(text, "core", "hooksPath")       // optional<std::string>; the last one wins
///   git_includes(text)                         // {"../shared.gitconfig"}
///
/// Understands git-config(1), SYNTAX: sections, keys without case, comments, quotes, escapes,
/// continued lines, a key without a value (empty here).
/// Not for: values of subsections (`[remote "origin"]`), and reading what is included.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmg::adapters {

/// Total on any bytes. What git would call a bad line is passed over.
[[nodiscard]] std::optional<std::string> git_value(std::string_view text, std::string_view section,
                                                   std::string_view key);

/// The files that are included, as written: `include.path`, and `includeIf.<condition>.path`
/// whatever the condition says now (git-config(1), INCLUDES). Total on any bytes.
[[nodiscard]] std::vector<std::string> git_includes(std::string_view text);

}  // namespace pmg::adapters
