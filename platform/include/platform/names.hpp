/// Whether a file system tells names by their bytes.
///
///   names_along("/home/u/p/.ENV")      // asks every directory above the last name
///
/// A handful of system calls for each directory: ask only where the answer matters.
#pragma once

#include <cstdint>
#include <string_view>

#include "platform/unique_fd.hpp"

namespace pmg::platform {

enum class Names : std::uint8_t {
  by_bytes,
  may_fold,  ///< the file system may take other bytes for the same name, or is not known
  missing,   ///< there is no such directory
};

/// The names of a directory's entries. By the type of its file system (statfs(2)); ext4, f2fs,
/// tmpfs and overlayfs fold in directories with FS_CASEFOLD_FL, XFS as a whole (mkfs.xfs -n
/// version=ci). What cannot be asked may fold.
[[nodiscard]] Names names_in(const UniqueFd& directory) noexcept;

/// May fold if any directory above the last name of the absolute `path` may. Symlinks are followed,
/// but not beyond procfs: where its links lead depends on who asks.
[[nodiscard]] Names names_along(std::string_view path);

}  // namespace pmg::platform
