/// The kernel's list of unix sockets, /proc/net/unix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace pmg::platform {

/// Calls `take(name)` for each socket that has a name; the name of an abstract one starts with '@'.
/// A name with a newline is cut off there.
template <class Take>
void for_each_unix_name(std::string_view list, Take take) {
  // Num RefCount Protocol Flags Type St Inode Path (net/unix/af_unix.c, unix_seq_show).
  constexpr std::size_t kColumnsBefore = 7;
  while (!list.empty()) {
    std::string_view line = list.substr(0, list.find('\n'));
    list.remove_prefix(std::min(line.size() + 1, list.size()));
    for (std::size_t column = 0; column < kColumnsBefore && !line.empty(); ++column) {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      line.remove_prefix(std::min(line.find(' '), line.size()));
    }
    if (!line.empty()) {
      take(line.substr(1));
    }
  }
}

}  // namespace pmg::platform
