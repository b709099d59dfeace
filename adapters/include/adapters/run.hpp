/// Running one program, and everything it starts, under a compiled policy.
///
///   auto status = run(policy, program, options);   // blocks until the program and its tree ended
///
/// Call from a process that has only one thread. Standard streams, terminal, working directory and
/// ignored signals are the program's, untouched.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/operation_kind.hpp"
#include "domain/path.hpp"
#include "platform/os_error.hpp"

namespace pmg::adapters {

struct Program {
  domain::AbsolutePath file;
  std::vector<std::string> arguments;    ///< argv, the name first
  std::vector<std::string> environment;  ///< NAME=value, already scrubbed
};

/// One refusal. The views are valid during the call only.
struct Denial {
  domain::OperationKind operation;
  std::string_view real;     ///< path as resolved; may be empty
  std::string_view spelled;  ///< path as used
  std::string_view real_to;  ///< of a rename or link; else empty
  std::string_view spelled_to;
  domain::NodeKind node;
  domain::Decision decision;
  std::string_view note;  ///< why, where the policy was not asked: "is on a second procfs", …
  std::int32_t pid;       ///< of the thread
};

struct RunOptions {
  /// Called from broker threads, several at once; may be empty.
  std::function<void(const Denial&)> on_denial;
};

enum class RunErrc : std::uint8_t {
  no_landlock,          ///< Landlock is missing or switched off
  no_notify,            ///< seccomp user notification is missing or refused
  kernel_too_old,       ///< no WAIT_KILLABLE_RECV (before 5.19)
  already_sandboxed,    ///< a listener is already installed
  memory_unreadable,    ///< the broker may not read its descendants' memory
  program_not_allowed,  ///< the policy does not let this program start
  cannot_execute,       ///< execve failed; `os` says why
  out_of_resources,
  end_unknown,  ///< it ran, and somebody else has taken its exit status
};

struct RunError {
  RunErrc code;
  platform::OsError os;
  domain::Decision decision;  ///< for program_not_allowed
};

/// The exit code to pass on: the program's own, or 128+N when signal N ended it.
[[nodiscard]] tl::expected<int, RunError> run(const domain::CompiledPolicy& policy,
                                              const Program& program, const RunOptions& options);

}  // namespace pmg::adapters
