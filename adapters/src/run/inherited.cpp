#include "run/inherited.hpp"

#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/files.hpp"

namespace pmg::adapters {
namespace {

using domain::PathView;

std::vector<int> open_descriptors() {
  std::vector<int> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc/self/fd"), &::closedir);
  while (directory) {
    const dirent* const entry = ::readdir(directory.get());
    if (entry == nullptr) {
      break;
    }
    const std::string_view name(entry->d_name);  // NOLINT: NUL-terminated by readdir(3)
    int number = -1;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc{} &&
        number > STDERR_FILENO && number != ::dirfd(directory.get())) {
      found.push_back(number);
    }
  }
  return found;
}

bool may_have(const FileRules& rules, int fd) {
  const auto info = platform::status_of(fd);
  const int flags = ::fcntl(fd, F_GETFL);
  const auto name = platform::read_link_at(AT_FDCWD, platform::DescriptorPath(fd).c_str());
  if (!info || flags < 0 || !name) {
    return false;
  }
  if (S_ISFIFO(info->st_mode) || S_ISSOCK(info->st_mode) || (flags & O_PATH) != 0) {
    return true;
  }
  if (!S_ISREG(info->st_mode) && !S_ISDIR(info->st_mode)) {
    return false;
  }
  const PathView path = PathView::unsafe_from(*name);
  const bool reads = (flags & O_ACCMODE) != O_WRONLY;
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  return (!reads || rules.decide(domain::Read{path}).allowed()) &&
         (!writes || rules.decide(domain::Write{path}).allowed());
}

}  // namespace

void withhold_descriptors(const FileRules& rules) {
  for (const int fd : open_descriptors()) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0 && !may_have(rules, fd)) {
      (void)::fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
  }
}

}  // namespace pmg::adapters
