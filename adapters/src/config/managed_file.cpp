#include "adapters/config/managed_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "domain/path.hpp"
#include "platform/files.hpp"

namespace pmg::adapters {

namespace {

constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

LoadError unsafe(LoadErrc code, const std::string& path) {
  return {code, path, {}, {}, {}, {}, {}};
}

std::optional<LoadError> check_owner(const struct stat& status, const std::string& path,
                                     std::uint32_t owner) {
  if (status.st_uid != owner) {
    return unsafe(LoadErrc::unsafe_owner, path);
  }
  if ((status.st_mode & kWritableByOthers) != 0) {
    return unsafe(LoadErrc::unsafe_mode, path);
  }
  return std::nullopt;
}

/// Who may write the directories may exchange the file.
std::optional<LoadError> check_directories(const ManagedFile& file) {
  domain::AbsolutePath directory = file.path;
  for (int i = 0; i < 2; ++i) {
    directory = domain::normalise(directory, "..");
    const auto status = platform::status_at(AT_FDCWD, directory.text().c_str());
    if (!status) {
      return unsafe(LoadErrc::unreadable, directory.text());
    }
    if (!S_ISDIR(status->st_mode)) {
      return unsafe(LoadErrc::unsafe_kind, directory.text());
    }
    if (auto error = check_owner(*status, directory.text(), file.owner)) {
      return error;
    }
  }
  return std::nullopt;
}

/// Why the file is not there, where that is not because it, or a directory of it, is missing: a
/// dangling symlink, or something that is no directory, was meant to hold one.
std::optional<LoadError> find_misplaced_directory(const ManagedFile& file) {
  std::vector<domain::AbsolutePath> directories;
  for (auto at = file.path.parent(); !at.is_root(); at = at.parent()) {
    directories.push_back(at);
  }
  std::ranges::reverse(directories);
  for (const auto& directory : directories) {
    if (!platform::status_at(AT_FDCWD, directory.text().c_str())) {
      return std::nullopt;
    }
    if (!platform::open_at(AT_FDCWD, directory.text().c_str(), O_PATH | O_DIRECTORY, 0)) {
      return unsafe(LoadErrc::unsafe_kind, directory.text());
    }
  }
  return std::nullopt;
}

}  // namespace

ManagedFile ManagedFile::of_system() {
  return {domain::normalise(domain::AbsolutePath::root(), "etc/safedep/pmg/config.yml"), 0};
}

tl::expected<std::optional<std::string>, LoadError> read_managed(const ManagedFile& file) {
  const std::string& path = file.path.text();
  // O_NONBLOCK: whatever is there, nothing waits for its other end.
  const auto fd = platform::open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
  if (!fd) {
    const int error = fd.error().value;
    if (error == ENOENT || error == ENOTDIR) {
      auto misplaced = find_misplaced_directory(file);
      return misplaced ? tl::expected<std::optional<std::string>, LoadError>(
                             tl::unexpected(std::move(*misplaced)))
                       : std::nullopt;
    }
    return tl::unexpected(
        unsafe(error == ELOOP ? LoadErrc::unsafe_kind : LoadErrc::unreadable, path));
  }
  const auto status = platform::status_of(fd->get());
  if (!status) {
    return tl::unexpected(unsafe(LoadErrc::unreadable, path));
  }
  if (!S_ISREG(status->st_mode)) {
    return tl::unexpected(unsafe(LoadErrc::unsafe_kind, path));
  }
  if (auto error = check_owner(*status, path, file.owner)) {
    return tl::unexpected(std::move(*error));
  }
  if (auto error = check_directories(file)) {
    return tl::unexpected(std::move(*error));
  }
  auto text = read_text(platform::DescriptorPath(fd->get()).c_str());
  if (!text) {
    return tl::unexpected(unsafe(text.error().code, path));
  }
  return std::move(*text);
}

}  // namespace pmg::adapters
