/// Canaries: what must work inside a sandbox and what must not, tried at once.
///
///   for (const Canary& canary : canaries(self)) results.push_back(judge(canary, outcome));
///
/// DR2: a refusal counts only beside a control that worked in the same run. "It could not start" is
/// a failure, never "it was blocked". DR3: what is found afterwards outside counts more than what
/// was told from inside. Not for: trying; run_canaries.hpp does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/pure/report.hpp"

namespace pmg::app {

/// Words of `pmg __probe`.
using Action = std::vector<std::string>;

struct Canary {
  std::string name;
  std::string attempt;           ///< what is tried, for sentences: "reading the project's .env"
  std::vector<Action> controls;  ///< must work
  std::optional<Action> denied;  ///< must not; none where the controls are all
  /// Files of the project that the controls make, and a text that each then holds.
  std::map<std::string, std::string> proofs;
  int exit_code = 0;  ///< that the run has to pass on
  /// A socket of the doctor, which listens meanwhile and must not be reached; empty for none.
  std::string socket = {};
};

/// What the canaries are about. Tokens are new in each run, so that finding one means something.
struct Tokens {
  std::string control;  ///< in the file that may be read, and in a variable that is no secret
  std::string secret;   ///< in what may not be read
};

struct Places {
  std::string self;  ///< the path of pmg
  std::string home;  ///< which holds `tool`, a program that no rule allows
};
[[nodiscard]] std::vector<Canary> canaries(const Places& places, const Tokens& tokens);

/// What came of one.
struct CanaryOutcome {
  std::string not_started;           ///< why pmg itself could not be started
  std::string ended;                 ///< empty for the right exit code, else "exit code 1"
  std::string complaint;             ///< what pmg said on standard error, the last line
  std::vector<std::string> answers;  ///< "got" or "refused EACCES", for each action
  std::vector<std::string> missing;  ///< proofs that are not there
  std::vector<std::string> effects;  ///< what changed, or where the secret was found
};

[[nodiscard]] ProbeResult judge(const Canary& canary, const CanaryOutcome& outcome);

/// For those that are not tried, since the first one failed.
[[nodiscard]] ProbeResult not_tried(const Canary& canary, std::string_view why);

}  // namespace pmg::app
