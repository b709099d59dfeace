/// `pmg sandbox profile lint` and `diff`: what is wrong in a profile, and what two of them differ
/// in.
#pragma once

#include <string>

#include "lint_text.hpp"
#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct LintProfile {
  static constexpr Synopsis kSynopsis{
      "sandbox profile lint", "find contradictions, dead rules and rules that are too broad",
      "pmg sandbox profile lint mine --strict", Listing::shown,
      R"(Reads a profile by name, by path, or from standard input (-), and prints a line for each finding:
  file:line:column: level: what is wrong [code]
The exit code is 2 if there is an error (with --strict, also if there is a warning), 0 if not, and 1 if
there is no such profile. A dead rule can be removed without changing any decision.
)"};
  enum class Strictness { errors, warnings } strictness = Strictness::errors;
  Detail detail = Detail::brief;
  Output output = Output::text;
  std::string profile;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct DiffProfiles {
  static constexpr Synopsis kSynopsis{
      "sandbox profile diff", "what a profile allows and denies that another one does not",
      "pmg sandbox profile diff npm mine", Listing::shown,
      R"(Compares what the two hold with all that they inherit. Rules are compared by what they mean: order,
spelling, and rules that other rules cover make no difference. The exit code is 0 if they allow the same,
1 if they do not, and 2 if one of them cannot be read.
)"};
  Output output = Output::text;
  std::string before;
  std::string after;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

}  // namespace pmg::app
