/// The thread behind a notification: its memory, working directory, descriptors and umask.
///
/// Everything here is read from the caller once and then belongs to us. `Listener::is_waiting` must
/// be asked after the last read and before the first effect.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include <tl/expected.hpp>

#include "broker/umask_changes.hpp"
#include "platform/files.hpp"
#include "platform/notify.hpp"
#include "platform/process.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters::broker {

template <class T>
using Result = tl::expected<T, platform::Errno>;

/// Per-thread facts that are slow to get. One cache belongs to one broker thread.
///
/// An entry's `/proc/<tid>` descriptor is bound to the task, not to the number: after the task ends
/// every lookup below it fails, even when the number is used again (proc(5), fs/proc/base.c).
class CallerCache {
 public:
  struct Entry {
    pid_t thread = 0;
    platform::UniqueFd proc;
    std::optional<mode_t> umask;
    std::uint64_t umask_generation = 0;
    std::shared_ptr<const platform::UniqueFd>
        cwd;  ///< the working directory when it was last asked for
    platform::FileIdentity cwd_identity;
  };

  /// Direct-mapped: a collision costs one open. Each slot holds two descriptors.
  explicit CallerCache(std::size_t slots) : slots_(slots) {}

  /// The entry of `thread`, opened now if it is not there.
  [[nodiscard]] Result<Entry*> find(pid_t thread);
  /// Opens the entry again: the old one belonged to a task that ended.
  [[nodiscard]] Result<Entry*> renew(pid_t thread);
  /// Closes everything, to have room for a call.
  void forget();

 private:
  std::vector<Entry> slots_;
};

/// Where a relative path starts.
class Base {
 public:
  /// For an absolute path.
  Base() noexcept = default;
  explicit Base(platform::UniqueFd directory)
      : directory_(std::make_shared<const platform::UniqueFd>(std::move(directory))) {}
  /// Shared with the cache, which may replace its own at any time.
  explicit Base(std::shared_ptr<const platform::UniqueFd> directory) noexcept
      : directory_(std::move(directory)) {}

  [[nodiscard]] bool is_absolute() const noexcept { return directory_ == nullptr; }
  /// What to pass to a *at call.
  [[nodiscard]] int at() const noexcept { return is_absolute() ? AT_FDCWD : directory_->get(); }

 private:
  std::shared_ptr<const platform::UniqueFd> directory_;
};

class Caller {
 public:
  Caller(const platform::Notification& call, CallerCache& cache,
         const platform::OwnDescriptors& own, const UmaskChanges& umasks) noexcept
      : call_(call), cache_(cache), own_(own), umasks_(umasks) {}

  /// The broker's own descriptors, for naming and reopening what was resolved.
  [[nodiscard]] const platform::OwnDescriptors& own() const noexcept { return own_; }

  [[nodiscard]] pid_t thread() const noexcept { return call_.thread; }

  [[nodiscard]] std::uint64_t argument(std::size_t index) const noexcept {
    return call_.arguments.at(index);
  }
  [[nodiscard]] int int_argument(std::size_t index) const noexcept {
    return static_cast<int>(static_cast<std::uint32_t>(argument(index)));
  }

  /// The string that argument `index` points to; at most PATH_MAX - 1 bytes.
  [[nodiscard]] Result<std::string> read_path(std::size_t index) const;
  [[nodiscard]] Result<std::string> read_text(std::size_t index, std::size_t limit) const;

  /// Exactly one T from the address in argument `index`.
  template <class T>
  [[nodiscard]] Result<T> read_value(std::size_t index) const {
    T value{};
    auto done = platform::read_exactly(thread(), platform::RemoteAddress{argument(index)},
                                       std::as_writable_bytes(std::span(&value, 1)));
    if (!done) {
      return tl::unexpected(done.error());
    }
    return value;
  }

  /// Writes to the address in argument `index`, as the kernel would for a result. EFAULT.
  [[nodiscard]] Result<void> write(std::size_t index, std::span<const std::byte> bytes) const {
    return platform::write_exactly(thread(), platform::RemoteAddress{argument(index)}, bytes);
  }

  /// Where `path` starts for this caller: nothing for an absolute path, its working directory for
  /// AT_FDCWD, else the object of the descriptor. EBADF as the kernel says it.
  [[nodiscard]] Result<Base> base_of(int dir_fd, const std::string& path) const;

  /// The object of one of the caller's descriptors, as an O_PATH descriptor. EBADF.
  [[nodiscard]] Result<platform::UniqueFd> object_of(int fd) const;

  /// Thread group id.
  [[nodiscard]] Result<pid_t> process() const;

  /// The file mode creation mask, cached until some process of the tree calls umask.
  [[nodiscard]] Result<mode_t> umask() const;

 private:
  [[nodiscard]] Result<platform::UniqueFd> open_own(const std::string& entry, int flags) const;
  [[nodiscard]] Result<Base> working_directory() const;

  const platform::Notification& call_;
  CallerCache& cache_;
  const platform::OwnDescriptors& own_;
  const UmaskChanges& umasks_;
};

}  // namespace pmg::adapters::broker
