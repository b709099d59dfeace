/// Starting programs that no policy confines: an editor, or pmg itself.
///
///   auto code = run_and_wait({"vim", "p.yml"});              // expected<int, OsError>
///
///   HeldSignals signals;                                     // SIGINT and the like wait
///   auto end = run_and_wait({command, ToFiles{"out", "err"}, environment, "/project", 20s},
///   signals);
///
/// Not for: anything under a policy (adapters/run.hpp).
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"

namespace pmg::platform {

/// posix_spawnp(3) and waitpid(2); no shell. The exit code, or 128+N after signal N. While it runs,
/// SIGINT and SIGQUIT are the program's alone, as in system(3). `command` is not empty.
[[nodiscard]] tl::expected<int, OsError> run_and_wait(const std::vector<std::string>& command);

/// SIGINT, SIGTERM, SIGHUP and SIGQUIT wait while the value lives, and act when it ends: what has
/// to be tidied up is tidied up before. Those that are ignored stay ignored.
class HeldSignals {
 public:
  HeldSignals() noexcept;
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  HeldSignals(HeldSignals&&) = delete;
  HeldSignals& operator=(HeldSignals&&) = delete;

  /// One of them waits: whoever holds them should come to an end.
  [[nodiscard]] bool is_asked_to_end() const noexcept;
  /// The mask from before.
  [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

 private:
  sigset_t before_{};
};

/// Standard input, output and error are this process's.
struct InheritStreams {};
/// Output and errors go to these files, made or emptied (0600); the input is empty.
struct ToFiles {
  std::string output;
  std::string errors;
};
using Streams = std::variant<InheritStreams, ToFiles>;

struct Helper {
  std::vector<std::string>
      command;  ///< not empty; the first is a path, or is looked up in our PATH
  Streams streams;
  std::vector<std::string> environment;  ///< NAME=value each
  std::string working_directory;
  std::chrono::milliseconds limit;
};

enum class Ending : std::uint8_t {
  exited,      ///< by itself, or by a signal of somebody else
  timed_out,   ///< killed, since the limit was over
  interrupted  ///< killed, since this process was asked to end
};
struct Ended {
  Ending how;
  int code;  ///< the exit code, or 128+N after signal N
};

/// In a process group of its own, which is gone afterwards: SIGTERM, two seconds, SIGKILL. It gets
/// the signal mask from before `signals`.
[[nodiscard]] tl::expected<Ended, OsError> run_and_wait(const Helper& helper,
                                                        const HeldSignals& signals);

}  // namespace pmg::platform
