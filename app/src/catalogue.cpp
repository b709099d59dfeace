#include "catalogue.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "commands/overlay.hpp"
#include "commands/preset.hpp"
#include "commands/profile.hpp"
#include "commands/profile_edit.hpp"
#include "commands/profile_lint.hpp"
#include "commands/run.hpp"
#include "flags.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "read_options.hpp"

namespace pmg::app {
namespace {

template <class C>
concept TakesProgram = requires {
  C::kRest;
};

/// Not a run, but told about one.
template <class C>
concept TakesRunFlags = requires {
  C::kTakesRunFlags;
};

/// The flags of a run go to `flags`, `options` to the command; the former only mean something to a
/// run, but for --debug.
template <class C>
std::vector<OptionText> options_of() {
  Options options;
  if constexpr (TakesProgram<C>) {
    Flags flags;
    flags.declare(options);
    return options.texts();
  } else {
    C command;
    command.declare(options);
    Flags flags;
    if constexpr (TakesRunFlags<C>) {
      flags.declare(options);
    }
    return options.texts();
  }
}

using ReadCommand = tl::expected<Command, UsageError>;

tl::unexpected<UsageError> usage(std::string_view command, const std::string& message) {
  return tl::unexpected(UsageError{message, std::string(command)});
}

/// What `options` read, or `finish()`.
template <class Finish>
ReadCommand read_then(const Options& options, Words words, std::string_view name,
                      const Finish& finish) {
  const auto help = read_options(options, words, name);
  if (!help) {
    return tl::unexpected(help.error());
  }
  return *help == Help::asked ? ReadCommand(PrintHelp{std::string(name)}) : finish();
}

template <class C>
ReadCommand read(Words words, Flags& flags) {
  constexpr std::string_view kName = C::kSynopsis.words;
  C command;
  Options options;
  flags.declare(options);
  command.declare(options);
  return read_then(options, words, kName, [&]() -> ReadCommand {
    const auto flag = TakesRunFlags<C> ? std::optional<std::string>() : flag_of_a_run(flags);
    return flag ? usage(kName, "`" + *flag + "` means nothing for `" + std::string(kName) + "`")
                : ReadCommand(std::move(command));
  });
}

template <TakesProgram C>
ReadCommand read_program(Words words, Flags& flags) {
  constexpr std::string_view kName = C::kSynopsis.words;
  Options options;
  flags.declare(options);
  const auto count = count_options(options, words);
  return read_then(options, words.first(count), kName, [&]() -> ReadCommand {
    Words rest = words.subspan(count);
    rest = !rest.empty() && rest.front() == "--" ? rest.subspan(1) : rest;
    return rest.empty() ? usage(kName, "`" + std::string(kName) + "` needs a program to run")
                        : ReadCommand(C{{rest.begin(), rest.end()}});
  });
}

template <class C>
constexpr CommandRow row() {
  if constexpr (TakesProgram<C>) {
    return {C::kSynopsis, Reading::program, C::kRest, options_of<C>, read_program<C>};
  } else {
    return {C::kSynopsis, Reading::options, {}, options_of<C>, read<C>};
  }
}

// Those of the variant that have words of their own.
template <class... C>
constexpr auto rows(std::variant<PrintHelp, PrintVersion, RunManager, C...>* /*list*/) {
  return std::array{row<C>()...};
}

bool begins_with(std::string_view all, std::string_view words) {
  return words.empty() ||
         (all.starts_with(words) && all.size() > words.size() && all[words.size()] == ' ');
}

}  // namespace

std::span<const CommandRow> catalogue() {
  static constexpr auto kRows = rows(static_cast<Command*>(nullptr));
  return kRows;
}

const CommandRow* find_command(std::string_view words) {
  const auto found = std::ranges::find(catalogue(), words,
                                       [](const CommandRow& row) { return row.synopsis.words; });
  return found == catalogue().end() ? nullptr : &*found;
}

bool is_group(std::string_view words) {
  return std::ranges::any_of(catalogue(), [words](const CommandRow& row) {
    return begins_with(row.synopsis.words, words);
  });
}

std::vector<std::string_view> words_after(std::string_view words) {
  std::vector<std::string_view> found;
  for (const CommandRow& row : catalogue()) {
    if (row.synopsis.listing == Listing::shown && begins_with(row.synopsis.words, words)) {
      auto rest = row.synopsis.words.substr(words.empty() ? 0 : words.size() + 1);
      rest = rest.substr(0, rest.find(' '));
      if (std::ranges::find(found, rest) == found.end()) {
        found.push_back(rest);
      }
    }
  }
  return found;
}

}  // namespace pmg::app
