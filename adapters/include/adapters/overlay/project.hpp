/// Which directory stands for the project of a working directory.
///
///   auto project = project_of(caller, variables);     // expected<AbsolutePath, …>
///
/// OV5: the top level of its repository, where git's layout is confirmed in both directions; of a
/// linked worktree the main checkout (or the bare repository), so that all share one overlay; else
/// the working directory. Canonical. A forged `.git` leads to no other project.
#pragma once

#include <tl/expected.hpp>

#include "adapters/caller.hpp"
#include "adapters/surroundings.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"

namespace pmg::adapters {

/// The root, the home directory and what holds it are no project.
[[nodiscard]] tl::expected<domain::AbsolutePath, WorkingDirectoryErrc> project_of(
    const Caller& caller, const domain::Variables& variables);

}  // namespace pmg::adapters
