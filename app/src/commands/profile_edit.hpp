/// `pmg sandbox profile init` and `edit`: profiles of the user's own.
///
/// What is built in is neither replaced nor hidden, and what is stored loads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct InitProfile {
  static constexpr Synopsis kSynopsis{
      "sandbox profile init", "write a profile to begin with",
      "pmg sandbox profile init mine --from npm", Listing::shown,
      R"(Writes NAME.yml into the directory of profiles and prints its path. With --from it inherits a built-in
profile, and is for the same package managers unless some are given.
)"};
  std::string name;
  std::optional<std::string> from;
  std::optional<std::string> description;
  std::vector<std::string> managers;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct EditProfile {
  static constexpr Synopsis kSynopsis{
      "sandbox profile edit", "change a profile in $VISUAL or $EDITOR",
      "pmg sandbox profile edit mine", Listing::shown,
      R"(The file is replaced when the editor ends and what it wrote is a profile. If it is not, the error is
shown and the editor opens again if you want that; the old file stays as it is meanwhile. What
`profile lint` finds is shown and keeps nothing from being stored.
)"};
  std::string name;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

}  // namespace pmg::app
