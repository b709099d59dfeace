#include "command_line.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace pmg::app {
namespace {

using Words = std::span<const std::string>;

/// What one CLI11 pass can say, whatever the command word.
struct Parsed {
  Flags flags;
  bool help = false;
  bool version = false;
  bool resolved = false;
  bool json = false;
  std::vector<std::string> names;
};

void add_sandbox_flags(CLI::App& cli, Parsed& into) {
  cli.set_help_flag();  // ours, so that help ends no parse
  cli.add_flag("-h,--help", into.help);
  cli.add_flag("--version", into.version);
  cli.add_flag("--sandbox", into.flags.sandbox);
  cli.add_flag("--sandbox-enforce", into.flags.enforce);
  cli.add_flag("--debug", into.flags.debug);
  cli.add_flag("--dry-run", into.flags.dry_run);
  cli.add_flag("--unsafe-cwd", into.flags.unsafe_cwd);
  cli.add_option("--sandbox-profile", into.flags.profile)->type_name("NAME|FILE");
  // One value per flag: the next word is the program's, however it looks.
  cli.add_option("--sandbox-allow", into.flags.allow)
      ->type_name("TYPE=VALUE")
      ->allow_extra_args(false);
}

void add_profile_flags(CLI::App& cli, Parsed& into) {
  cli.add_flag("--json", into.json);
  cli.add_flag("--resolved", into.resolved);
  cli.add_option("NAME", into.names);
}

/// The number of leading words that are options with their values.
std::size_t count_options(const CLI::App& cli, Words words) {
  std::size_t used = 0;
  while (used < words.size()) {
    const std::string& word = words[used];
    if (word == "--" || word.size() < 2 || word.front() != '-') {
      break;
    }
    const CLI::Option* option = cli.get_option_no_throw(word);
    const bool takes_next = option != nullptr && option->get_items_expected_max() > 0;
    used += takes_next ? 2 : 1;
  }
  return std::min(used, words.size());
}

/// A list of words, read from the front.
class Reader {
 public:
  Reader(const CLI::App& cli, Words words) : cli_(cli), words_(words) {}

  void take_options() {
    const auto count = count_options(cli_, words_);
    options_.insert(options_.end(), words_.begin(),
                    words_.begin() + static_cast<std::ptrdiff_t>(count));
    words_ = words_.subspan(count);
    if (!words_.empty() && words_.front() == "--") {
      words_ = words_.subspan(1);
    }
  }

  [[nodiscard]] std::optional<std::string> take_word() {
    if (words_.empty()) {
      return std::nullopt;
    }
    std::string word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  [[nodiscard]] std::vector<std::string> take_rest() { return {words_.begin(), words_.end()}; }

  [[nodiscard]] std::vector<std::string> options() const { return options_; }

 private:
  const CLI::App& cli_;
  Words words_;
  std::vector<std::string> options_;
};

/// Runs CLI11 over the options alone.
std::optional<UsageError> read_options(CLI::App& cli, std::vector<std::string> words,
                                       HelpTopic topic) {
  std::reverse(words.begin(), words.end());  // CLI11 wants the last word first
  try {
    cli.parse(std::move(words));
  } catch (const CLI::ExtrasError&) {
    const auto extra = cli.remaining();
    return UsageError{"unknown option `" + (extra.empty() ? std::string() : extra.front()) + "`",
                      topic};
  } catch (const CLI::ParseError& error) {
    return UsageError{error.what(), topic};
  }
  return std::nullopt;
}

tl::unexpected<UsageError> usage(std::string message, HelpTopic topic) {
  return tl::unexpected(UsageError{std::move(message), topic});
}

tl::expected<Command, UsageError> profile_command(CLI::App& cli, Parsed& parsed, Reader& reader) {
  constexpr auto kTopic = HelpTopic::profile;
  add_profile_flags(cli, parsed);
  reader.take_options();
  const auto word = reader.take_word();
  auto words = reader.options();
  const auto rest = reader.take_rest();
  words.insert(words.end(), rest.begin(), rest.end());
  if (auto error = read_options(cli, std::move(words), kTopic)) {
    return tl::unexpected(std::move(*error));
  }
  if (!word || parsed.help) {
    return PrintHelp{kTopic};
  }
  if (*word == "list") {
    if (!parsed.names.empty()) {
      return usage("`sandbox profile list` takes no name", kTopic);
    }
    return ListProfiles{parsed.json};
  }
  if (*word != "show") {
    return usage("unknown command `sandbox profile " + *word + "`", kTopic);
  }
  if (parsed.names.size() != 1) {
    return usage("`sandbox profile show` takes one name", kTopic);
  }
  return ShowProfile{parsed.names.front(), parsed.resolved, parsed.json};
}

tl::expected<Command, UsageError> exec_command(CLI::App& cli, Parsed& parsed, Reader& reader) {
  reader.take_options();
  if (auto error = read_options(cli, reader.options(), HelpTopic::exec)) {
    return tl::unexpected(std::move(*error));
  }
  if (parsed.help) {
    return PrintHelp{HelpTopic::exec};
  }
  auto command = reader.take_rest();
  if (command.empty()) {
    return usage("`sandbox exec` needs a program to run", HelpTopic::exec);
  }
  return RunProgram{std::move(command)};
}

tl::expected<Command, UsageError> sandbox_command(CLI::App& cli, Parsed& parsed, Reader& reader) {
  reader.take_options();
  const auto word = reader.take_word();
  if (word == "exec") {
    return exec_command(cli, parsed, reader);
  }
  if (word == "profile") {
    return profile_command(cli, parsed, reader);
  }
  if (auto error = read_options(cli, reader.options(), HelpTopic::sandbox)) {
    return tl::unexpected(std::move(*error));
  }
  if (word && !parsed.help) {
    return usage("unknown command `sandbox " + *word + "`", HelpTopic::sandbox);
  }
  return PrintHelp{HelpTopic::sandbox};
}

/// The words that are neither `sandbox` nor nothing: a package manager, `help`, `version`.
tl::expected<Command, UsageError> plain_command(CLI::App& cli, const Parsed& parsed, Reader& reader,
                                                const std::optional<std::string>& word) {
  if (auto error = read_options(cli, reader.options(), HelpTopic::pmg)) {
    return tl::unexpected(std::move(*error));
  }
  if (parsed.version || word == "version") {
    return PrintVersion{};
  }
  if (parsed.help || !word || word == "help") {
    return PrintHelp{HelpTopic::pmg};
  }
  if (const auto manager = domain::parse_package_manager(*word)) {
    return RunManager{*manager, reader.take_rest()};
  }
  return usage(
      "unknown command `" + *word + "`; to run any program: `pmg sandbox exec -- " + *word + " …`",
      HelpTopic::pmg);
}

}  // namespace

tl::expected<Invocation, UsageError> parse_command_line(const std::vector<std::string>& arguments) {
  CLI::App cli;
  Parsed parsed;
  add_sandbox_flags(cli, parsed);
  Reader reader(cli, arguments);
  reader.take_options();
  const auto word = reader.take_word();
  auto command = word == "sandbox" ? sandbox_command(cli, parsed, reader)
                                   : plain_command(cli, parsed, reader, word);
  if (!command) {
    return tl::unexpected(std::move(command.error()));
  }
  return Invocation{std::move(parsed.flags), std::move(*command)};
}

}  // namespace pmg::app
