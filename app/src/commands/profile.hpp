/// `pmg sandbox profile …`: looking at profiles.
#pragma once

#include <string>

#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct ListProfiles {
  static constexpr Synopsis kSynopsis{
      "sandbox profile list", "the built-in profiles and those in the configuration directory",
      "pmg sandbox profile list"};
  Output output = Output::text;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct ShowProfile {
  static constexpr Synopsis kSynopsis{"sandbox profile show", "the text of a profile",
                                      "pmg sandbox profile show npm --resolved"};
  /// As written, or as it holds: with what it inherits.
  enum class Form { written, resolved } form = Form::written;
  Output output = Output::text;
  std::string name;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

}  // namespace pmg::app
