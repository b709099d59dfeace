#include "help.hpp"

#include <string_view>

namespace pmg::app {
namespace {

constexpr std::string_view kPmg = R"(pmg runs package managers and other programs under one policy.

  pmg [flags] npm|pnpm|yarn|bun|npx|pnpx|pip|pip3|pipx|poetry|uv|uvx|go ARGUMENTS…
  pmg sandbox exec [flags] [--] PROGRAM ARGUMENTS…
  pmg sandbox profile list|show

flags, before the command word:
  --sandbox                    confine package managers when they install something
  --sandbox-enforce            … whatever their command
  --sandbox-profile NAME|FILE  use this profile instead of the usual one
  --sandbox-allow TYPE=VALUE   allow one thing more: read, write, exec=PATH, unix=SOCKET, env=NAME (repeatable)
  --unsafe-cwd                 run even where the working directory is the home directory or holds it
  --dry-run                    print the policy and what would run; run nothing
  --debug                      tell on stderr what is used and what is refused
  --version, --help
)";

constexpr std::string_view kSandbox =
    R"(pmg sandbox exec [flags] [--] PROGRAM ARGUMENTS…   run a program under a policy
pmg sandbox profile list [--json]                  the profiles there are
pmg sandbox profile show NAME [--resolved] [--json]
)";

constexpr std::string_view kExec = R"(pmg sandbox exec [flags] [--] PROGRAM ARGUMENTS…

Runs PROGRAM, and everything it starts, under the profile `exec`. The first word that is not a flag
is the program; it and everything behind it are passed on unchanged. The exit code is the program's,
128+N if signal N ended it, 127 if it was not found, 126 if it may not run.

  --sandbox-profile NAME|FILE  another profile
  --sandbox-allow TYPE=VALUE   allow one thing more: read, write, exec=PATH, unix=SOCKET, env=NAME (repeatable)
  --unsafe-cwd                 run even where the working directory is the home directory or holds it
  --dry-run                    print the policy and what would run; run nothing
  --debug                      tell on stderr what is used and what is refused
)";

constexpr std::string_view kProfile = R"(pmg sandbox profile list [--json]

  The built-in profiles and those in the configuration directory.

pmg sandbox profile show NAME [--resolved] [--json]

  The text of a profile; with --resolved as it holds, with what it inherits.
)";

}  // namespace

std::string_view help_text(HelpTopic topic) noexcept {
  switch (topic) {
    case HelpTopic::pmg:
      return kPmg;
    case HelpTopic::sandbox:
      return kSandbox;
    case HelpTopic::exec:
      return kExec;
    case HelpTopic::profile:
      return kProfile;
  }
  return kPmg;
}

}  // namespace pmg::app
