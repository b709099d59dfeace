#include "platform/filter.hpp"

#include <cerrno>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filter/generated.hpp"
#include "platform/uapi/seccomp.hpp"

namespace pmg::platform {

std::span<const sock_filter> filter_program(Signals signals) noexcept {
  return signals == Signals::scoped ? generated::filter_with_scoped_signals()
                                    : generated::filter_with_brokered_signals();
}

int install_filter(std::span<const sock_filter> program) noexcept {
  const sock_fprog code{static_cast<unsigned short>(program.size()),
                        const_cast<sock_filter*>(program.data())};  // NOLINT: the kernel only reads
  const long fd =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &code);
  return fd >= 0 ? static_cast<int>(fd) : -errno;
}

Supervisor probe_supervisor() noexcept {
  constexpr int kBusy = 1;
  const pid_t child = ::fork();
  if (child == 0) {
    sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog code{1, &allow};
    (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const long fd =
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &code);
    ::_exit(fd < 0 && errno == EBUSY ? kBusy : 0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    return Supervisor::absent;
  }
  return WEXITSTATUS(status) == kBusy ? Supervisor::present : Supervisor::absent;
}

}  // namespace pmg::platform
