/// Whether somebody is bound to a unix socket in the file system.
///
///     if (is_bound(object)) …            // somebody listens there, or will
///
/// Not here: binding and connecting themselves.
#pragma once

#include "platform/unique_fd.hpp"

namespace pmg::platform {

/// Whether a process has a socket bound to this object (an O_PATH descriptor of a socket). Asked by
/// connecting a datagram socket to it, of which nobody hears: a stream answers EPROTOTYPE, an
/// object to which nobody is bound any more ECONNREFUSED (unix_find_bsd in net/unix/af_unix.c).
/// What cannot be asked counts as bound.
[[nodiscard]] bool is_bound(const UniqueFd& object) noexcept;

}  // namespace pmg::platform
