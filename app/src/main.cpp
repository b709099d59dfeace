#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/profile/registry.hpp"
#include "command_line.hpp"
#include "help.hpp"
#include "invocation.hpp"
#include "profile_commands.hpp"
#include "run_commands.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

/// The exit code for a command line that makes no sense.
constexpr int kUsage = 2;

std::string_view words_of(HelpTopic topic) noexcept {
  switch (topic) {
    case HelpTopic::pmg:
      return "pmg --help";
    case HelpTopic::sandbox:
      return "pmg sandbox --help";
    case HelpTopic::exec:
      return "pmg sandbox exec --help";
    case HelpTopic::profile:
      return "pmg sandbox profile --help";
  }
  return "";
}

template <class Options>
int with_profiles(int (*command)(const adapters::ProfileRegistry&, const Options&),
                  const Options& options) {
  const auto context = read_context();
  if (!context) {
    complain(context.error());
    return 1;
  }
  return command(context->profiles(), options);
}

/// Runs each kind of command; the result is the exit code.
struct Dispatch {
  const Flags& flags;

  int operator()(const RunProgram& command) const { return run_program(flags, command); }
  int operator()(const RunManager& command) const { return run_manager(flags, command); }
  int operator()(const ListProfiles& command) const {
    return with_profiles(list_profiles, command);
  }
  int operator()(const ShowProfile& command) const { return with_profiles(show_profile, command); }
  int operator()(const PrintHelp& command) const { return print(help_text(command.topic)) ? 0 : 1; }
  int operator()(const PrintVersion&) const { return print("pmg " PMG_VERSION "\n") ? 0 : 1; }
};

int run(const std::vector<std::string>& arguments) {
  const auto invocation = parse_command_line(arguments);
  if (!invocation) {
    const UsageError& error = invocation.error();
    complain(visible(error.message) + "; see `" + std::string(words_of(error.topic)) + "`");
    return kUsage;
  }
  return std::visit(Dispatch{invocation->flags}, invocation->command);
}

}  // namespace
}  // namespace pmg::app

int main(int argc, char** argv) { return pmg::app::run({argv + (argc > 0 ? 1 : 0), argv + argc}); }
