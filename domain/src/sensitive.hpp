/// What the segments of a pattern name. Used for presets and for saved allowances.
#pragma once

#include <span>

#include "domain/pattern.hpp"

namespace pmg::domain {

/// A credential file or directory, or something in one, at any depth.
[[nodiscard]] bool names_credential(std::span<const Segment> segments);

/// `.git/hooks` or `.git/modules/…/hooks`, or something in it, at any depth.
[[nodiscard]] bool names_git_hooks(std::span<const Segment> segments);

/// git's configuration, which names programs too.
[[nodiscard]] bool names_git_config(std::span<const Segment> segments);

/// A file that runs code later, or something in such a directory. `segments` begin below the home
/// or the working directory.
[[nodiscard]] bool names_startup_file(std::span<const Segment> segments);

}  // namespace pmg::domain
