/// All commands, as rows that say what each is called and takes.
///
///   for (const CommandRow& row : catalogue()) out << row.synopsis.words;
///
/// The parser, the help, the manual page and completion go through it: a command that is not here
/// does not exist, and one that is has its help.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "flags.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "synopsis.hpp"

namespace pmg::app {

/// A sentence for the user, without prefix.
struct UsageError {
  std::string message;
  std::string words;  ///< of the command whose help tells more; empty: pmg itself
};

/// What follows the words of a command. Options are read by `read_options`.
using Words = std::span<const std::string>;

enum class Reading {
  options,  ///< the rest is options and arguments of the command
  program,  ///< flags of a run, then a program with everything that is its own
};

struct CommandRow {
  Synopsis synopsis;
  Reading reading;
  std::string_view program;  ///< for Reading::program, what help calls it
  std::vector<OptionText> (*options)();
  tl::expected<Command, UsageError> (*read)(Words words, Flags& flags);
};

/// In the order in which help lists them.
[[nodiscard]] std::span<const CommandRow> catalogue();

/// The row with exactly these words.
[[nodiscard]] const CommandRow* find_command(std::string_view words);

/// Whether a command begins with these words and has more.
[[nodiscard]] bool is_group(std::string_view words);

/// The words that may follow `words`, each once.
[[nodiscard]] std::vector<std::string_view> words_after(std::string_view words);

}  // namespace pmg::app
