#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "command_line.hpp"
#include "domain/package_manager.hpp"
#include "help.hpp"
#include "invocation.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

/// The exit code for a command line that makes no sense.
constexpr int kUsage = 2;

/// Runs each kind of command; the result is the exit code.
struct Dispatch {
  const Flags& flags;

  int operator()(const PrintHelp& command) const { return print(help_text(command.words)) ? 0 : 1; }
  int operator()(const PrintVersion& /*command*/) const {
    return print("pmg " PMG_VERSION "\n") ? 0 : 1;
  }
  template <class C>
  int operator()(const C& command) const {
    if constexpr (requires { command.run(flags); }) {
      return command.run(flags);
    } else {
      const auto context = read_context();
      if (!context) {
        complain(context.error());
        return 1;
      }
      if constexpr (requires { command.run(*context, flags); }) {
        return command.run(*context, flags);
      } else {
        return command.run(*context);
      }
    }
  }
};

/// Started as `npm`, by a shim.
std::optional<domain::PackageManager> manager_of_name(std::string_view program) {
  return domain::parse_package_manager(program.substr(program.rfind('/') + 1));
}

int run(std::string_view program, const std::vector<std::string>& arguments) {
  if (const auto manager = manager_of_name(program)) {
    return RunManager{*manager, arguments, RunManager::Via::shim}.run({});
  }
  const auto invocation = parse_command_line(arguments);
  if (!invocation) {
    const UsageError& error = invocation.error();
    complain(visible(error.message) + "; see `pmg" + (error.words.empty() ? "" : " ") +
             error.words + " --help`");
    return kUsage;
  }
  return std::visit(Dispatch{invocation->flags}, invocation->command);
}

}  // namespace
}  // namespace pmg::app

int main(int argc, char** argv) {
  return pmg::app::run(argc > 0 ? argv[0] : "", {argv + (argc > 0 ? 1 : 0), argv + argc});
}
