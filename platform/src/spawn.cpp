#include "platform/spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <string>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tl/expected.hpp>

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

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out(words.size() + 1, nullptr);
  // posix_spawnp(3) takes pointers to mutable text for historical reasons, and writes nothing.
  std::ranges::transform(words, out.begin(),
                         [](const std::string& word) { return const_cast<char*>(word.c_str()); });
  return out;
}

int exit_code(int status) noexcept {
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

/// How a process is started, freed at the end.
class Preparation {
 public:
  Preparation() noexcept {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&actions_);
  }
  ~Preparation() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
  Preparation(Preparation&&) = delete;
  Preparation& operator=(Preparation&&) = delete;

  [[nodiscard]] posix_spawnattr_t& attributes() noexcept { return attributes_; }

  /// The result is an errno, as below.
  int set(const ToFiles& files) noexcept {
    constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
    constexpr mode_t kMode = 0600;
    const std::array<int, 3> errors{
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
        ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, files.output.c_str(), kNew,
                                           kMode),
        ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, files.errors.c_str(), kNew,
                                           kMode)};
    return *std::ranges::max_element(errors);
  }
  int change_directory(const std::string& directory) noexcept {
    return ::posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
  }

  int start(pid_t& child, const std::vector<std::string>& command, char* const* environment) {
    auto argv = pointers(command);
    return ::posix_spawnp(&child, argv.front(), &actions_, &attributes_, argv.data(), environment);
  }

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
};

constexpr std::array kEndings{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

sigset_t endings() noexcept {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : kEndings) {
    ::sigaddset(&set, number);
  }
  return set;
}

using Clock = std::chrono::steady_clock;

/// Whether the child has ended by then; it stays a zombie, so that its number and that of its group
/// mean nothing else.
bool has_ended(pid_t child) noexcept {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

/// Looks again and again: no descriptor or handler is needed, which a crippled machine may lack.
template <class Stop>
bool ends_before(pid_t child, Clock::time_point deadline, const Stop& stop) noexcept {
  constexpr timespec kPause{0, 3'000'000};
  while (!has_ended(child)) {
    if (Clock::now() >= deadline || stop()) {
      return false;
    }
    ::nanosleep(&kPause, nullptr);
  }
  return true;
}

}  // namespace

tl::expected<int, OsError> run_and_wait(const std::vector<std::string>& command) {
  const KeysIgnored ignored;
  Preparation preparation;
  const sigset_t reset = ignored.to_reset();
  ::posix_spawnattr_setsigdefault(&preparation.attributes(), &reset);
  ::posix_spawnattr_setflags(&preparation.attributes(), POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  if (const int error = preparation.start(child, command, environ); error != 0) {
    return tl::unexpected(OsError{"posix_spawn", error, command.front()});
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return tl::unexpected(OsError{"waitpid", errno, command.front()});
    }
  }
  return exit_code(status);
}

HeldSignals::HeldSignals() noexcept {
  const sigset_t held = endings();
  ::sigprocmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

bool HeldSignals::is_asked_to_end() const noexcept {
  sigset_t pending;
  ::sigemptyset(&pending);
  ::sigpending(&pending);
  // A signal that is held waits even where it is ignored (signal(7)).
  const auto counts = [this](int number) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    return ::sigismember(&before_, number) == 0 && action.sa_handler != SIG_IGN;
  };
  return std::ranges::any_of(
      kEndings, [&](int number) { return ::sigismember(&pending, number) == 1 && counts(number); });
}

tl::expected<Ended, OsError> run_and_wait(const Helper& helper, const HeldSignals& signals) {
  const auto failed = [&helper](const char* call, int error) {
    return tl::unexpected(OsError{call, error, helper.command.front()});
  };
  Preparation preparation;
  ::posix_spawnattr_setsigmask(&preparation.attributes(), &signals.before());
  ::posix_spawnattr_setpgroup(&preparation.attributes(), 0);
  ::posix_spawnattr_setflags(&preparation.attributes(),
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  int error = preparation.change_directory(helper.working_directory);
  if (const auto* files = std::get_if<ToFiles>(&helper.streams); error == 0 && files != nullptr) {
    error = preparation.set(*files);
  }
  auto environment = pointers(helper.environment);
  pid_t child = -1;
  if (error == 0) {
    error = preparation.start(child, helper.command, environment.data());
  }
  if (error != 0) {
    return failed("posix_spawn", error);
  }
  Ending how = Ending::exited;
  const auto asked = [&signals] { return signals.is_asked_to_end(); };
  if (!ends_before(child, Clock::now() + helper.limit, asked)) {
    how = asked() ? Ending::interrupted : Ending::timed_out;
    constexpr std::chrono::seconds kGrace{2};
    ::kill(-child, SIGTERM);
    (void)ends_before(child, Clock::now() + kGrace, [] { return false; });
  }
  // The leader is not reaped yet, so this is still its group; what it left behind ends with it.
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return failed("waitpid", errno);
    }
  }
  return Ended{how, exit_code(status)};
}

}  // namespace pmg::platform
