#include "platform/spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pmg::platform {
namespace {

constexpr int kSignalled = 128;

/// Ignores the signals of the terminal's keys for a while.
class KeysIgnored {
 public:
  KeysIgnored() noexcept {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (auto& [number, before] : signals_) {
      ::sigaction(number, &ignore, &before);
    }
  }
  ~KeysIgnored() {
    for (auto& [number, before] : signals_) {
      ::sigaction(number, &before, nullptr);
    }
  }
  KeysIgnored(const KeysIgnored&) = delete;
  KeysIgnored& operator=(const KeysIgnored&) = delete;
  KeysIgnored(KeysIgnored&&) = delete;
  KeysIgnored& operator=(KeysIgnored&&) = delete;

  /// Those that the program gets back: the ones that we did not find ignored.
  [[nodiscard]] sigset_t to_reset() const noexcept {
    sigset_t set;
    ::sigemptyset(&set);
    for (const auto& [number, before] : signals_) {
      if (before.sa_handler != SIG_IGN) {
        ::sigaddset(&set, number);
      }
    }
    return set;
  }

 private:
  struct Saved {
    int number;
    struct sigaction before;
  };
  std::array<Saved, 2> signals_{Saved{SIGINT, {}}, Saved{SIGQUIT, {}}};
};

}  // namespace

tl::expected<int, OsError> run_and_wait(const std::vector<std::string>& command) {
  std::vector<char*> argv(command.size() + 1, nullptr);
  // posix_spawnp(3) takes pointers to mutable text for historical reasons, and writes nothing.
  std::ranges::transform(command, argv.begin(),
                         [](const std::string& word) { return const_cast<char*>(word.c_str()); });
  const KeysIgnored ignored;
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  const sigset_t reset = ignored.to_reset();
  ::posix_spawnattr_setsigdefault(&attributes, &reset);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, argv.front(), nullptr, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return tl::unexpected(OsError{"posix_spawn", error, command.front()});
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return tl::unexpected(OsError{"waitpid", errno, command.front()});
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace pmg::platform
