#include "broker/caller.hpp"

#include <cerrno>
#include <climits>

#include <fcntl.h>

namespace pmg::adapters::broker {

using platform::Errno;
using platform::UniqueFd;

Result<CallerCache::Entry*> CallerCache::find(pid_t thread) {
  Entry& entry = slots_.at(static_cast<std::size_t>(thread) % slots_.size());
  if (entry.thread == thread && entry.proc) {
    return &entry;
  }
  return renew(thread);
}

Result<CallerCache::Entry*> CallerCache::renew(pid_t thread) {
  Entry& entry = slots_.at(static_cast<std::size_t>(thread) % slots_.size());
  entry.umask.reset();
  entry.cwd.reset();
  entry.proc.reset();
  entry.thread = thread;
  auto proc = platform::open_at(AT_FDCWD, ("/proc/" + std::to_string(thread)).c_str(),
                                O_PATH | O_DIRECTORY, 0);
  if (!proc) {
    return tl::unexpected(proc.error().value == ENOENT ? Errno{ESRCH} : proc.error());
  }
  entry.proc = std::move(*proc);
  return &entry;
}

void CallerCache::forget() {
  for (Entry& entry : slots_) {
    entry = {};
  }
}

Result<std::string> Caller::read_path(std::size_t index) const {
  return read_text(index, PATH_MAX - 1);
}

Result<std::string> Caller::read_text(std::size_t index, std::size_t limit) const {
  return platform::read_string(thread(), platform::RemoteAddress{argument(index)}, limit);
}

Result<UniqueFd> Caller::open_own(const std::string& entry, int flags) const {
  const auto known = cache_.find(thread());
  if (!known) {
    return tl::unexpected(known.error());
  }
  auto opened = platform::open_at((*known)->proc.get(), entry.c_str(), flags, 0);
  if (opened || (opened.error().value != ENOENT && opened.error().value != ESRCH)) {
    return opened;
  }
  const auto renewed = cache_.renew(thread());
  if (!renewed) {
    return tl::unexpected(renewed.error());
  }
  return platform::open_at((*renewed)->proc.get(), entry.c_str(), flags, 0);
}

// The directory is held from call to call and asked for again by its identity: cheaper than opening
// and closing it each time. While it is held, its inode number cannot come to mean something else.
Result<Base> Caller::working_directory() const {
  const auto known = cache_.find(thread());
  if (known && (*known)->cwd) {
    const auto now = platform::identity_at((*known)->proc.get(), "cwd");
    if (now && *now == (*known)->cwd_identity) {
      return Base((*known)->cwd);
    }
  }
  auto cwd = open_own("cwd", O_PATH | O_DIRECTORY);
  if (!cwd) {
    return tl::unexpected(cwd.error());
  }
  const auto identity = platform::identity_at(cwd->get(), "");
  const auto entry = cache_.find(thread());
  if (!identity || !entry) {
    return Base(std::move(*cwd));
  }
  (*entry)->cwd_identity = *identity;
  (*entry)->cwd = std::make_shared<const UniqueFd>(std::move(*cwd));
  return Base((*entry)->cwd);
}

Result<Base> Caller::base_of(int dir_fd, const std::string& path) const {
  if (!path.empty() && path.front() == '/') {
    return Base();
  }
  if (dir_fd == AT_FDCWD) {
    return working_directory();
  }
  auto object = object_of(dir_fd);
  if (!object) {
    return tl::unexpected(object.error());
  }
  return Base(std::move(*object));
}

Result<UniqueFd> Caller::object_of(int fd) const {
  if (fd < 0) {
    return tl::unexpected(Errno{EBADF});
  }
  auto object = open_own("fd/" + std::to_string(fd), O_PATH);
  if (!object) {
    return tl::unexpected(Errno{object.error().value == ENOENT ? EBADF : object.error().value});
  }
  return object;
}

Result<pid_t> Caller::process() const {
  return platform::read_status(thread()).map([](const auto& status) { return status.process; });
}

Result<mode_t> Caller::umask() const {
  if (!umasks_.may_remember(thread())) {
    return platform::read_status(thread()).map([](const auto& status) { return status.umask; });
  }
  auto known = cache_.find(thread());
  if (!known) {
    return tl::unexpected(known.error());
  }
  const std::uint64_t generation = umasks_.generation();
  if ((*known)->umask && (*known)->umask_generation == generation) {
    // The entry may be of an ended task whose number came back: ask the kernel whether it lives.
    if (::faccessat((*known)->proc.get(), "cwd", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
      return *(*known)->umask;
    }
    known = cache_.renew(thread());
    if (!known) {
      return tl::unexpected(known.error());
    }
  }
  const auto status = platform::read_status(thread());
  if (!status) {
    return tl::unexpected(status.error());
  }
  (*known)->umask = status->umask;
  (*known)->umask_generation = generation;
  return status->umask;
}

}  // namespace pmg::adapters::broker
