/// Symlinks of the existing part of a path, resolved.
#pragma once

#include "domain/path.hpp"

namespace pmg::adapters {

/// realpath(3) of the longest prefix that has one, and the rest as it is: a file that does not exist
/// yet below a symlinked directory gets its real name. A dangling symlink stays itself.
/// The path itself where nothing can be resolved.
[[nodiscard]] domain::AbsolutePath canonical(const domain::AbsolutePath& path);

}  // namespace pmg::adapters
