#include "command_line.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "catalogue.hpp"
#include "domain/package_manager.hpp"
#include "flags.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "read_options.hpp"

namespace pmg::app {
namespace {

/// The options before and between the words of a command.
class Leading {
 public:
  explicit Leading(Flags& flags) {
    flags.declare(options_);
    options_.flag("--version", version_, true, "the version of pmg");
  }

  /// Moves them from the front of `words` to what was given so far; a `--` behind them goes too.
  void take(Words& words) {
    const auto count = count_options(options_, words);
    given_.insert(given_.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    words = words.subspan(count);
    if (!words.empty() && words.front() == "--") {
      words = words.subspan(1);
    }
  }

  [[nodiscard]] tl::expected<Help, UsageError> read(std::string_view command) const {
    return read_options(options_, given_, command);
  }

  [[nodiscard]] bool asks_version() const noexcept { return version_; }

 private:
  bool version_ = false;
  Options options_;
  std::vector<std::string> given_;
};

tl::unexpected<UsageError> unknown_command(const std::string& group, const std::string& word) {
  std::vector<std::string_view> known = words_after(group);
  std::string hint;
  if (group.empty()) {
    for (const auto manager : domain::all_package_managers()) {
      known.push_back(domain::name_of(manager));
    }
    hint = "; to run any program: `pmg sandbox exec -- " + word + " …`";
  }
  if (const auto nearest = adapters::nearest_of(word, known); !nearest.empty()) {
    hint = "; did you mean `" + nearest + "`?";
  }
  return tl::unexpected(UsageError{
      "unknown command `" + (group.empty() ? "" : group + " ") + word + "`" + hint, group});
}

std::string longer_by(const std::string& words, const std::string& word) {
  return words.empty() ? word : words + " " + word;
}

/// The words of a command, as far as they go; options may stand between them.
class CommandReader {
 public:
  explicit CommandReader(Words words) : words_(words) {}

  [[nodiscard]] tl::expected<Invocation, UsageError> read() {
    Leading leading(flags_);
    leading.take(words_);
    while (!words_.empty()) {
      const std::string word = words_.front();
      std::string longer = longer_by(command_, word);
      if (find_command(longer) == nullptr && !is_group(longer)) {
        break;
      }
      words_ = words_.subspan(1);
      command_ = std::move(longer);
      if (const CommandRow* row = find_command(command_)) {
        return finish(leading, *row);
      }
      leading.take(words_);
    }
    return without_row(leading);
  }

 private:
  tl::expected<Invocation, UsageError> finish(const Leading& leading, const CommandRow& row) {
    const auto help = leading.read(command_);
    if (!help) {
      return tl::unexpected(help.error());
    }
    if (*help == Help::asked) {
      return invocation(PrintHelp{command_});
    }
    return row.read(words_, flags_).map([this](Command command) {
      return Invocation{std::move(flags_), std::move(command)};
    });
  }

  /// A group alone, a package manager, `help`, `version`.
  tl::expected<Invocation, UsageError> without_row(const Leading& leading) {
    const auto help = leading.read(command_);
    if (!help) {
      return tl::unexpected(help.error());
    }
    if (leading.asks_version()) {
      return invocation(PrintVersion{});
    }
    if (*help == Help::asked || words_.empty()) {
      return invocation(PrintHelp{command_});
    }
    const std::string word = words_.front();
    if (command_.empty()) {
      if (word == "version") {
        return invocation(PrintVersion{});
      }
      if (word == "help") {
        return help_on(words_.subspan(1));
      }
      if (const auto manager = domain::parse_package_manager(word)) {
        const Words rest = words_.subspan(1);
        return invocation(RunManager{*manager, {rest.begin(), rest.end()}});
      }
    }
    return unknown_command(command_, word);
  }

  tl::expected<Invocation, UsageError> help_on(Words words) {
    std::string topic;
    for (const std::string& word : words) {
      std::string longer = longer_by(topic, word);
      if (find_command(longer) == nullptr && !is_group(longer)) {
        return unknown_command(topic, word);
      }
      topic = std::move(longer);
    }
    return invocation(PrintHelp{topic});
  }

  Invocation invocation(Command command) { return {std::move(flags_), std::move(command)}; }

  Words words_;
  Flags flags_;
  std::string command_;
};

}  // namespace

tl::expected<Invocation, UsageError> parse_command_line(const std::vector<std::string>& arguments) {
  return CommandReader(arguments).read();
}

}  // namespace pmg::app
