/// Landlock constants newer than Debian 12's headers (include/uapi/linux/landlock.h, Linux 6.15).
///
/// The access-right bits are ABI: once assigned they never change (Documentation/userspace-api/
/// landlock.rst). Each group names the ABI version that brought it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pmg::platform::uapi {

inline constexpr std::uint32_t kLandlockCreateRulesetVersion = 1U << 0U;
inline constexpr int kLandlockRulePathBeneath = 1;

// ABI 1 (5.13)
inline constexpr std::uint64_t kFsExecute = 1ULL << 0U;
inline constexpr std::uint64_t kFsWriteFile = 1ULL << 1U;
inline constexpr std::uint64_t kFsReadFile = 1ULL << 2U;
inline constexpr std::uint64_t kFsReadDir = 1ULL << 3U;
inline constexpr std::uint64_t kFsAllAbi1 = (1ULL << 13U) - 1;
// ABI 2 (5.19): LANDLOCK_ACCESS_FS_REFER
inline constexpr std::uint64_t kFsRefer = 1ULL << 13U;
// ABI 3 (6.2): LANDLOCK_ACCESS_FS_TRUNCATE
inline constexpr std::uint64_t kFsTruncate = 1ULL << 14U;
// ABI 5 (6.10): LANDLOCK_ACCESS_FS_IOCTL_DEV
inline constexpr std::uint64_t kFsIoctlDev = 1ULL << 15U;
// ABI 6 (6.12)
inline constexpr std::uint64_t kScopeAbstractUnixSocket = 1ULL << 0U;
inline constexpr std::uint64_t kScopeSignal = 1ULL << 1U;

/// struct landlock_ruleset_attr. Older kernels accept a shorter size; `size_for` says which.
struct LandlockRulesetAttr {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;  // ABI 4
  std::uint64_t scoped;              // ABI 6
};
static_assert(sizeof(LandlockRulesetAttr) == 24);
static_assert(offsetof(LandlockRulesetAttr, handled_access_net) == 8);
static_assert(offsetof(LandlockRulesetAttr, scoped) == 16);

/// struct landlock_path_beneath_attr; packed in the kernel's header.
struct [[gnu::packed]] LandlockPathBeneathAttr {
  std::uint64_t allowed_access;
  std::int32_t parent_fd;
};
static_assert(sizeof(LandlockPathBeneathAttr) == 12);

}  // namespace pmg::platform::uapi
