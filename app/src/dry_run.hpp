/// `--dry-run`: the policy as it holds and what would run, in words.
#pragma once

#include <string>

#include "adapters/run.hpp"
#include "environment.hpp"
#include "session.hpp"

namespace pmg::app {

[[nodiscard]] std::string dry_run_text(const Session& session, const adapters::Program& program,
                                       const ConfinedEnvironment& environment);

}  // namespace pmg::app
