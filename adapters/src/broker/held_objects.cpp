#include <algorithm>
#include <cerrno>
#include <cstddef>
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
  sweep();
  if (held_.size() >= limit_) {
    return tl::unexpected(platform::Errno{ENFILE});
  }
  held_.insert_or_assign(Id{info->st_dev, info->st_ino}, std::move(fd));
  return {};
}

bool HeldObjects::has_room() {
  const std::lock_guard lock(mutex_);
  sweep();
  return held_.size() < limit_;
}

// Lets go of what has no name any more. Not each time: then holding many would take time that grows
// with their square. Called with the mutex held.
void HeldObjects::sweep() {
  constexpr std::size_t kFew = 64;
  if (held_.size() < std::min(sweep_at_, limit_)) {
    return;
  }
  for (auto entry = held_.begin(); entry != held_.end();) {
    entry = has_a_name(entry->second) ? std::next(entry) : held_.erase(entry);
  }
  sweep_at_ = std::max(kFew, 2 * held_.size());
}

bool HeldObjects::contains(const struct stat& info) const {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(Id{info.st_dev, info.st_ino});
  return found != held_.end() && has_a_name(found->second);
}

}  // namespace pmg::adapters::broker
