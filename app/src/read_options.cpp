#include "read_options.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "catalogue.hpp"
#include "options.hpp"

namespace pmg::app {
namespace {

constexpr std::string_view kHelp = "--help";

tl::unexpected<UsageError> usage(std::string message, std::string_view command) {
  return tl::unexpected(UsageError{std::move(message), std::string(command)});
}

std::string in_backticks(std::string_view text) { return "`" + std::string(text) + "`"; }

/// " `sandbox exec`", or nothing for pmg itself.
std::string called(std::string_view command) {
  return command.empty() ? "" : " of " + in_backticks(command);
}

bool is_argument(const Option& option) noexcept {
  switch (option.text.arity) {
    case Arity::flag:
    case Arity::value:
    case Arity::values:
      return false;
    case Arity::argument:
    case Arity::optional_argument:
    case Arity::arguments:
    case Arity::optional_arguments:
      break;
  }
  return true;
}

/// The plain words, given to the arguments in their order.
tl::expected<void, UsageError> take_arguments(const Options& options,
                                              const std::vector<std::string>& words,
                                              std::string_view command) {
  std::size_t next = 0;
  for (const Option& option : options.all()) {
    if (!is_argument(option)) {
      continue;
    }
    const Arity arity = option.text.arity;
    const bool required = arity == Arity::argument || arity == Arity::arguments;
    if (next == words.size() && required) {
      return usage(in_backticks(command) + " needs " + std::string(option.text.value), command);
    }
    const bool takes_all = arity == Arity::arguments || arity == Arity::optional_arguments;
    const std::size_t end = takes_all ? words.size() : std::min(next + 1, words.size());
    for (; next < end; ++next) {
      option.take(words[next]);
    }
  }
  if (next < words.size()) {
    return usage(in_backticks(command) + " takes no further word: " + in_backticks(words[next]),
                 command);
  }
  return {};
}

UsageError unknown_option(const Options& options, std::string_view given,
                          std::string_view command) {
  std::vector<std::string_view> names{kHelp};
  for (const Option& option : options.all()) {
    if (!option.text.name.empty()) {
      names.push_back(option.text.name);
    }
  }
  const auto name = given.substr(0, given.find('='));
  const auto nearest = adapters::nearest_of(name, names);
  return {"unknown option " + in_backticks(given) + called(command) +
              (nearest.empty() ? "" : "; did you mean " + in_backticks(nearest) + "?"),
          std::string(command)};
}

}  // namespace

tl::expected<Help, UsageError> read_options(const Options& options, Words words,
                                            std::string_view command) {
  CLI::App cli;
  cli.set_help_flag();  // ours, so that help ends no parse
  bool help = false;
  std::vector<std::string> arguments;
  cli.add_flag("-h,--help", help);
  for (const Option& option : options.all()) {
    const std::string name(option.text.name);
    switch (option.text.arity) {
      case Arity::flag:
        cli.add_flag_callback(name, [&option] { option.take({}); });
        break;
      case Arity::value:
        cli.add_option_function<std::string>(name, option.take)->allow_extra_args(false);
        break;
      case Arity::values:
        // One value for each: the next word is another one's, however it looks.
        cli.add_option_function<std::vector<std::string>>(
               name,
               [&option](const std::vector<std::string>& values) {
                 std::ranges::for_each(values, option.take);
               })
            ->allow_extra_args(false);
        break;
      case Arity::argument:
      case Arity::optional_argument:
      case Arity::arguments:
      case Arity::optional_arguments:
        break;
    }
  }
  cli.add_option("words", arguments);
  std::vector<std::string> reversed(words.rbegin(),
                                    words.rend());  // CLI11 wants the last word first
  try {
    cli.parse(std::move(reversed));
  } catch (const CLI::ExtrasError&) {
    const auto extra = cli.remaining();
    return tl::unexpected(
        unknown_option(options, extra.empty() ? std::string() : extra.front(), command));
  } catch (const CLI::ParseError& error) {
    return usage(error.what(), command);
  }
  if (help) {
    return Help::asked;
  }
  if (auto taken = take_arguments(options, arguments, command); !taken) {
    return tl::unexpected(std::move(taken.error()));
  }
  return Help::not_asked;
}

std::size_t count_options(const Options& options, Words words) {
  std::size_t used = 0;
  while (used < words.size()) {
    const std::string& word = words[used];
    if (word == "--" || word.size() < 2 || word.front() != '-') {
      break;
    }
    const auto option =
        std::ranges::find(options.all(), word, [](const Option& each) { return each.text.name; });
    const bool takes_next = option != options.all().end() && option->text.arity != Arity::flag;
    used += takes_next ? 2 : 1;
  }
  return std::min(used, words.size());
}

}  // namespace pmg::app
