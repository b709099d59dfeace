#include "doctor/pure/canary.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "doctor/pure/report.hpp"
#include "table.hpp"

namespace pmg::app {
namespace {

constexpr std::string_view kGot = "got";

Fix report_it() {
  return {
      "this is a defect: do not rely on pmg on this machine, and report it with what this prints:",
      "pmg --version; uname -a; pmg sandbox doctor --json", "docs/THREAT_MODEL.md"};
}

Fix see_why() {
  return {"mend the other failed probes first; to see what nothing can start with:",
          "pmg sandbox exec --debug -- true", "docs/ENFORCEMENT.md"};
}

/// What stands in the way of telling anything; empty where the controls worked.
std::string obstacle(const Canary& canary, const CanaryOutcome& outcome) {
  const std::string said = outcome.complaint.empty() ? "" : ": " + outcome.complaint;
  if (!outcome.not_started.empty()) {
    return "pmg could not be started: " + outcome.not_started;
  }
  if (!outcome.ended.empty()) {
    return "the run ended with " + outcome.ended + said;
  }
  const std::size_t actions = canary.controls.size() + (canary.denied ? 1 : 0);
  if (outcome.answers.size() != actions) {
    return "the program inside told " + std::to_string(outcome.answers.size()) + " of " +
           std::to_string(actions) + " results" + said;
  }
  for (std::size_t i = 0; i < canary.controls.size(); ++i) {
    if (outcome.answers[i] != kGot) {
      return "what is allowed did not work: `" + canary.controls[i].front() + "` was " +
             outcome.answers[i] + said;
    }
  }
  if (!outcome.missing.empty()) {
    return "what is allowed left nothing: " + joined(outcome.missing);
  }
  return {};
}

/// "refused EACCES" as "refused (EACCES), without effect".
std::string refusal(const std::string& answer) {
  const auto space = answer.find(' ');
  return answer.substr(0, space) + " (" + answer.substr(space + 1) + "), without effect";
}

ProbeResult breached(const Canary& canary, const CanaryOutcome& outcome, std::string summary) {
  std::string detail;
  for (const std::string& effect : outcome.effects) {
    detail += effect + "\n";
  }
  for (const std::string& answer : outcome.answers) {
    detail += "answer: " + answer + "\n";
  }
  return {canary.name, Status::fail, std::move(summary), std::move(detail), {report_it()}};
}

}  // namespace

std::vector<Canary> canaries(const Places& places, const Tokens& tokens) {
  using Proofs = std::map<std::string, std::string>;
  const Action copy{"copy", "readme", "copied"};
  const Proofs copied{{"copied", tokens.control}};
  const Proofs started{{"copied", tokens.control}, {"started", "written"}};
  const Proofs environment{{"copied", tokens.control},
                           {"environment", "DOCTOR_CONTROL=" + tokens.control}};
  const std::string socket = places.home + "/agent.sock";
  const std::string abstract = "@pmg-doctor-" + tokens.control;
  constexpr int kSomeCode = 7;
  return {
      {"canary.control",
       "nothing that is denied",
       {copy, {"exit", std::to_string(kSomeCode)}},
       {},
       copied,
       kSomeCode},
      {"canary.read-project",
       "reading the project's `.env`",
       {copy},
       Action{"copy", ".env", "stolen"},
       copied},
      {"canary.read-home",
       "reading a key in `~/.ssh`",
       {copy},
       Action{"copy", places.home + "/.ssh/id_doctor", "stolen"},
       copied},
      {"canary.write-outside",
       "writing a file of the home directory",
       {copy},
       Action{"write", places.home + "/notes"},
       copied},
      {"canary.rename",
       "moving the project's `.env` away",
       {copy, {"move", "copied", "moved"}},
       Action{"move", ".env", "stolen"},
       Proofs{{"moved", tokens.control}}},
      {"canary.git-hook",
       "planting a hook of git",
       {copy},
       Action{"write", ".git/hooks/post-checkout"},
       copied},
      {"canary.metadata",
       "changing permissions in the home directory",
       {copy, {"mode", "copied"}},
       Action{"mode", places.home + "/notes"},
       copied},
      {"canary.exec",
       "running a program that no rule allows",
       {copy, {"run", places.self, "started"}},
       Action{"run", places.home + "/tool", "ran"},
       started},
      {"canary.environment",
       "finding a secret variable",
       {copy, {"environment", "environment"}},
       Action{"variable", "GITHUB_TOKEN"},
       environment},
      {"canary.launcher-environment",
       "reading the environment of pmg itself",
       {copy, {"environment", "environment"}},
       Action{"launcher", "stolen"},
       environment},
      {"canary.signal",
       "signalling pmg itself",
       {copy, {"signal", "self"}},
       Action{"signal", "parent"},
       copied},
      {"canary.unix-socket",
       "connecting to a socket of the host",
       {copy, {"serve", "own.sock"}},
       Action{"connect", socket},
       copied,
       0,
       socket},
      {"canary.abstract-socket",
       "connecting to an abstract socket of the host",
       {copy, {"serve", abstract + "-own"}},
       Action{"connect", abstract},
       copied,
       0,
       abstract},
  };
}

ProbeResult judge(const Canary& canary, const CanaryOutcome& outcome) {
  const bool told = canary.denied && outcome.answers.size() == canary.controls.size() + 1;
  if (!outcome.effects.empty()) {
    return breached(canary, outcome,
                    canary.attempt + " was not blocked: " + outcome.effects.front());
  }
  if (told && outcome.answers.back() == kGot) {
    return breached(canary, outcome, canary.attempt + " was not blocked");
  }
  if (std::string why = obstacle(canary, outcome); !why.empty()) {
    const bool ran = !outcome.answers.empty() || outcome.missing.size() < canary.proofs.size();
    return {
        canary.name,
        Status::fail,
        "could not be tried: " + why,
        ran ? "the program inside ran, at least in part" : "no trace was found that anything ran",
        {see_why()}};
  }
  if (!canary.denied) {
    return {canary.name, Status::ok,
            "inside, an allowed file was copied; the exit code was passed on"};
  }
  return {canary.name, Status::ok, canary.attempt + ": " + refusal(outcome.answers.back())};
}

ProbeResult not_tried(const Canary& canary, std::string_view why) {
  return {canary.name, Status::skipped, std::string(why)};
}

}  // namespace pmg::app
