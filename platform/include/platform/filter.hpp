/// The static seccomp filter: refuses what needs no thought and sends path calls to the broker.
///
///   int listener = install_filter(filter_program(Signals::scoped));   // in the child,
///   irreversible
///
/// It is generated while pmg is built, since no policy changes it. docs/ENFORCEMENT.md lists every
/// call that is refused here and why.
#pragma once

#include <cstdint>
#include <span>

#include <linux/filter.h>

namespace pmg::platform {

/// Who keeps signals inside: Landlock (ABI 6, Linux 6.12), or else the broker.
enum class Signals : std::uint8_t { scoped, brokered };

[[nodiscard]] std::span<const sock_filter> filter_program(Signals signals) noexcept;

/// Installs the program with a listener and WAIT_KILLABLE_RECV (Linux 5.19). Needs NO_NEW_PRIVS.
/// Async-signal-safe. The listener's descriptor, or -errno (EBUSY: a listener is there already;
/// EINVAL: the kernel lacks a flag).
[[nodiscard]] int install_filter(std::span<const sock_filter> program) noexcept;

/// Whether a listener is above this process already: the kernel allows one, so a second is refused
/// with EBUSY (seccomp(2)). Asked in a child that ends at once; `absent` where that cannot be told.
enum class Supervisor : std::uint8_t { absent, present };
[[nodiscard]] Supervisor probe_supervisor() noexcept;

}  // namespace pmg::platform
