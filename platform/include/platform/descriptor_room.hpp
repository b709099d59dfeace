/// Whether another process may open one descriptor more.
///
///     const auto room = descriptor_room(thread);   // expected<DescriptorRoom, Errno>
///     if (room && *room == DescriptorRoom::left) …
///
/// Not a reservation: another thread of that process may take the last number in the next moment.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"

namespace pmg::platform {

enum class DescriptorRoom : std::uint8_t { none, left };

/// Compares the numbers in use with RLIMIT_NOFILE (getrlimit(2)), as the kernel does where it looks
/// for a number below the limit. ESRCH for a thread that has ended.
[[nodiscard]] tl::expected<DescriptorRoom, Errno> descriptor_room(pid_t thread);

}  // namespace pmg::platform
