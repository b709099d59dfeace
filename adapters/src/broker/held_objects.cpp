#include <cerrno>
#include <iterator>
#include <utility>

#include "broker/shared.hpp"
#include "platform/files.hpp"

namespace pmg::adapters::broker {
namespace {

bool has_a_name(const platform::UniqueFd& fd) {
  const auto info = platform::status_of(fd.get());
  return info && info->st_nlink > 0;
}

}  // namespace

tl::expected<void, platform::Errno> HeldObjects::hold(platform::UniqueFd fd) {
  const auto info = platform::status_of(fd.get());
  if (!info) {
    return tl::unexpected(info.error());
  }
  const std::lock_guard lock(mutex_);
  for (auto entry = held_.begin(); entry != held_.end();) {
    entry = has_a_name(entry->second) ? std::next(entry) : held_.erase(entry);
  }
  if (held_.size() >= kLimit) {
    return tl::unexpected(platform::Errno{ENFILE});
  }
  held_.insert_or_assign(Id{info->st_dev, info->st_ino}, std::move(fd));
  return {};
}

bool HeldObjects::contains(const struct stat& info) const {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(Id{info.st_dev, info.st_ino});
  return found != held_.end() && has_a_name(found->second);
}

}  // namespace pmg::adapters::broker
