/// Process groups and what their processes do with the signals of a terminal.
///
///     const auto members = members_of_group(group);   // expected<vector<pid_t>, Errno>
///     if (holds_back(thread, SIGTTOU)) …
///
/// Not for: changing them; setpgid(2) and tcsetpgrp(3) are calls of their own.
#pragma once

#include <vector>

#include <sys/types.h>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"

namespace pmg::platform {

/// The processes of a group now: one look through /proc. None: the group does not exist. An error
/// where that cannot be told, also where /proc hides them.
[[nodiscard]] tl::expected<std::vector<pid_t>, Errno> members_of_group(pid_t group);

/// Whether a thread blocks or ignores a signal; not if that cannot be told.
[[nodiscard]] bool holds_back(pid_t thread, int signal);

}  // namespace pmg::platform
