#include "platform/unix_socket.hpp"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>

#include "platform/files.hpp"

namespace pmg::platform {

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

}  // namespace pmg::platform
