/// What is told after a run about what it was refused.
///
///   for (const std::string& line : refusal_lines(session, record)) { complain(line); }
///
/// AM1: the last line has a fixed form that a program can act on:
/// `denied OPERATION PATH (RULE); allow: COMMAND`, or `allow: none (WHY)` where asking again is
/// useless or is for a person to decide. Lines before it are for people.
#pragma once

#include <string>
#include <vector>

#include "adapters/record/run_record.hpp"
#include "domain/violation.hpp"
#include "session.hpp"

namespace pmg::app {

/// Empty where nothing was refused that a program could fail for.
[[nodiscard]] std::vector<std::string> refusal_lines(const Session& session,
                                                     const adapters::RunRecord& record);

/// The one that the program most likely failed for; null where there is none.
[[nodiscard]] const adapters::Entry* primary_entry(const adapters::RunRecord& record);

/// "bufferutil@4.0.8 (install)"; empty where no package is known.
[[nodiscard]] std::string package_text(const domain::Violation& violation);

/// What `sandbox allow` takes for it; empty where it is useless or not for a program to ask for,
/// and `why` says so.
struct Remedy {
  std::vector<std::string> allowances;
  std::string why;
};
[[nodiscard]] Remedy remedy_for(const Session& session, const domain::Violation& violation);

}  // namespace pmg::app
