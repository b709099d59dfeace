/// For shells and manuals: `pmg completion`, and what its scripts and the build call.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct PrintCompletion {
  static constexpr Synopsis kSynopsis{"completion",
                                      "the completion script of a shell: bash, zsh or fish",
                                      "pmg completion bash", Listing::shown,
                                      R"(bash   add `source <(pmg completion bash)` to ~/.bashrc
zsh    add `source <(pmg completion zsh)` to ~/.zshrc, behind compinit
fish   pmg completion fish > ~/.config/fish/completions/pmg.fish
)"};
  std::string shell;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

/// What may follow the given words, one a line; `:files` for names of files.
struct Complete {
  static constexpr Synopsis kSynopsis{"__complete", "what may follow these words",
                                      "pmg __complete -- sandbox profile", Listing::hidden};
  std::vector<std::string> words;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

/// The manual page, in the format of man(7).
struct PrintManual {
  static constexpr Synopsis kSynopsis{"__manual", "the manual page", "pmg __manual > pmg.1",
                                      Listing::hidden};

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

}  // namespace pmg::app
