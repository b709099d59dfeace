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
  std::optional<std::string> profile;  ///< name or file
  std::vector<std::string> allow;      ///< TYPE=VALUE, in order

  void declare(Options& options);
};

/// The first flag that was given and only a run has a use for; nothing where there is none.
[[nodiscard]] std::optional<std::string> flag_of_a_run(const Flags& flags);

}  // namespace pmg::app
