/// Text for people: what comes from outside is made harmless first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pmg::app {

/// Printable on a terminal: what is invisible (domain::is_invisible) and bytes that are not UTF-8
/// become `\xNN`, so that a file name cannot move the cursor, forge a second line, or be shown in
/// another order than it is.
[[nodiscard]] std::string visible(std::string_view text);

/// The same for a whole file: its lines and tabs stay.
[[nodiscard]] std::string visible_lines(std::string_view text);

/// "`text`", made visible.
[[nodiscard]] std::string quoted(std::string_view text);
/// So that std::quoted, which some headers bring along, is no better match for a string.
[[nodiscard]] inline std::string quoted(const std::string& text) {
  return quoted(std::string_view(text));
}

/// A word as it would be typed into a shell.
[[nodiscard]] std::string shell_word(std::string_view text);
/// A whole command line.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

/// Writes "pmg: <message>" and a line end to standard error, in one write(2): broker threads and
/// the program itself print there as well.
void complain(std::string_view message);

/// The same, and the exit code of what failed: 1.
[[nodiscard]] int fail(std::string_view message);

/// Writes to standard output; false where that failed, which is told.
[[nodiscard]] bool print(std::string_view text);

}  // namespace pmg::app
