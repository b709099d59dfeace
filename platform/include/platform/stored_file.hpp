/// Files that pmg writes for the user: replaced whole, or not at all.
///
///   auto lock = FileLock::acquire(file + ".lock");      // one writer at a time
///   … read, change …
///   auto stored = store(file, text, IfThere::replace);  // expected<void, OsError>
///
/// Not for: what the sandboxed program writes; and no guard against the same user's other programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {

enum class IfThere : std::uint8_t {
  fail,  ///< EEXIST
  replace,
};

/// Creates the missing directories of the path (0700) and the file (0600; one that is replaced
/// keeps its mode). A reader sees the old text or the new one; after a crash either is there
/// (fsync(2), rename(2)). Where `file` is a symlink, what it points to is replaced.
[[nodiscard]] tl::expected<void, OsError> store(const std::string& file, std::string_view text,
                                                IfThere if_there);

/// An exclusive flock(2), held while the value lives; waits for it. The file is made where it is
/// missing and stays.
class FileLock {
 public:
  [[nodiscard]] static tl::expected<FileLock, OsError> acquire(const std::string& file);

 private:
  explicit FileLock(UniqueFd fd) noexcept : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

/// mkdir -p, with 0700 for what is made.
[[nodiscard]] tl::expected<void, OsError> make_directories(const std::string& path);

}  // namespace pmg::platform
