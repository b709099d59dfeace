#include "help.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue.hpp"
#include "flags.hpp"
#include "options.hpp"
#include "synopsis.hpp"

namespace pmg::app {
namespace {

constexpr std::string_view kIntroduction =
    "pmg runs package managers and other programs, and all they start, under one policy.\n\n"
    "  pmg [flags] npm|pnpm|yarn|bun|npx|pnpx|pip|pip3|pipx|poetry|uv|uvx|go ARGUMENTS\n";

/// Two columns, the second one aligned.
using Lines = std::vector<std::pair<std::string, std::string>>;

std::string in_columns(const Lines& lines) {
  constexpr std::size_t kWidest = 46;
  std::size_t width = 0;
  for (const auto& [left, right] : lines) {
    width = std::max(width, left.size() <= kWidest ? left.size() : 0);
  }
  std::string out;
  for (const auto& [left, right] : lines) {
    const std::string gap = left.size() <= width ? std::string(width - left.size() + 2, ' ')
                                                 : "\n" + std::string(width + 4, ' ');
    out += "  " + left + (right.empty() ? "" : gap + right) + "\n";
  }
  return out;
}

bool is_argument(const OptionText& option) { return option.name.empty(); }

std::string usage_of(const OptionText& option) {
  std::string value(option.value);
  switch (option.arity) {
    case Arity::flag:
      return "[" + std::string(option.name) + "]";
    case Arity::value:
    case Arity::values:
      return "[" + std::string(option.name) + " " + value + "]";
    case Arity::argument:
      return value;
    case Arity::optional_argument:
      return "[" + value + "]";
    case Arity::arguments:
      return value + "...";
    case Arity::optional_arguments:
      return "[" + value + "...]";
  }
  return value;
}

/// "pmg sandbox profile show NAME [--json]"
std::string usage_of(const CommandRow& row) {
  std::string line = "pmg " + std::string(row.synopsis.words);
  if (row.reading == Reading::program) {
    return line + " [flags] [--] " + std::string(row.program);
  }
  const auto options = row.options();
  for (const OptionText& option : options) {
    line += is_argument(option) ? " " + usage_of(option) : "";
  }
  for (const OptionText& option : options) {
    line += is_argument(option) ? "" : " " + usage_of(option);
  }
  return line;
}

Lines lines_of(const std::vector<OptionText>& options) {
  Lines lines;
  for (const OptionText& option : options) {
    if (!is_argument(option)) {
      lines.emplace_back(
          std::string(option.name) + (option.value.empty() ? "" : " " + std::string(option.value)),
          std::string(option.help));
    }
  }
  return lines;
}

std::string help_of(const CommandRow& row) {
  const Synopsis& synopsis = row.synopsis;
  std::string out = usage_of(row) + "\n\n  " + std::string(synopsis.summary) + "\n";
  if (!synopsis.details.empty()) {
    out += "\n" + std::string(synopsis.details);
  }
  if (const auto lines = lines_of(row.options()); !lines.empty()) {
    out += "\n" + in_columns(lines);
  }
  return out + "\nexample:\n  " + std::string(synopsis.example) + "\n";
}

/// The commands that begin with `words`.
std::string list_of(std::string_view words) {
  Lines lines;
  for (const CommandRow& row : catalogue()) {
    if (row.synopsis.listing == Listing::shown && row.synopsis.words.starts_with(words)) {
      lines.emplace_back("pmg " + std::string(row.synopsis.words), row.synopsis.summary);
    }
  }
  return in_columns(lines);
}

}  // namespace

std::string help_text(std::string_view words) {
  if (const CommandRow* row = find_command(words)) {
    return help_of(*row);
  }
  constexpr std::string_view kMore = "\n`pmg help COMMAND` tells more and has an example.\n";
  if (!words.empty()) {
    return list_of(std::string(words) + " ") + std::string(kMore);
  }
  Flags flags;
  Options options;
  flags.declare(options);
  return std::string(kIntroduction) + list_of({}) + "\nflags, before the command word:\n" +
         in_columns(lines_of(options.texts())) + std::string(kMore);
}

}  // namespace pmg::app
