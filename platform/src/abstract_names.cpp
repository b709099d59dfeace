#include "platform/abstract_names.hpp"

#include <algorithm>

#include "platform/files.hpp"
#include "unix_list.hpp"

namespace pmg::platform {

AbstractNames AbstractNames::parse(std::string_view text) {
  AbstractNames names;
  for_each_unix_name(text, [&names](std::string_view name) {
    if (name.starts_with('@')) {
      names.shown_.emplace(name);
    }
  });
  return names;
}

bool AbstractNames::may_hold(std::string_view name) const {
  std::string shown(name);
  std::replace(shown.begin(), shown.end(), '\0', '@');
  return shown.find('\n') != std::string::npos || shown_.contains(shown);
}

tl::expected<AbstractNames, Errno> abstract_names() {
  const auto list = read_whole("/proc/net/unix");
  if (!list) {
    return tl::unexpected(list.error());
  }
  return AbstractNames::parse(*list);
}

}  // namespace pmg::platform
