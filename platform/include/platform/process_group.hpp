/// Process groups and what their processes do with the signals of a terminal.
///
///     for (const pid_t member : members_of_group(group)) …
///     if (holds_back(thread, SIGTTOU)) …
///
/// Not for: changing them; setpgid(2) and tcsetpgrp(3) are calls of their own.
#pragma once

#include <vector>

#include <sys/types.h>

namespace pmg::platform {

/// The processes that can be found in a group now: one look through /proc.
[[nodiscard]] std::vector<pid_t> members_of_group(pid_t group);

/// Whether a thread blocks or ignores a signal; not if that cannot be told.
[[nodiscard]] bool holds_back(pid_t thread, int signal);

}  // namespace pmg::platform
