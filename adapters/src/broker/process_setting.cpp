// Scheduling and limits of other processes, named by a number in a register. The kernel would let a
// program change those of every process of its user, the broker included.

#include <cerrno>

#include <linux/ioprio.h>
#include <sys/resource.h>

#include "broker/call.hpp"
#include "domain/operation_kind.hpp"

namespace pmg::adapters::broker {
namespace {

using platform::Trapped;

// The one process that a call names, 0 for the caller; negative for a group or a user.
pid_t named_process(const Call& call, Trapped which) {
  const int first = call.caller().int_argument(0);
  const int second = call.caller().int_argument(1);
  switch (which) {
    case Trapped::setpriority:
      return first == PRIO_PROCESS ? second : -1;
    case Trapped::ioprio_set:
      return first == IOPRIO_WHO_PROCESS ? second : -1;
    default:
      return first;
  }
}

}  // namespace

Reply handle_process_setting(const Call& call, Trapped which) {
  const pid_t process = named_process(call, which);
  if (process < 0) {
    return fail(EPERM);
  }
  if (process == 0 || call.shared().tree.is_inside(process)) {
    return LetKernelRun{};
  }
  call.report_process(domain::OperationKind::control_process, process);
  return fail(EPERM);
}

}  // namespace pmg::adapters::broker
