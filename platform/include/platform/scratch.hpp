/// A directory that lasts as long as the value.
///
///   auto scratch = ScratchDirectory::make("/home/u/.cache/safedep/pmg", "doctor-");
///   … scratch->path() …
///
/// Not for: what has to outlive a SIGKILL; hold the other signals meanwhile (spawn.hpp).
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"

namespace pmg::platform {

class ScratchDirectory {
 public:
  /// Below `parent`, which is made where it is missing; nobody else's to look into (0700).
  [[nodiscard]] static tl::expected<ScratchDirectory, OsError> make(const std::string& parent,
                                                                    const std::string& prefix);
  ~ScratchDirectory();
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  explicit ScratchDirectory(std::string path) noexcept : path_(std::move(path)) {}
  std::string path_;
};

/// Removes a tree: also one whose directories have lost their permissions, or whose paths are
/// longer than a call takes. Symlinks are removed, not followed. The first error, after which it
/// goes on.
[[nodiscard]] tl::expected<void, OsError> remove_tree(const std::string& path);

}  // namespace pmg::platform
