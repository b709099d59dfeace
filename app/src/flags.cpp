#include "flags.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace pmg::app {

void Flags::declare(Options& options) {
  options.flag("--sandbox", sandbox, true, "confine package managers when they install something");
  options.flag("--sandbox-enforce", enforce, true, "... whatever their command");
  options.value("--sandbox-profile", "NAME|FILE", profile,
                "use this profile instead of the usual one", Completion::profile);
  options.values("--sandbox-allow", "TYPE=VALUE", allow,
                 "allow one thing more: read, write, exec=PATH, unix=SOCKET, env, preset=NAME, "
                 "net-connect, net-bind=HOST:PORT (repeatable)",
                 Completion::allowance);
  options.flag("--unsafe-cwd", unsafe_cwd, true,
               "run even where the working directory is the home directory or holds it");
  options.flag("--report", report, true,
               "tell afterwards what was refused, also where all went well");
  options.flag("--dry-run", dry_run, true, "print the policy and what would run; run nothing");
  options.flag("--debug", debug, true, "tell on stderr what is used and what is refused");
}

std::optional<std::string> flag_of_a_run(const Flags& flags) {
  if (flags.sandbox) {
    return "--sandbox";
  }
  if (flags.enforce) {
    return "--sandbox-enforce";
  }
  if (flags.profile) {
    return "--sandbox-profile";
  }
  if (!flags.allow.empty()) {
    return "--sandbox-allow";
  }
  if (flags.unsafe_cwd) {
    return "--unsafe-cwd";
  }
  if (flags.report) {
    return "--report";
  }
  if (flags.dry_run) {
    return "--dry-run";
  }
  return std::nullopt;
}

std::optional<std::string> misplaced_flag(const std::vector<std::string>& arguments) {
  Flags flags;
  Options options;
  flags.declare(options);
  const auto texts = options.texts();
  for (const std::string& argument : arguments) {
    if (argument == "--") {
      return std::nullopt;
    }
    if (!argument.starts_with("--sandbox")) {
      continue;
    }
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    const auto option = std::ranges::find(texts, name, &OptionText::name);
    if (option != texts.end()) {
      return std::string(name) + (option->value.empty() ? "" : " " + std::string(option->value));
    }
  }
  return std::nullopt;
}

}  // namespace pmg::app
