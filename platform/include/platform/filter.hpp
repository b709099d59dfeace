/// The static seccomp filter: refuses what needs no thought and sends path calls to the broker.
///
///   auto program = build_filter(SyscallTable::native());
///   int listener = install_filter(program);          // in the child, irreversible
///
/// docs/ENFORCEMENT.md lists every call that is refused here and why.
#pragma once

#include <cstdint>
#include <vector>

#include <linux/filter.h>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/syscalls.hpp"

namespace pmg::platform {

using BpfProgram = std::vector<sock_filter>;

[[nodiscard]] tl::expected<BpfProgram, OsError> build_filter(const SyscallTable& table);

/// Installs the program with a listener and WAIT_KILLABLE_RECV (Linux 5.19). Needs NO_NEW_PRIVS.
/// Async-signal-safe. The listener's descriptor, or -errno (EBUSY: a listener is there already;
/// EINVAL: the kernel lacks a flag).
[[nodiscard]] int install_filter(const BpfProgram& program) noexcept;

/// Whether a listener is above this process already: the kernel allows one, so a second is refused
/// with EBUSY (seccomp(2)). Asked in a child that ends at once; `absent` where that cannot be told.
enum class Supervisor : std::uint8_t { absent, present };
[[nodiscard]] Supervisor probe_supervisor() noexcept;

}  // namespace pmg::platform
