/// `pmg sandbox violations list` and `pmg sandbox explain`: what earlier runs were refused, and
/// why.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "adapters/record/run_record.hpp"
#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct ListViolations {
  static constexpr Synopsis kSynopsis{
      "sandbox violations list", "what a run was refused", "pmg sandbox violations list --json",
      Listing::shown,
      R"(The last run in which something was refused, or --run. Runs are kept in pmg's cache directory, the
last 50 of them; a run in which nothing was refused leaves none.
)"};
  std::optional<std::string> id;  ///< of the run
  Output output = Output::text;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct ExplainViolation {
  static constexpr Synopsis kSynopsis{
      "sandbox explain", "why something was refused, and what allows it", "pmg sandbox explain 3",
      Listing::shown,
      R"(N is a number of `sandbox violations list`. Without it, the refusal that the program most likely failed
for. What was decided is told as it was; which rules have a say and what allows it, as it is now, in the
directory and under the profile of that run.
)"};
  std::optional<std::string> number;
  std::optional<std::string> id;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

/// The run that `id` names, or the last one; a sentence where there is none.
[[nodiscard]] tl::expected<adapters::RunRecord, std::string> load_run(
    const Context& context, const std::optional<std::string>& id);

/// As a run from the directory and under the profile of the record would have it now.
[[nodiscard]] tl::expected<Session, std::string> session_of(const Context& context,
                                                            const adapters::RunRecord& record);

}  // namespace pmg::app
