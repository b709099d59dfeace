#include "broker/host_sockets.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "platform/files.hpp"
#include "platform/unix_socket.hpp"

namespace pmg::adapters::broker {
namespace {

bool is_host_socket_at(const Shared& shared, int dir, const char* name) {
  const auto object = platform::open_at2(dir, name, O_PATH | O_NOFOLLOW, 0, 0);
  if (!object) {
    return object.error().value != ENOENT && object.error().value != ENOTDIR;
  }
  const auto info = platform::status_of(object->get());
  return !info || (S_ISSOCK(info->st_mode) && !shared.bound_sockets.contains(*info) &&
                   platform::is_bound(*object));
}

}  // namespace

bool is_host_socket(const Shared& shared, const Place& place) {
  return is_host_socket_at(shared, place.parent.get(), place.name.c_str());
}

bool holds_host_socket(Shared& shared, const Place& directory) {
  const auto holds = [&](const std::string& path) {
    const auto names = shared.bound_names.beneath(path);
    // What cannot be looked up may be there.
    return !names || std::ranges::any_of(*names, [&](const std::string& name) {
      return is_host_socket_at(shared, AT_FDCWD, name.c_str());
    });
  };
  return holds(directory.real) || (directory.spelled != directory.real && holds(directory.spelled));
}

tl::expected<std::vector<std::string>, platform::Errno> BoundNames::beneath(
    std::string_view directory) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (!read_ || now - *read_ > kAge) {
    auto names = platform::bound_names();
    if (!names) {
      return tl::unexpected(names.error());
    }
    names_ = std::move(*names);
    read_ = now;
  }
  std::vector<std::string> found;
  std::ranges::copy_if(names_, std::back_inserter(found), [&](std::string_view name) {
    return name.starts_with(directory) && name.substr(directory.size()).starts_with('/');
  });
  return found;
}

}  // namespace pmg::adapters::broker
