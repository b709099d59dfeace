#include "platform/descriptor_room.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string>

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace pmg::platform {
namespace {

// How many numbers below `limit` are in use.
tl::expected<rlim_t, Errno> count_below(const std::string& directory, rlim_t limit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(directory.c_str()), &::closedir);
  if (!dir) {
    return tl::unexpected(Errno{errno});
  }
  rlim_t count = 0;
  while (const dirent* const entry = ::readdir(dir.get())) {
    const char* const name = &entry->d_name[0];
    rlim_t number = 0;
    const bool is_number =
        std::from_chars(name, name + std::strlen(name), number).ec == std::errc{};
    count += is_number && number < limit ? 1 : 0;
  }
  return count;
}

}  // namespace

tl::expected<DescriptorRoom, Errno> descriptor_room(pid_t thread) {
  rlimit limit{};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  if (::prlimit(thread, RLIMIT_NOFILE, nullptr, &limit) != 0) {
    return tl::unexpected(Errno{errno});
  }
  const std::string directory = "/proc/" + std::to_string(thread) + "/fd";
  // The size of that directory is the number of its descriptors (Linux 6.2; 0 before). Where it
  // reaches the limit some may still lie beyond it, since a limit can be lowered later.
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) {
    return tl::unexpected(Errno{errno == ENOENT ? ESRCH : errno});
  }
  if (info.st_size > 0 && static_cast<rlim_t>(info.st_size) < limit.rlim_cur) {
    return DescriptorRoom::left;
  }
  return count_below(directory, limit.rlim_cur).map([&](rlim_t used) {
    return used < limit.rlim_cur ? DescriptorRoom::left : DescriptorRoom::none;
  });
}

}  // namespace pmg::platform
