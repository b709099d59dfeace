// Signals, where Landlock does not keep them inside (before ABI 6). The kernel runs what a process
// sends to itself; the rest is sent from here, through a pidfd that was looked at, so the number
// cannot come to mean somebody else. The receiver then sees the broker as the sender.

#include <cerrno>
#include <limits>
#include <optional>

#include <signal.h>
#include <unistd.h>

#include "broker/call.hpp"
#include "domain/operation_kind.hpp"
#include "platform/process.hpp"

namespace pmg::adapters::broker {
namespace {

using platform::Errno;
using platform::Trapped;
using platform::UniqueFd;

using Info = std::optional<siginfo_t>;

// The process of a process or thread of the tree; EPERM outside, as the kernel says it.
Result<UniqueFd> open_inside(const Call& call, pid_t target) {
  const auto status = platform::read_status(target);
  if (!status) {
    return tl::unexpected(Errno{ESRCH});
  }
  auto process = platform::open_process(status->process);
  if (!process) {
    return tl::unexpected(process.error());
  }
  // Held first, looked at then: if the number changed hands in between, what is held has ended.
  if (!call.shared().tree.is_inside(status->process)) {
    call.report_process(domain::OperationKind::signal, status->process);
    return tl::unexpected(Errno{EPERM});
  }
  return process;
}

Result<void> send(const Call& call, pid_t target, int signal, const Info& info) {
  const auto process = open_inside(call, target);
  if (!process) {
    return tl::unexpected(process.error());
  }
  if (!call.shared().listener.is_waiting(call.id())) {
    return tl::unexpected(Errno{ESRCH});
  }
  return platform::send_signal(*process, signal, info ? &*info : nullptr);
}

// kill(2) with 0, -1 or -group: to the members of the tree that it means, and to nobody else.
Reply send_to_group(const Call& call, pid_t caller, pid_t target, int signal) {
  const pid_t group = target == 0 ? ::getpgid(caller) : -target;
  bool sent = false;
  for (const pid_t member : call.shared().tree.members()) {
    const bool meant = target == -1 ? member != caller : ::getpgid(member) == group;
    sent = (meant && send(call, member, signal, std::nullopt).has_value()) || sent;
  }
  if (sent) {
    return Value{0};
  }
  const bool is_outside = target != -1 && ::kill(-group, 0) == 0;
  return fail(is_outside ? EPERM : ESRCH);
}

Reply handle_kill(const Call& call, pid_t caller) {
  const pid_t target = call.caller().int_argument(0);
  const int signal = call.caller().int_argument(1);
  if (target == std::numeric_limits<pid_t>::min()) {
    return fail(ESRCH);  // as kill(2): it has no positive counterpart
  }
  if (target <= 0) {
    return send_to_group(call, caller, target, signal);
  }
  return target == caller ? Reply{LetKernelRun{}}
                          : reply_of(send(call, target, signal, std::nullopt));
}

// A thread is named by its number and, but for tkill, its process: the kernel compares them.
Reply handle_thread_kill(const Call& call, pid_t caller, Trapped which) {
  const bool one_number = which == Trapped::tkill;
  const pid_t target = call.caller().int_argument(0);
  const bool to_itself = target == (one_number ? call.caller().thread() : caller);
  const int signal = call.caller().int_argument(one_number ? 1 : 2);
  return to_itself ? Reply{LetKernelRun{}} : reply_of(send(call, target, signal, std::nullopt));
}

Reply handle_queue(const Call& call, pid_t caller, Trapped which) {
  const pid_t target = call.caller().int_argument(0);
  if (target == caller) {
    return LetKernelRun{};
  }
  const std::size_t signal_index = which == Trapped::rt_sigqueueinfo ? 1 : 2;
  const auto info = call.caller().read_value<siginfo_t>(signal_index + 1);
  if (!info) {
    return fail(info.error());
  }
  // pidfd_send_signal(2) itself refuses what only the kernel may say.
  return reply_of(send(call, target, call.caller().int_argument(signal_index), *info));
}

Reply handle_pidfd(const Call& call) {
  constexpr std::size_t kInfo = 2;
  constexpr std::size_t kFlags = 3;
  if (call.caller().argument(kFlags) != 0) {
    return fail(EINVAL);  // as kernels before 6.9 say
  }
  const auto pidfd =
      platform::duplicate_from(call.caller().thread(), call.caller().int_argument(0));
  if (!pidfd) {
    return fail(pidfd.error());
  }
  const auto target = platform::process_of(*pidfd);
  if (!target) {
    return fail(target.error());
  }
  if (!call.shared().tree.is_inside(*target)) {
    call.report_process(domain::OperationKind::signal, *target);
    return fail(EPERM);
  }
  Info info;
  if (call.caller().argument(kInfo) != 0) {
    const auto given = call.caller().read_value<siginfo_t>(kInfo);
    if (!given) {
      return fail(given.error());
    }
    info = *given;
  }
  if (!call.shared().listener.is_waiting(call.id())) {
    return fail(ESRCH);
  }
  return reply_of(
      platform::send_signal(*pidfd, call.caller().int_argument(1), info ? &*info : nullptr));
}

}  // namespace

Reply handle_signal(const Call& call, Trapped which) {
  const auto caller = call.caller().process();
  if (!caller) {
    return fail(caller.error());
  }
  switch (which) {
    case Trapped::kill:
      return handle_kill(call, *caller);
    case Trapped::tkill:
    case Trapped::tgkill:
      return handle_thread_kill(call, *caller, which);
    case Trapped::rt_sigqueueinfo:
    case Trapped::rt_tgsigqueueinfo:
      return handle_queue(call, *caller, which);
    case Trapped::pidfd_send_signal:
      return handle_pidfd(call);
    default:
      return fail(ENOSYS);
  }
}

}  // namespace pmg::adapters::broker
