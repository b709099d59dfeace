/// `pmg sandbox check`: what the policy says about one access, and why.
#pragma once

#include <string>

#include "flags.hpp"
#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct CheckAccess {
  static constexpr Synopsis kSynopsis{
      "sandbox check", "what the policy says about one access, and why",
      "pmg sandbox check read ~/.ssh/id_rsa", Listing::shown,
      R"(ACCESS is read, write, exec, unix (a socket) or env (a variable). The answer is that of a run from here
under the profile `exec`, or --sandbox-profile, with what is allowed for this project and by
--sandbox-allow. Every rule that covers the path is shown, where it stands and which one decides.
The exit code is 0 if it is allowed, 1 if it is refused, and 2 if that cannot be told.
)"};
  /// These mean the same here as in a run.
  static constexpr bool kTakesRunFlags = true;

  std::string access;
  std::string what;
  Output output = Output::text;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context, const Flags& flags) const;
};

}  // namespace pmg::app
