/// Starting a helper of the user's, such as an editor, with this process's environment and
/// terminal.
///
///   auto code = run_and_wait({"vim", "p.yml"});   // expected<int, OsError>
///
/// Not for: anything under a policy (adapters/run.hpp).
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"

namespace pmg::platform {

/// posix_spawnp(3) and waitpid(2); no shell. The exit code, or 128+N after signal N. While it runs,
/// SIGINT and SIGQUIT are the program's alone, as in system(3). `command` is not empty.
[[nodiscard]] tl::expected<int, OsError> run_and_wait(const std::vector<std::string>& command);

}  // namespace pmg::platform
