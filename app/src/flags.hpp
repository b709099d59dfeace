/// The flags of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.hpp"

namespace pmg::app {

/// The same are accepted before the command word and after `sandbox exec`.
struct Flags {
  bool sandbox = false;
  bool enforce = false;  ///< --sandbox-enforce: also for commands that do not install
  bool debug = false;
  bool dry_run = false;
  bool unsafe_cwd = false;
  bool report = false;                 ///< tell what was refused also where the program succeeded
  std::optional<std::string> profile;  ///< name or file
  std::vector<std::string> allow;      ///< TYPE=VALUE, in order

  void declare(Options& options);
};

/// The first flag that was given and only a run has a use for; nothing where there is none.
[[nodiscard]] std::optional<std::string> flag_of_a_run(const Flags& flags);

/// The first `--sandbox…` flag of ours among a manager's arguments, where it would do nothing and
/// the manager would run with less confinement than was asked for. What follows `--` is nobody's to
/// look at.
[[nodiscard]] std::optional<std::string> misplaced_flag(const std::vector<std::string>& arguments);

}  // namespace pmg::app
