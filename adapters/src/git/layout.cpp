#include "adapters/git/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "adapters/canonical.hpp"
#include "adapters/git/config_file.hpp"
#include "bounded_read.hpp"
#include "domain/path.hpp"

namespace pmg::adapters {

namespace {

namespace fs = std::filesystem;
using domain::AbsolutePath;
using domain::normalise;

/// Pointers hold one path, configurations some kilobytes.
constexpr std::size_t kMaxFile = 1U << 20U;

enum class Unread : std::uint8_t { missing, large };

tl::expected<std::string, Unread> read_small(const AbsolutePath& path) {
  std::error_code error;
  if (fs::status(path.text(), error).type() != fs::file_type::regular) {
    return tl::unexpected(Unread::missing);  // also not a FIFO that would block
  }
  std::ifstream stream(path.text(), std::ios::binary);
  std::string text = read_at_most(stream, kMaxFile + 1);
  if (text.size() > kMaxFile) {
    return tl::unexpected(Unread::large);
  }
  if (stream.bad() || !stream.eof()) {
    return tl::unexpected(Unread::missing);
  }
  return text;
}

/// The first line, relative to `base`; `prefix` must stand before it.
std::optional<AbsolutePath> read_pointer(const AbsolutePath& file, std::string_view prefix,
                                         const AbsolutePath& base) {
  const auto text = read_small(file);
  if (!text || !text->starts_with(prefix)) {
    return std::nullopt;
  }
  std::string_view line = std::string_view(*text).substr(prefix.size());
  line = line.substr(0, line.find_first_of("\r\n"));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.empty() ? std::nullopt : std::optional(normalise(base, line));
}

fs::file_type type_of(const AbsolutePath& path) {
  std::error_code error;
  return fs::symlink_status(path.text(), error).type();
}

bool is_directory(const AbsolutePath& path) { return type_of(path) == fs::file_type::directory; }

bool is_git_directory(const AbsolutePath& path) {
  return type_of(normalise(path, "HEAD")) != fs::file_type::not_found &&
         is_directory(normalise(path, "objects")) && is_directory(normalise(path, "refs"));
}

bool is_owned_by(const AbsolutePath& path, std::uint32_t user) {
  struct stat status {};
  return ::lstat(path.text().c_str(), &status) == 0 && status.st_uid == user;
}

std::optional<std::string> value_in(const AbsolutePath& config, std::string_view key) {
  const auto text = read_small(config);
  return text ? git_value(*text, "core", key) : std::nullopt;
}

enum class Confirmed : std::uint8_t { no, yes };

struct Repository {
  AbsolutePath root;       ///< the directory that holds `.git`, canonical
  AbsolutePath directory;  ///< the git directory (of a worktree: the common one), canonical
  AbsolutePath top;        ///< what stands for it: see repository_of
  Confirmed confirmed;     ///< L2 and L3
};

/// `target` is what `<root>/.git` points to.
std::optional<Repository> linked_worktree(const AbsolutePath& root, const AbsolutePath& target) {
  const auto pointer = read_pointer(normalise(target, "commondir"), "", target);
  if (!pointer) {
    return std::nullopt;
  }
  AbsolutePath common = canonical(*pointer);
  const auto back = read_pointer(normalise(target, "gitdir"), "", target);
  const bool points_back = back && back->filename() == ".git" && canonical(back->parent()) == root;
  const bool registered = target.parent() == normalise(common, "worktrees");
  const bool confirmed = points_back && registered && is_git_directory(common);
  AbsolutePath top = common.filename() == ".git" ? common.parent() : common;
  return Repository{root, std::move(common), std::move(top),
                    confirmed ? Confirmed::yes : Confirmed::no};
}

Repository submodule(const AbsolutePath& root, const AbsolutePath& target) {
  const auto worktree = value_in(normalise(target, "config"), "worktree");
  const bool points_back = worktree && canonical(normalise(target, *worktree)) == root;
  const bool confirmed = points_back && is_git_directory(target);
  return {root, target, root, confirmed ? Confirmed::yes : Confirmed::no};
}

/// What the `.git` of `root`, a canonical directory, says.
std::optional<Repository> repository_at(const AbsolutePath& root, std::uint32_t user) {
  const AbsolutePath dot_git = normalise(root, ".git");
  const fs::file_type type = type_of(dot_git);
  std::optional<Repository> found;
  if (type == fs::file_type::regular) {
    const auto pointer = read_pointer(dot_git, "gitdir: ", root);
    if (!pointer) {
      return std::nullopt;
    }
    const AbsolutePath target = canonical(*pointer);
    found = linked_worktree(root, target);
    if (!found) {
      found = submodule(root, target);
    }
  } else if (type == fs::file_type::directory) {
    // A work tree elsewhere means that this directory is not the repository's.
    const auto worktree = value_in(normalise(dot_git, "config"), "worktree");
    const bool own = !worktree || canonical(normalise(dot_git, *worktree)) == root;
    const bool confirmed = own && is_git_directory(dot_git);
    found = Repository{root, dot_git, root, confirmed ? Confirmed::yes : Confirmed::no};
  }
  if (found && !is_owned_by(dot_git, user)) {
    found->confirmed = Confirmed::no;
  }
  return found;
}

/// The innermost directory that has a `.git`, as git looks for it.
std::optional<Repository> find_repository(const GitContext& context) {
  const AbsolutePath home = canonical(context.home);
  for (AbsolutePath root = canonical(context.working_directory);; root = root.parent()) {
    if (type_of(normalise(root, ".git")) != fs::file_type::not_found) {
      return repository_at(root, context.user);
    }
    if (root.is_root() || home.is_within(root.parent())) {
      return std::nullopt;
    }
  }
}

/// `~/x`, absolute, or relative to `base`.
AbsolutePath named_path(std::string_view value, const AbsolutePath& base,
                        const AbsolutePath& home) {
  return value == "~" || value.starts_with("~/")
             ? normalise(home, value.substr(std::min<std::size_t>(2, value.size())))
             : normalise(base, value);
}

/// Empty where it names nothing that hooks could come from.
std::optional<AbsolutePath> hooks_path(std::string_view value, const AbsolutePath& base,
                                       const AbsolutePath& home) {
  if (value.empty()) {
    return std::nullopt;
  }
  AbsolutePath path = named_path(value, base, home);
  std::error_code error;
  const fs::file_type type = fs::status(path.text(), error).type();
  // `hooksPath = /dev/null` switches hooks off; a device must stay writable.
  const bool usable = type == fs::file_type::directory || type == fs::file_type::not_found;
  return usable ? std::optional(std::move(path)) : std::nullopt;
}

/// The entries of a git directory that make git run programs.
void add_unsafe_entries(const AbsolutePath& git_directory, std::vector<AbsolutePath>& out) {
  for (const char* name : {"hooks", "config", "config.worktree"}) {
    out.push_back(normalise(git_directory, name));
  }
}

/// Hooks of the git directories of submodules below `.git/modules`, which nest.
tl::expected<void, GitLimit> add_module_hooks(const AbsolutePath& git_directory,
                                              std::vector<AbsolutePath>& out) {
  // A superproject with more than this many entries in its modules' top levels is not met in
  // practice, and set-up must stay quick.
  constexpr std::size_t kMaxEntries = 20'000;
  std::error_code error;
  const AbsolutePath modules = normalise(git_directory, "modules");
  fs::recursive_directory_iterator entry(modules.text(), error);
  std::size_t seen = 0;
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    if (++seen > kMaxEntries) {
      return tl::unexpected(GitLimit{GitLimitErrc::many_entries, modules});
    }
    const std::string name = entry->path().filename().string();
    if (name == "objects" || name == "refs" || name == "logs") {
      entry.disable_recursion_pending();
    } else if (name == "HEAD") {
      const auto module = AbsolutePath::parse(entry->path().parent_path().string());
      if (module && is_git_directory(*module)) {
        add_unsafe_entries(*module, out);
      }
    }
  }
  const bool is_absent =
      error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  return error && !is_absent ? tl::unexpected(GitLimit{GitLimitErrc::unreadable_entries, modules})
                             : tl::expected<void, GitLimit>{};
}

/// `files`, and after them what they include, and what that includes.
tl::expected<void, GitLimit> add_included(std::vector<AbsolutePath>& files,
                                          const AbsolutePath& home) {
  constexpr std::size_t kMaxFiles = 256;  // git stops at a depth of 10
  for (std::size_t next = 0; next < files.size(); ++next) {
    if (files.size() > kMaxFiles) {
      return tl::unexpected(GitLimit{GitLimitErrc::many_files, files[next]});
    }
    const auto text = read_small(files[next]);
    if (!text && text.error() == Unread::large) {
      return tl::unexpected(GitLimit{GitLimitErrc::large_file, files[next]});
    }
    for (const std::string& name : git_includes(text.value_or(std::string()))) {
      AbsolutePath file = named_path(name, files[next].parent(), home);
      if (std::ranges::find(files, file) == files.end()) {
        files.push_back(std::move(file));
      }
    }
  }
  return {};
}

tl::expected<void, GitLimit> add_hooks(const std::optional<Repository>& repository,
                                       const GitContext& context, std::vector<AbsolutePath>& out) {
  const AbsolutePath base = repository ? repository->root : canonical(context.working_directory);
  std::vector<AbsolutePath> files{normalise(AbsolutePath::root(), "etc/gitconfig"),
                                  normalise(context.config_home, "git/config"),
                                  normalise(context.home, ".gitconfig")};
  if (repository) {
    files.push_back(normalise(repository->directory, "config"));
    files.push_back(normalise(repository->directory, "config.worktree"));
  }
  const std::size_t own = files.size();
  if (auto added = add_included(files, context.home); !added) {
    return added;
  }
  out.insert(out.end(), files.begin() + static_cast<std::ptrdiff_t>(own), files.end());
  for (const AbsolutePath& file : files) {
    if (const auto value = value_in(file, "hooksPath")) {
      if (auto path = hooks_path(*value, base, context.home)) {
        out.push_back(std::move(*path));
      }
    }
  }
  if (repository) {
    if (repository->confirmed == Confirmed::no && repository->directory.filename() != ".git") {
      // Git follows the pointer all the same, and the target may be inside the project.
      add_unsafe_entries(repository->directory, out);
    }
    return add_module_hooks(repository->directory, out);
  }
  return {};
}

}  // namespace

std::optional<AbsolutePath> repository_of(const GitContext& context) {
  auto repository = find_repository(context);
  return repository && repository->confirmed == Confirmed::yes
             ? std::optional(std::move(repository->top))
             : std::nullopt;
}

tl::expected<GitLayout, GitLimit> read_git_layout(const GitContext& context) {
  GitLayout layout;
  const auto repository = find_repository(context);
  if (repository && repository->confirmed == Confirmed::yes &&
      !repository->directory.is_within(canonical(context.working_directory))) {
    layout.directories.push_back(repository->directory);
  }
  if (const auto added = add_hooks(repository, context, layout.hooks); !added) {
    return tl::unexpected(added.error());
  }
  return layout;
}

}  // namespace pmg::adapters
