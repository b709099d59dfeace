/// Who is bound to unix sockets in the file system.
///
///     if (is_bound(object)) …            // somebody listens there, or will
///     if (const auto names = bound_names()) …      // expected<vector<string>, Errno>
///
/// Not here: binding and connecting themselves.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {

/// Whether a process has a socket bound to this object (an O_PATH descriptor of a socket). Asked by
/// connecting a datagram socket to it, of which nobody hears: a stream answers EPROTOTYPE, an
/// object to which nobody is bound any more ECONNREFUSED (unix_find_bsd in net/unix/af_unix.c).
/// What cannot be asked counts as bound.
[[nodiscard]] bool is_bound(const UniqueFd& object) noexcept;

/// The absolute names to which the sockets of this network namespace were bound, as they were
/// spelled (/proc/net/unix). An error where the file cannot be read whole: half a list would be one
/// in which names are missing.
[[nodiscard]] tl::expected<std::vector<std::string>, Errno> bound_names();

}  // namespace pmg::platform
