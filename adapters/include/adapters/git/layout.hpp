/// Where the git data of a directory lives, found without running git.
///
///   auto git = read_git_layout({cwd, home, config_home, uid});   // expected<GitLayout, GitLimit>
///
/// L1: nothing comes from GIT_* variables: a project's `.envrc` may set them.
/// L2: a pointer counts only if the place it points to points back, through files that the project
/// cannot have written. A linked worktree: `.git` is a regular file naming P, P is
/// <common>/worktrees/<id>, P/gitdir names this `.git`. A submodule: core.worktree of P/config
/// names the directory of this `.git`. Everything else (a symlink, --separate-git-dir, a missing
/// back-pointer) grants nothing.
/// L3: a repository of a parent directory counts unless that is HOME or above, or the `.git`
/// belongs to someone else (git's safe.directory).
/// L5: what is too much to be looked through is an error. Hooks that git finds there would stay
/// writable, and a program could see to it that there is too much. Other files that cannot be read
/// are not there: git cannot read them either.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tl/expected.hpp>

#include "domain/path.hpp"

namespace pmg::adapters {

struct GitLayout {
  /// Confirmed git directories outside the working directory, canonical.
  std::vector<domain::AbsolutePath> directories;
  /// Paths through which git runs programs, to be write-denied: core.hooksPath of the repository,
  /// of the user and of the machine; the files that their configurations include; hooks and
  /// configuration of submodules' git directories, and of one that is pointed to without
  /// confirmation.
  std::vector<domain::AbsolutePath> hooks;
};

struct GitContext {
  domain::AbsolutePath working_directory;
  domain::AbsolutePath home;
  domain::AbsolutePath config_home;  ///< $XDG_CONFIG_HOME or ~/.config
  std::uint32_t user;                ///< effective user id
};

enum class GitLimitErrc : std::uint8_t {
  large_file,          ///< a configuration of more than 1 MiB
  many_files,          ///< more than 256 configurations that include each other
  many_entries,        ///< more than 20,000 names below `modules`
  unreadable_entries,  ///< a directory below `modules` that cannot be listed
};

struct GitLimit {
  GitLimitErrc code;
  domain::AbsolutePath path;
};

[[nodiscard]] tl::expected<GitLayout, GitLimit> read_git_layout(const GitContext& context);

/// What stands for the repository of the working directory, canonical: its top level; of a linked
/// worktree the top level of the main checkout, or the bare repository; of a submodule its own.
/// Nothing where L2 or L3 is not met.
[[nodiscard]] std::optional<domain::AbsolutePath> repository_of(const GitContext& context);

}  // namespace pmg::adapters
