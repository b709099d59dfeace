#include "platform/local_socket.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {
namespace {

struct Address {
  sockaddr_un value{};
  socklen_t size = 0;
  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&value);
  }
};

tl::expected<Address, Errno> address_of(const std::string& name) {
  Address address;
  address.value.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.value.sun_path) {
    return tl::unexpected(Errno{ENAMETOOLONG});
  }
  std::memcpy(address.value.sun_path, name.data(), name.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (name.starts_with('@')) {
    address.value.sun_path[0] = 0;
  } else {
    ++address.size;  // the NUL
  }
  return address;
}

UniqueFd make_socket() noexcept {
  return UniqueFd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

}  // namespace

tl::expected<LocalListener, Errno> LocalListener::listen(const std::string& name) {
  const auto address = address_of(name);
  if (!address) {
    return tl::unexpected(address.error());
  }
  UniqueFd fd = make_socket();
  if (!fd || ::bind(fd.get(), address->get(), address->size) != 0 || ::listen(fd.get(), 1) != 0) {
    return tl::unexpected(Errno{errno});
  }
  return LocalListener(std::move(fd));
}

bool LocalListener::was_reached() const noexcept {
  return static_cast<bool>(UniqueFd{::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)});
}

tl::expected<void, Errno> connect_to(const std::string& name) {
  const auto address = address_of(name);
  if (!address) {
    return tl::unexpected(address.error());
  }
  const UniqueFd fd = make_socket();
  if (!fd || ::connect(fd.get(), address->get(), address->size) != 0) {
    return tl::unexpected(Errno{errno});
  }
  return {};
}

}  // namespace pmg::platform
