/// `pmg sandbox exec …` and `pmg npm …`: programs under a policy.
#pragma once

#include <string>
#include <vector>

#include "domain/package_manager.hpp"
#include "flags.hpp"
#include "synopsis.hpp"

namespace pmg::app {

/// `pmg sandbox exec`.
struct RunProgram {
  static constexpr Synopsis kSynopsis{
      "sandbox exec", "run a program under a policy", "pmg sandbox exec -- make -j2",
      Listing::shown,
      R"(Runs PROGRAM, and everything it starts, under the profile `exec`. The first word that is not a flag
is the program; it and everything behind it are passed on unchanged. The exit code is the program's,
128+N if signal N ended it, 127 if it was not found, 126 if it may not run.
)"};
  static constexpr std::string_view kRest = "PROGRAM ARGUMENTS";

  std::vector<std::string> command;  ///< the program's name first, every byte as given

  /// The exit code.
  [[nodiscard]] int run(const Flags& flags) const;
};

/// `pmg npm …`.
struct RunManager {
  domain::PackageManager manager;
  std::vector<std::string> arguments;  ///< those after the manager's name
  /// By `pmg npm`, or by a shim that is called `npm`.
  enum class Via { command, shim } via = Via::command;

  /// The exit code. Does not return where it becomes the plain manager.
  [[nodiscard]] int run(const Flags& flags) const;
};

}  // namespace pmg::app
