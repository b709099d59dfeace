/// seccomp constants newer than Debian 12's headers (include/uapi/linux/seccomp.h).
#pragma once

#include <linux/seccomp.h>
#include <sys/ioctl.h>

namespace pmg::platform::uapi {

static_assert(sizeof(seccomp_notif) == 80);
static_assert(sizeof(seccomp_notif_resp) == 24);
static_assert(sizeof(seccomp_notif_addfd) == 24);

/// Linux 6.6 (commit 48a1084a8b74): wake the waiter on the current CPU.
inline constexpr unsigned long kNotifFdSyncWakeUp = 1UL << 0U;
inline constexpr unsigned long kNotifSetFlags = _IOW('!', 4, unsigned long long);

}  // namespace pmg::platform::uapi
