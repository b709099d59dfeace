#include "platform/unix_socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/files.hpp"

namespace pmg::platform {
namespace {

tl::expected<std::string, Errno> read_all(const UniqueFd& file) {
  std::string text;
  std::array<char, 65536> piece{};
  ssize_t length = 0;
  while ((length = ::read(file.get(), piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(length));
  }
  if (length < 0) {
    return tl::unexpected(Errno{errno});
  }
  return text;
}

}  // namespace

bool is_bound(const UniqueFd& object) noexcept {
  const UniqueFd asker{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!asker) {
    return true;
  }
  const DescriptorPath path(object.get());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  static_assert(sizeof(path) < sizeof(address.sun_path));
  std::strcpy(&address.sun_path[0], path.c_str());  // NOLINT: fits, by the assertion
  // NOLINTNEXTLINE: the type of the socket interface
  const auto* const general = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(asker.get(), general, sizeof(address)) == 0 || errno != ECONNREFUSED;
}

tl::expected<std::vector<std::string>, Errno> bound_names() {
  const auto file = open_at(AT_FDCWD, "/proc/net/unix", O_RDONLY, 0);
  if (!file) {
    return tl::unexpected(file.error());
  }
  // "Num: RefCount Protocol Flags Type St Inode Path": the path is the first '/' of a line, since
  // the fields before it are numbers and the names of other sockets begin with '@'.
  const auto text = read_all(*file);
  if (!text) {
    return tl::unexpected(text.error());
  }
  std::vector<std::string> names;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t slash = line.find('/');
    if (slash != std::string_view::npos && slash > 0 && line[slash - 1] == ' ' &&
        line.find('@') > slash) {
      names.emplace_back(line.substr(slash));
    }
  }
  return names;
}

}  // namespace pmg::platform
