#include "platform/landlock.hpp"

#include <cerrno>

#include <sys/syscall.h>
#include <unistd.h>

#include "platform/uapi/landlock.hpp"

namespace pmg::platform {
namespace {

// The size of struct landlock_ruleset_attr that a kernel of this ABI understands.
std::size_t attr_size(LandlockAbi abi) noexcept {
  if (abi.version >= 6) {
    return sizeof(uapi::LandlockRulesetAttr);
  }
  return abi.version >= 4 ? offsetof(uapi::LandlockRulesetAttr, scoped)
                          : offsetof(uapi::LandlockRulesetAttr, handled_access_net);
}

}  // namespace

std::uint64_t LandlockAbi::all_fs_rights() const noexcept {
  std::uint64_t rights = uapi::kFsAllAbi1;
  if (version >= 2) {
    rights |= uapi::kFsRefer;
  }
  if (version >= 3) {
    rights |= uapi::kFsTruncate;
  }
  if (version >= 5) {
    rights |= uapi::kFsIoctlDev;
  }
  return rights;
}

std::uint64_t LandlockAbi::all_scopes() const noexcept {
  return version >= 6 ? uapi::kScopeAbstractUnixSocket | uapi::kScopeSignal : 0;
}

tl::expected<LandlockAbi, OsError> probe_landlock() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, uapi::kLandlockCreateRulesetVersion);
  if (version < 1) {
    return tl::unexpected(OsError{"landlock_create_ruleset", errno, ""});
  }
  return LandlockAbi{static_cast<int>(version)};
}

tl::expected<UniqueFd, OsError> create_ruleset(LandlockAbi abi) {
  const uapi::LandlockRulesetAttr attr{abi.all_fs_rights(), 0, abi.all_scopes()};
  UniqueFd fd{static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attr, attr_size(abi), 0))};
  if (!fd) {
    return tl::unexpected(OsError{"landlock_create_ruleset", errno, ""});
  }
  return fd;
}

tl::expected<void, OsError> add_rule(const UniqueFd& ruleset, int object_fd, std::uint64_t rights) {
  const uapi::LandlockPathBeneathAttr attr{rights, object_fd};
  if (::syscall(SYS_landlock_add_rule, ruleset.get(), uapi::kLandlockRulePathBeneath, &attr, 0) !=
      0) {
    return tl::unexpected(OsError{"landlock_add_rule", errno, ""});
  }
  return {};
}

int restrict_self(int ruleset_fd) noexcept {
  return ::syscall(SYS_landlock_restrict_self, ruleset_fd, 0) == 0 ? 0 : errno;
}

}  // namespace pmg::platform
