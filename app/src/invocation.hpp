/// What the user asked for: the command line as values.
///
///   pmg --sandbox npm install left-pad   →  Flags{sandbox}, RunManager{npm, {"install",
///   "left-pad"}} pmg sandbox exec -- make -j          →  Flags{},        RunProgram{{"make",
///   "-j"}}
///
/// Not for: meaning. Nothing here was looked up, expanded or checked against a profile.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/package_manager.hpp"

namespace pmg::app {

/// The same flags are accepted before the command word and after `sandbox exec`.
struct Flags {
  bool sandbox = false;
  bool enforce = false;  ///< --sandbox-enforce: also for commands that do not install
  bool debug = false;
  bool dry_run = false;
  bool unsafe_cwd = false;
  std::optional<std::string> profile;  ///< name or file
  std::vector<std::string> allow;      ///< TYPE=VALUE, in order
};

/// `pmg sandbox exec`; the program's name first, every byte as given.
struct RunProgram {
  std::vector<std::string> command;
};

/// `pmg npm …`; the arguments are those after the manager's name.
struct RunManager {
  domain::PackageManager manager;
  std::vector<std::string> arguments;
};

struct ListProfiles {
  bool json = false;
};

struct ShowProfile {
  std::string name;
  bool resolved = false;
  bool json = false;
};

enum class HelpTopic { pmg, sandbox, exec, profile };

struct PrintHelp {
  HelpTopic topic = HelpTopic::pmg;
};

struct PrintVersion {};

using Command =
    std::variant<RunProgram, RunManager, ListProfiles, ShowProfile, PrintHelp, PrintVersion>;

struct Invocation {
  Flags flags;
  Command command;
};

}  // namespace pmg::app
