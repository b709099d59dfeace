/// Unix stream sockets of this process, for trying who may reach whom.
///
///   auto listener = LocalListener::listen("/run/x.sock");     // or "@name", an abstract one
///   … connect_to("/run/x.sock") …                             // from elsewhere
///   if (listener->was_reached()) …
///
/// Not for: the broker's work on sockets of others.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {

class LocalListener {
 public:
  /// ENAMETOOLONG for a name that does not fit into an address.
  [[nodiscard]] static tl::expected<LocalListener, Errno> listen(const std::string& name);

  /// Whether somebody connected since it was asked last.
  [[nodiscard]] bool was_reached() const noexcept;

 private:
  explicit LocalListener(UniqueFd fd) noexcept : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

[[nodiscard]] tl::expected<void, Errno> connect_to(const std::string& name);

}  // namespace pmg::platform
