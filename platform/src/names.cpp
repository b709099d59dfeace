#include "platform/names.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "platform/files.hpp"
#include "platform/uapi/xfs.hpp"

namespace pmg::platform {
namespace {

/// File systems without any folding of names. NFS is none of them: its server may fold.
constexpr std::array<std::uint32_t, 16> kByBytes{
    BTRFS_SUPER_MAGIC,   PROC_SUPER_MAGIC, SYSFS_MAGIC,          DEVPTS_SUPER_MAGIC,
    SQUASHFS_MAGIC,      RAMFS_MAGIC,      EROFS_SUPER_MAGIC_V1, CGROUP_SUPER_MAGIC,
    CGROUP2_SUPER_MAGIC, HUGETLBFS_MAGIC,  DEBUGFS_MAGIC,        TRACEFS_MAGIC,
    SECURITYFS_MAGIC,    NSFS_MAGIC,       BINFMTFS_MAGIC,       BPF_FS_MAGIC};
/// Those that fold in directories which say so.
constexpr std::array<std::uint32_t, 4> kByDirectory{EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC,
                                                    OVERLAYFS_SUPER_MAGIC};

UniqueFd open_to_ask(const UniqueFd& directory) noexcept {
  auto fd = open_at(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
  return fd ? std::move(*fd) : UniqueFd();
}

// The ioctl answers with 32 bits, whatever its number says; room for a long does no harm.
Names by_flag(const UniqueFd& directory, std::uint32_t type) noexcept {
  const UniqueFd fd = open_to_ask(directory);
  long flags = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  if (!fd || ::ioctl(fd.get(), FS_IOC_GETFLAGS, &flags) != 0) {
    // A tmpfs without flags is older than a tmpfs that folds (Linux 6.13).
    return fd && type == TMPFS_MAGIC && errno == ENOTTY ? Names::by_bytes : Names::may_fold;
  }
  return (flags & FS_CASEFOLD_FL) == 0 ? Names::by_bytes : Names::may_fold;
}

Names by_geometry(const UniqueFd& directory) noexcept {
  const UniqueFd fd = open_to_ask(directory);
  uapi::XfsGeometryV1 geometry{};
  constexpr unsigned long kAsk = _IOR(uapi::kXfsIoctl, uapi::kXfsGeometryV1, uapi::XfsGeometryV1);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  if (!fd || ::ioctl(fd.get(), kAsk, &geometry) != 0) {
    return Names::may_fold;
  }
  return (geometry.flags & uapi::kXfsFoldsAscii) == 0 ? Names::by_bytes : Names::may_fold;
}

}  // namespace

Names names_in(const UniqueFd& directory) noexcept {
  struct statfs info {};
  if (::fstatfs(directory.get(), &info) != 0) {
    return Names::may_fold;
  }
  const auto type = static_cast<std::uint32_t>(info.f_type);
  if (std::ranges::find(kByBytes, type) != kByBytes.end()) {
    return Names::by_bytes;
  }
  if (std::ranges::find(kByDirectory, type) != kByDirectory.end()) {
    return by_flag(directory, type);
  }
  return type == XFS_SUPER_MAGIC ? by_geometry(directory) : Names::may_fold;
}

Names names_along(std::string_view path) {
  auto directory = open_at(AT_FDCWD, "/", O_PATH | O_DIRECTORY, 0);
  while (directory && names_in(*directory) == Names::by_bytes) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    const std::size_t end = path.find('/');
    if (end == std::string_view::npos || is_on_procfs(directory->get())) {
      return Names::by_bytes;
    }
    const std::string name(path.substr(0, end));
    directory = open_at(directory->get(), name.c_str(), O_PATH | O_DIRECTORY, 0);
    path.remove_prefix(end);
  }
  const bool is_missing =
      !directory && (directory.error().value == ENOENT || directory.error().value == ENOTDIR);
  return is_missing ? Names::missing : Names::may_fold;
}

}  // namespace pmg::platform
