#include "broker/host_sockets.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>

#include "domain/path.hpp"
#include "platform/files.hpp"
#include "platform/unix_socket.hpp"

namespace pmg::adapters::broker {
namespace {

bool is_host_socket_at(const Shared& shared, int dir, const char* name) {
  const auto object = platform::open_at2(dir, name, O_PATH | O_NOFOLLOW, 0, 0);
  const auto info = object ? platform::status_of(object->get()) : tl::unexpected(object.error());
  return info && S_ISSOCK(info->st_mode) && !shared.bound_sockets.contains(*info) &&
         platform::is_bound(*object);
}

bool is_beneath(const std::string& name, const std::string& directory) {
  const auto path = domain::AbsolutePath::parse(name);
  const auto top = domain::AbsolutePath::parse(directory);
  return path && top && path->is_within(*top);
}

}  // namespace

bool is_host_socket(const Shared& shared, const Place& place) {
  return is_host_socket_at(shared, place.parent.get(), place.name.c_str());
}

bool holds_host_socket(const Shared& shared, const Place& directory) {
  const auto names = platform::bound_names();
  return std::ranges::any_of(names, [&](const std::string& name) {
    return (is_beneath(name, directory.real) || is_beneath(name, directory.spelled)) &&
           is_host_socket_at(shared, AT_FDCWD, name.c_str());
  });
}

}  // namespace pmg::adapters::broker
