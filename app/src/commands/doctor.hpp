/// `pmg sandbox doctor`: what this machine can enforce, found out by trying it.
#pragma once

#include <cstdint>

#include "flags.hpp"
#include "options.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct Doctor {
  static constexpr Synopsis kSynopsis{
      "sandbox doctor", "what this machine can enforce, and what to do where it cannot",
      "pmg sandbox doctor", Listing::shown,
      R"(Asks the kernel for everything that pmg needs, loads the configuration and the profiles, and runs probes in
a sandbox: each tries what must be refused beside something that must work. They run in a private scratch
directory with a home and a project of its own, below pmg's cache directory, which is removed at the end.

With --attack, a part of the escape suite of pmg runs there instead, each attack without pmg first and then
under it. That takes half a minute, more on a busy machine.

The exit code is 2 if a probe or an attack fails, else 0.
)"};
  enum class Tries : std::uint8_t { probes, attacks };
  Tries tries = Tries::probes;
  Output output = Output::text;

  void declare(Options& options);
  /// Reads the configuration itself, since a broken one is something to tell of.
  [[nodiscard]] int run(const Flags& flags) const;
};

}  // namespace pmg::app
