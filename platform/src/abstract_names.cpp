#include "platform/abstract_names.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include <fcntl.h>
#include <unistd.h>

#include "platform/unique_fd.hpp"

namespace pmg::platform {

AbstractNames AbstractNames::parse(std::string_view text) {
  // Num RefCount Protocol Flags Type St Inode Path (net/unix/af_unix.c, unix_seq_show).
  constexpr std::size_t kColumnsBefore = 7;
  AbstractNames names;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    for (std::size_t column = 0; column < kColumnsBefore && !line.empty(); ++column) {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      line.remove_prefix(std::min(line.find(' '), line.size()));
    }
    if (line.starts_with(" @")) {
      names.shown_.emplace(line.substr(1));
    }
  }
  return names;
}

bool AbstractNames::may_hold(std::string_view name) const {
  std::string shown(name);
  std::replace(shown.begin(), shown.end(), '\0', '@');
  return shown.find('\n') != std::string::npos || shown_.contains(shown);
}

tl::expected<AbstractNames, Errno> abstract_names() {
  const UniqueFd file{::open("/proc/net/unix", O_RDONLY | O_CLOEXEC)};
  if (!file) {
    return tl::unexpected(Errno{errno});
  }
  std::string text;
  std::array<char, 16384> chunk{};
  ssize_t count = 0;
  while ((count = ::read(file.get(), chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  if (count < 0) {
    return tl::unexpected(Errno{errno});  // half a list would be one in which names are missing
  }
  return AbstractNames::parse(text);
}

}  // namespace pmg::platform
