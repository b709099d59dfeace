/// pidfd constants newer than Debian 12's headers (include/uapi/linux/pidfd.h).
#pragma once

#include <fcntl.h>

namespace pmg::platform::uapi {

/// Linux 6.9 (commit 64bef697d33b): the pidfd is one thread's, not its process's.
inline constexpr unsigned kPidfdThread = O_EXCL;

}  // namespace pmg::platform::uapi
