/// File-system calls on descriptors: each function is one system call, errors are its errno.
#pragma once

#include <cstdint>
#include <string>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {

/// openat2(2). `flags` and `resolve` as there; O_CLOEXEC and O_NOCTTY are always added.
[[nodiscard]] tl::expected<UniqueFd, Errno> open_at2(int dir, const char* path, std::uint64_t flags,
                                                     mode_t mode, std::uint64_t resolve) noexcept;

/// openat(2) with O_CLOEXEC and O_NOCTTY added.
[[nodiscard]] tl::expected<UniqueFd, Errno> open_at(int dir, const char* path, int flags,
                                                    mode_t mode) noexcept;

/// This process's /proc/self/fd, held open: looking a descriptor up in it costs one component
/// instead of four. Usable from every thread.
class OwnDescriptors {
 public:
  [[nodiscard]] static tl::expected<OwnDescriptors, Errno> open() noexcept;

  /// Opens the object of an O_PATH descriptor again: the same inode, whatever its name means by
  /// now. Never follows a name.
  [[nodiscard]] tl::expected<UniqueFd, Errno> reopen(const UniqueFd& object,
                                                     int flags) const noexcept;

  /// The kernel's name of an open file (d_path): a canonical path, "pipe:[7]", "… (deleted)".
  [[nodiscard]] tl::expected<std::string, Errno> name_of(int fd) const;

 private:
  explicit OwnDescriptors(UniqueFd directory) noexcept : directory_(std::move(directory)) {}
  UniqueFd directory_;
};

/// How many symlinks the kernel follows on one path (MAXSYMLINKS; ELOOP beyond).
inline constexpr int kMaxSymlinks = 40;

/// readlinkat(2), whole.
[[nodiscard]] tl::expected<std::string, Errno> read_link_at(int dir, const char* path);

/// A file of procfs, to its end. A read that fails half-way is an error: what was read so far would
/// be a list in which entries are missing.
[[nodiscard]] tl::expected<std::string, Errno> read_whole(const std::string& path);

/// fstat(2).
[[nodiscard]] tl::expected<struct stat, Errno> status_of(int fd) noexcept;
/// fstatat(2) with AT_SYMLINK_NOFOLLOW.
[[nodiscard]] tl::expected<struct stat, Errno> status_at(int dir, const char* name) noexcept;

/// An object and the mount through which it is reached. Unique while it is held open.
struct FileIdentity {
  std::uint64_t mount = 0;
  std::uint64_t inode = 0;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
/// statx(2), following a symlink at the end; an empty name means `dir` itself. ENOSYS where the
/// kernel does not tell the mount (before 5.8).
[[nodiscard]] tl::expected<FileIdentity, Errno> identity_at(int dir, const char* name) noexcept;

/// True where the descriptor is on procfs (statfs(2), PROC_SUPER_MAGIC).
[[nodiscard]] bool is_on_procfs(int fd) noexcept;

/// "/proc/self/fd/<n>": a path that names the object of a descriptor of this process.
class DescriptorPath {
 public:
  explicit DescriptorPath(int fd) noexcept;
  [[nodiscard]] const char* c_str() const noexcept { return text_; }

 private:
  char text_[32]{};  // NOLINT(*-avoid-c-arrays): handed to the kernel as it is
};

/// The outcome of a call that returns 0 or -1 with errno.
[[nodiscard]] tl::expected<void, Errno> check(long result) noexcept;

}  // namespace pmg::platform
