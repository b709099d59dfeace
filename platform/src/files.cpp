#include "platform/files.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace pmg::platform {
namespace {

/// A descriptor's number as text, without allocating.
class DescriptorNumber {
 public:
  explicit DescriptorNumber(int fd) noexcept {
    *std::to_chars(text_.begin(), text_.end(), fd).ptr = 0;
  }
  [[nodiscard]] const char* c_str() const noexcept { return text_.data(); }

 private:
  std::array<char, 16> text_{};
};

tl::expected<UniqueFd, Errno> adopt(long fd) noexcept {
  if (fd < 0) {
    return tl::unexpected(Errno{errno});
  }
  return UniqueFd{static_cast<int>(fd)};
}

}  // namespace

tl::expected<UniqueFd, Errno> open_at2(int dir, const char* path, std::uint64_t flags, mode_t mode,
                                       std::uint64_t resolve) noexcept {
  open_how how{};
  // openat2 is strict where openat is not: O_PATH admits few companions, and a mode needs O_CREAT.
  how.flags = flags | O_CLOEXEC;
  if ((flags & O_PATH) == 0) {
    how.flags |= O_NOCTTY;
  }
  how.mode = mode;
  how.resolve = resolve;
  long fd = 0;
  int tries = 0;
  do {
    // EAGAIN: a rename elsewhere on the system made a RESOLVE_BENEATH walk uncertain; try again.
    fd = ::syscall(SYS_openat2, dir, path, &how, sizeof(how));
  } while (fd < 0 && errno == EAGAIN && (resolve & RESOLVE_CACHED) == 0 && ++tries < 64);
  return adopt(fd);
}

tl::expected<UniqueFd, Errno> open_at(int dir, const char* path, int flags, mode_t mode) noexcept {
  return adopt(::openat(dir, path, flags | O_CLOEXEC | O_NOCTTY, mode));
}

tl::expected<OwnDescriptors, Errno> OwnDescriptors::open() noexcept {
  return open_at(AT_FDCWD, "/proc/self/fd", O_PATH | O_DIRECTORY, 0).map([](UniqueFd directory) {
    return OwnDescriptors(std::move(directory));
  });
}

tl::expected<UniqueFd, Errno> OwnDescriptors::reopen(const UniqueFd& object,
                                                     int flags) const noexcept {
  return open_at(directory_.get(), DescriptorNumber(object.get()).c_str(), flags, 0);
}

tl::expected<std::string, Errno> OwnDescriptors::name_of(int fd) const {
  return read_link_at(directory_.get(), DescriptorNumber(fd).c_str());
}

tl::expected<std::string, Errno> read_link_at(int dir, const char* path) {
  std::array<char, 4097> text;  // NOLINT: filled by the kernel
  const ssize_t length = ::readlinkat(dir, path, text.data(), text.size());
  if (length < 0) {
    return tl::unexpected(Errno{errno});
  }
  if (static_cast<std::size_t>(length) == text.size()) {
    return tl::unexpected(Errno{ENAMETOOLONG});
  }
  return std::string(text.data(), static_cast<std::size_t>(length));
}

tl::expected<std::string, Errno> read_whole(const std::string& path) {
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file) {
    return tl::unexpected(Errno{errno});
  }
  std::string text;
  std::array<char, 4096> chunk{};
  ssize_t count = 0;
  while ((count = ::read(file.get(), chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  if (count < 0) {
    return tl::unexpected(Errno{errno});
  }
  return text;
}

tl::expected<struct stat, Errno> status_of(int fd) noexcept {
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    return tl::unexpected(Errno{errno});
  }
  return info;
}

tl::expected<struct stat, Errno> status_at(int dir, const char* name) noexcept {
  struct stat info {};
  if (::fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return tl::unexpected(Errno{errno});
  }
  return info;
}

tl::expected<FileIdentity, Errno> identity_at(int dir, const char* name) noexcept {
  struct statx info {};
  const int flags = AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC | (name[0] == '\0' ? AT_EMPTY_PATH : 0);
  if (::statx(dir, name, flags, STATX_INO | STATX_MNT_ID, &info) != 0) {
    return tl::unexpected(Errno{errno});
  }
  if ((info.stx_mask & STATX_MNT_ID) == 0) {
    return tl::unexpected(Errno{ENOSYS});
  }
  return FileIdentity{info.stx_mnt_id, info.stx_ino, info.stx_dev_major, info.stx_dev_minor};
}

bool is_on_procfs(int fd) noexcept {
  struct statfs info {};
  return ::fstatfs(fd, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

DescriptorPath::DescriptorPath(int fd) noexcept {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): a bounded integer into a sized buffer
  (void)std::snprintf(text_, sizeof(text_), "/proc/self/fd/%d", fd);
}

tl::expected<void, Errno> check(long result) noexcept {
  if (result < 0) {
    return tl::unexpected(Errno{errno});
  }
  return {};
}

}  // namespace pmg::platform
