/// Landlock: the kernel's own, unprivileged file-system restriction (landlock(7)).
///
///   auto abi = probe_landlock();                         // asks the kernel
///   auto ruleset = create_ruleset(*abi);                 // handles every right of that ABI
///   add_rule(*ruleset, path_fd, kFsExecute | kFsReadFile);
///   restrict_self(*ruleset);                             // irreversible, in the child
#pragma once

#include <cstdint>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {

/// A Landlock ABI version. "All rights" is a moving target, so sets are always built for one.
struct LandlockAbi {
  int version;

  /// Every file-system right that this ABI knows.
  [[nodiscard]] std::uint64_t all_fs_rights() const noexcept;
  /// Scopes (abstract unix sockets, signals); 0 before ABI 6.
  [[nodiscard]] std::uint64_t all_scopes() const noexcept;
  [[nodiscard]] bool scopes_signals() const noexcept { return all_scopes() != 0; }
};

/// ENOSYS: not built in; EOPNOTSUPP: switched off at boot (lsm=); EPERM: refused by a filter.
[[nodiscard]] tl::expected<LandlockAbi, OsError> probe_landlock();

/// A ruleset that handles everything of the ABI: what no rule grants is refused.
[[nodiscard]] tl::expected<UniqueFd, OsError> create_ruleset(LandlockAbi abi);

/// Grants `rights` beneath (or on) the object of `object_fd`. Rights that do not fit a
/// non-directory are dropped by the caller (EINVAL otherwise).
[[nodiscard]] tl::expected<void, OsError> add_rule(const UniqueFd& ruleset, int object_fd,
                                                   std::uint64_t rights);

/// Needs NO_NEW_PRIVS. Async-signal-safe: called between fork and exec. Returns 0 or an errno.
[[nodiscard]] int restrict_self(int ruleset_fd) noexcept;

}  // namespace pmg::platform
