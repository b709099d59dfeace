#include "adapters/surroundings.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/caller.hpp"
#include "adapters/canonical.hpp"
#include "adapters/git/layout.hpp"
#include "domain/compiled.hpp"
#include "domain/path.hpp"

namespace pmg::adapters {

namespace {

using domain::AbsolutePath;
using domain::normalise;

AbsolutePath absolute(std::string_view text) { return normalise(AbsolutePath::root(), text); }

AbsolutePath temporary_directory(const Caller& caller, const AbsolutePath& home) {
  const std::string_view value = caller.variable("TMPDIR");
  if (value.starts_with('/')) {
    AbsolutePath path = absolute(value);
    const bool holds_home = home.is_within(path) || canonical(home).is_within(canonical(path));
    if (!path.is_root() && !holds_home) {
      return path;
    }
  }
  return absolute("/tmp");
}

/// Where the symlinks in a directory of pmg's lead, to a checkout of dotfiles, say: what is there
/// is as good as the file itself. Through symlinked directories, too.
std::vector<AbsolutePath> linked_from(const AbsolutePath& top) {
  namespace fs = std::filesystem;
  std::vector<AbsolutePath> found;
  std::vector<AbsolutePath> directories{top};
  for (std::size_t next = 0; next < directories.size(); ++next) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(directories[next].text(), error), end;
         !error && entry != end; entry.increment(error)) {
      if (!entry->is_symlink(error)) {
        continue;
      }
      Canonicaliser canonicaliser;
      for (const AbsolutePath& at : canonicaliser.links(absolute(entry->path().string()))) {
        if (std::ranges::find(found, at) == found.end()) {
          found.push_back(at);
          directories.push_back(at);  // nothing is found in what is no directory
        }
      }
    }
  }
  return found;
}

std::vector<AbsolutePath> own_state(const Caller& caller, const StateDirectories& directories) {
  std::vector<AbsolutePath> paths{directories.config, directories.cache, directories.data,
                                  absolute("/etc/safedep/pmg")};
  if (caller.own_binary) {
    paths.push_back(*caller.own_binary);
  }
  const std::vector<AbsolutePath> linked = linked_from(directories.config);
  paths.insert(paths.end(), linked.begin(), linked.end());
  return paths;
}

bool overlap(const AbsolutePath& one, const AbsolutePath& other) {
  return one.is_within(other) || other.is_within(one);
}

std::vector<AbsolutePath> search_path(const Caller& caller, const domain::Variables& variables,
                                      Canonicaliser& canonicaliser) {
  const AbsolutePath tmp = absolute("/tmp");
  const AbsolutePath var_tmp = absolute("/var/tmp");
  const std::array writable{variables.cwd,
                            canonicaliser.resolve(variables.cwd),
                            tmp,
                            canonicaliser.resolve(tmp),
                            var_tmp,
                            canonicaliser.resolve(var_tmp),
                            variables.tmpdir,
                            canonicaliser.resolve(variables.tmpdir)};
  const std::array homes{variables.home, canonicaliser.resolve(variables.home)};
  const auto is_usable = [&](const AbsolutePath& path) {
    return std::ranges::none_of(writable,
                                [&path](const auto& other) { return overlap(path, other); }) &&
           std::ranges::none_of(homes, [&path](const auto& home) { return home.is_within(path); });
  };
  std::vector<AbsolutePath> found;
  std::string_view rest = caller.variable("PATH");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!entry.starts_with('/')) {
      continue;  // relative or empty: below the working directory, whatever that is at the time
    }
    AbsolutePath path = absolute(entry);
    std::error_code error;
    if (std::filesystem::is_directory(path.text(), error) && is_usable(path) &&
        is_usable(canonicaliser.resolve(path)) && std::ranges::find(found, path) == found.end()) {
      found.push_back(std::move(path));
    }
  }
  return found;
}

}  // namespace

GitContext git_context(const Caller& caller, const domain::Variables& variables) {
  const std::string_view config_home = caller.variable("XDG_CONFIG_HOME");
  return {
      variables.cwd, variables.home,
      config_home.starts_with('/') ? absolute(config_home) : normalise(variables.home, ".config"),
      caller.user};
}

std::vector<AbsolutePath> search_path(const Caller& caller, const domain::Variables& variables) {
  Canonicaliser canonicaliser;
  return search_path(caller, variables, canonicaliser);
}

tl::expected<domain::Surroundings, SurroundingsError> read_surroundings(const Caller& caller) {
  const auto home = home_of(caller);
  if (!home) {
    return tl::unexpected(home.error());
  }
  const auto directories = state_directories(caller);
  if (!directories) {
    return tl::unexpected(directories.error());
  }
  const domain::Variables variables{*home, caller.working_directory,
                                    temporary_directory(caller, *home)};
  auto git = read_git_layout(git_context(caller, variables));
  if (!git) {
    return tl::unexpected(git.error());
  }
  const auto known = std::make_shared<Canonicaliser>();
  std::vector<AbsolutePath> executable = search_path(caller, variables, *known);
  return domain::Surroundings{
      .variables = variables,
      .canonical = [known](const domain::AbsolutePath& path) { return known->resolve(path); },
      .links = [known](const domain::AbsolutePath& path) { return known->links(path); },
      .own_state = own_state(caller, *directories),
      .git_directories = std::move(git->directories),
      .hook_directories = std::move(git->hooks),
      .search_path = std::move(executable)};
}

tl::expected<void, WorkingDirectoryErrc> check_working_directory(
    const domain::Variables& variables) {
  for (const auto& [cwd, home] : {std::pair(variables.cwd, variables.home),
                                  std::pair(canonical(variables.cwd), canonical(variables.home))}) {
    if (cwd.is_root()) {
      return tl::unexpected(WorkingDirectoryErrc::root);
    }
    if (cwd == home) {
      return tl::unexpected(WorkingDirectoryErrc::home);
    }
    if (home.is_within(cwd)) {
      return tl::unexpected(WorkingDirectoryErrc::above_home);
    }
  }
  return {};
}

}  // namespace pmg::adapters
