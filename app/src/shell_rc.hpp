/// The lines of shells that put the shims first in PATH, and the block of them in a start-up file.
///
///   auto text = with_block(old_text, path_line(Shell::bash, dir));   // expected<std::string, …>
///   without_block(*text)                                             // the old text
///
/// A block is written once, wherever it stands, and taken out alone: all other bytes stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "domain/path.hpp"
#include "session.hpp"

namespace pmg::app {

enum class Shell : std::uint8_t { bash, zsh, fish };

struct StartFile {
  Shell shell;
  domain::AbsolutePath file;
};

[[nodiscard]] std::string_view name_of(Shell shell) noexcept;

/// ~/.bashrc, $ZDOTDIR/.zshrc, $XDG_CONFIG_HOME/fish/config.fish, each with its usual default.
[[nodiscard]] tl::expected<std::vector<StartFile>, std::string> start_files(const Context& context);

/// One line. Put first unless it is first already: a nested shell makes PATH no longer.
[[nodiscard]] std::string path_line(Shell shell, const domain::AbsolutePath& directory);

/// The beginning of a block has no end: nothing can be told from what is the user's.
struct OpenBlock {};

[[nodiscard]] tl::expected<std::string, OpenBlock> with_block(std::string_view text,
                                                              std::string_view line);
[[nodiscard]] tl::expected<std::string, OpenBlock> without_block(std::string_view text);

}  // namespace pmg::app
