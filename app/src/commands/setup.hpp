/// `pmg setup …`: what protects this account, and the shims.
#pragma once

#include <string>

#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct ShowSetup {
  static constexpr Synopsis kSynopsis{"setup info", "what is set up here, and what is missing",
                                      "pmg setup info --json"};
  Output output = Output::text;

  void declare(Options& options);
  [[nodiscard]] int run(Context context) const;
};

struct InstallShims {
  static constexpr Synopsis kSynopsis{
      "setup install", "let a plain `npm` in your shell be `pmg npm`",
      "pmg setup install --write-rc", Listing::shown,
      R"(Makes a shim for every package manager but go, writes config.yml if there is none, and prints the line that puts
the shims first in PATH. It turns nothing on: `pmg config set sandbox.enabled true` does.
)"};
  /// Whether start-up files of shells are changed, or only what to put there is printed.
  enum class StartFiles { printed, written } start_files = StartFiles::printed;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct RemoveShims {
  static constexpr Synopsis kSynopsis{
      "setup remove", "take back what `pmg setup install` did", "pmg setup remove", Listing::shown,
      R"(Removes the shims and the block in start-up files. config.yml stays, and so does what pmg did not write.
)"};

  static void declare(Options& options);
  [[nodiscard]] static int run(const Context& context);
};

}  // namespace pmg::app
