#include "platform/scratch.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/stored_file.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {
namespace {

constexpr mode_t kMine = 0700;

/// Opened for its names, with the permissions that removing them needs.
UniqueFd open_directory(int parent, const char* name) noexcept {
  UniqueFd held{::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!held) {
    return held;
  }
  // Not by the descriptor, which is none for fchmod(2); a symlink was ruled out above.
  (void)::fchmodat(parent, name, kMine, 0);
  return UniqueFd{::openat(held.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
}

std::vector<std::string> names_in(const UniqueFd& directory) {
  std::vector<std::string> names;
  // The stream takes a descriptor of its own.
  DIR* const stream = ::fdopendir(::fcntl(directory.get(), F_DUPFD_CLOEXEC, 0));
  if (stream == nullptr) {
    return names;
  }
  while (const dirent* entry = ::readdir(stream)) {  // NOLINT(concurrency-mt-unsafe): own stream
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  ::closedir(stream);
  return names;
}

/// The first error, or 0. The depth is that of what was made within one run.
int remove_at(int parent, const char* name) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) {
    return 0;
  }
  if (errno != EISDIR && errno != EPERM) {
    return errno;
  }
  int first = 0;
  if (const UniqueFd directory = open_directory(parent, name)) {
    for (const std::string& entry : names_in(directory)) {
      const int error = remove_at(directory.get(), entry.c_str());
      first = first == 0 ? error : first;
    }
  }
  const int error = ::unlinkat(parent, name, AT_REMOVEDIR) == 0 ? 0 : errno;
  return first == 0 ? error : first;
}

}  // namespace

tl::expected<ScratchDirectory, OsError> ScratchDirectory::make(const std::string& parent,
                                                               const std::string& prefix) {
  if (const auto made = make_directories(parent); !made) {
    return tl::unexpected(made.error());
  }
  std::string path = parent + "/" + prefix + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return tl::unexpected(OsError{"mkdtemp", errno, path});
  }
  return ScratchDirectory(std::move(path));
}

ScratchDirectory::~ScratchDirectory() {
  if (!path_.empty()) {
    // Nobody is there to be told; what is left is private to the user.
    (void)remove_tree(path_);
  }
}

tl::expected<void, OsError> remove_tree(const std::string& path) {
  if (const int error = remove_at(AT_FDCWD, path.c_str()); error != 0) {
    return tl::unexpected(OsError{"unlinkat", error, path});
  }
  return {};
}

}  // namespace pmg::platform
