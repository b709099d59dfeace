/// `pmg sandbox exec …` and `pmg npm …`.
#pragma once

#include "invocation.hpp"

namespace pmg::app {

/// Both return the exit code. `run_manager` does not return where it becomes the plain manager.
[[nodiscard]] int run_program(const Flags& flags, const RunProgram& command);
[[nodiscard]] int run_manager(const Flags& flags, const RunManager& command);

}  // namespace pmg::app
