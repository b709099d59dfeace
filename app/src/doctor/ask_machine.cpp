#include "doctor/pure/machine.hpp"
#include "platform/filter.hpp"
#include "platform/landlock.hpp"
#include "platform/machine.hpp"
#include "platform/notify.hpp"

namespace pmg::app {
namespace {

Nesting nesting(Marker marker) {
  if (platform::probe_supervisor() == platform::Supervisor::absent) {
    return Nesting::none;
  }
  return marker == Marker::set ? Nesting::inside_pmg : Nesting::other;
}

}  // namespace

MachineFacts ask_machine(Marker marker) {
  return {platform::kernel_release(),
          platform::probe_landlock(),
          platform::read_setting("/sys/kernel/security/lsm"),
          platform::probe_notify(),
          platform::probe_supervision(),
          platform::probe_openat2(),
          platform::probe_unshare_fs(),
          platform::probe_children_file(),
          nesting(marker),
          platform::read_setting("/proc/sys/kernel/yama/ptrace_scope"),
          platform::read_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")};
}

}  // namespace pmg::app
