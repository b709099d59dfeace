#include "run/child.hpp"

#include <cerrno>
#include <cstdint>
#include <new>

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/landlock.hpp"
#include "platform/process.hpp"

namespace pmg::adapters {
namespace {

using platform::OsError;
using platform::UniqueFd;

constexpr int kNotStarted = 127;

// argv or envp as execve wants it.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 2);
  for (const std::string& text : texts) {
    result.push_back(const_cast<char*>(text.c_str()));  // NOLINT: execve does not write to them
  }
  result.push_back(nullptr);
  return result;
}

/// Runs in the child: only async-signal-safe calls, no allocation.
class ChildSide {
 public:
  ChildSide(const Launch& launch, Handshake& shared, int ready, pid_t parent)
      : launch_(launch),
        shared_(shared),
        ready_(ready),
        parent_(parent),
        arguments_(pointers(launch.program.arguments)),
        environment_(pointers(launch.program.environment)),
        script_arguments_(arguments_) {
    // For a script without "#!" (ENOEXEC), as execvp(3) does: sh FILE ARGUMENTS…
    script_arguments_.insert(script_arguments_.begin() + 1,
                             const_cast<char*>(launch.program.file.text().c_str()));  // NOLINT
    script_arguments_.front() = const_cast<char*>("sh");                              // NOLINT
  }

  [[noreturn]] void run() noexcept {
    // If pmg is killed the program goes, too.
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent_) {
      ::_exit(kNotStarted);
    }
    require(platform::drop_capabilities(), Step::drop_capabilities);
    require(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno, Step::no_new_privs);
    require(platform::restrict_self(launch_.landlock_ruleset), Step::landlock);
    (void)::sigaction(SIGCHLD, &launch_.on_child, nullptr);
    const int listener = platform::install_filter(platform::filter_program(launch_.signals));
    require(listener < 0 ? -listener : 0, Step::filter);
    shared_.listener.store(listener);
    signal_ready();
    (void)::sigprocmask(SIG_SETMASK, &launch_.signal_mask, nullptr);
    const char* const file = launch_.program.file.text().c_str();
    (void)::execve(file, arguments_.data(), environment_.data());
    if (errno == ENOEXEC) {
      (void)::execve("/bin/sh", script_arguments_.data(), environment_.data());
    }
    // Nobody waits for `ready_` any more, and in the table that is still shared with the parent its
    // number may be another descriptor by now.
    fail(errno, Step::execute);
  }

 private:
  void signal_ready() const noexcept {
    const std::uint64_t one = 1;
    (void)!::write(ready_, &one, sizeof(one));
  }

  void note(int error, Step step) noexcept {
    shared_.error.store(error);
    shared_.failed_step.store(static_cast<int>(step));
  }

  [[noreturn]] void fail(int error, Step step) noexcept {
    note(error, step);
    ::_exit(kNotStarted);
  }

  void require(int error, Step step) noexcept {
    if (error != 0) {
      note(error, step);
      signal_ready();
      ::_exit(kNotStarted);
    }
  }

  const Launch& launch_;
  Handshake& shared_;
  int ready_;
  pid_t parent_;
  std::vector<char*> arguments_;
  std::vector<char*> environment_;
  std::vector<char*> script_arguments_;
};

RunError error_of(Step step, int error) {
  switch (step) {
    case Step::landlock:
      return {RunErrc::no_landlock, OsError{"landlock_restrict_self", error, ""}, {}};
    case Step::filter:
      if (error == EBUSY) {
        return {RunErrc::already_sandboxed, OsError{"seccomp", error, ""}, {}};
      }
      return {error == EINVAL ? RunErrc::kernel_too_old : RunErrc::no_notify,
              OsError{"seccomp", error, ""},
              {}};
    case Step::execute:
      return {RunErrc::cannot_execute, OsError{"execve", error, ""}, {}};
    case Step::drop_capabilities:
      return {RunErrc::out_of_resources, OsError{"capset", error, ""}, {}};
    case Step::no_new_privs:
      return {RunErrc::no_notify, OsError{"prctl", error, "PR_SET_NO_NEW_PRIVS"}, {}};
    case Step::none:
      break;
  }
  return {RunErrc::out_of_resources, OsError{"clone", error, ""}, {}};
}

// Waits until the child says that it is ready, or ends without having said so.
void wait_ready(const UniqueFd& ready, pid_t child) {
  constexpr int kRound = 50;  // milliseconds; how late the death of a child is noticed
  pollfd event{ready.get(), POLLIN, 0};
  siginfo_t ended{};
  while (::poll(&event, 1, kRound) <= 0 && ended.si_pid == 0) {
    if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) {
      return;
    }
  }
}

}  // namespace

void Child::Unmap::operator()(Handshake* shared) const noexcept {
  (void)::munmap(shared, sizeof(Handshake));
}

int Child::execute_error() const noexcept {
  return shared_->failed_step.load() == static_cast<int>(Step::execute) ? shared_->error.load() : 0;
}

tl::expected<Child, RunError> Child::start(const Launch& launch) {
  void* const memory =
      ::mmap(nullptr, sizeof(Handshake), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  UniqueFd ready{::eventfd(0, EFD_CLOEXEC)};
  if (memory == MAP_FAILED || !ready) {  // NOLINT: MAP_FAILED is a cast in the header
    return tl::unexpected(error_of(Step::none, errno));
  }
  std::unique_ptr<Handshake, Unmap> shared(new (memory) Handshake);
  ChildSide side(launch, *shared, ready.get(), ::getpid());
  // CLONE_FILES: the listener that the child installs appears in our table, too; execve gives the
  // child a table of its own again. The raw call, since the C library's fork knows no flags.
  const long pid = ::syscall(SYS_clone, CLONE_FILES | SIGCHLD, nullptr, nullptr, nullptr, 0);
  if (pid < 0) {
    return tl::unexpected(error_of(Step::none, errno));
  }
  if (pid == 0) {
    side.run();
  }
  return Child(static_cast<pid_t>(pid), std::move(shared), std::move(ready));
}

tl::expected<platform::Listener, RunError> Child::await_confined() {
  wait_ready(ready_, pid_);
  ready_.reset();
  const auto failed = static_cast<Step>(shared_->failed_step.load());
  const int listener = shared_->listener.load();
  if (failed != Step::none || listener < 0) {
    (void)::waitpid(pid_, nullptr, 0);
    return tl::unexpected(error_of(failed, shared_->error.load()));
  }
  auto adopted = platform::Listener::adopt(UniqueFd{listener});
  if (!adopted) {
    (void)::kill(pid_, SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
    return tl::unexpected(RunError{RunErrc::no_notify, adopted.error(), {}});
  }
  return std::move(*adopted);
}

}  // namespace pmg::adapters
