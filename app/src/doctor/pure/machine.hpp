/// What this machine can enforce, from what its kernel answered.
///
///   const MachineFacts facts = ask_machine();
///   for (ProbeResult& result : judge(facts)) …
///   for (const RuleRow& row : rules_of(facts, canaries)) …
///
/// DR1: judging is pure, so that any kernel can be told of. Not for: running anything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "doctor/pure/report.hpp"
#include "platform/landlock.hpp"
#include "platform/machine.hpp"
#include "platform/os_error.hpp"

namespace pmg::app {

/// Whether another supervisor of system calls is above this process: the kernel allows one.
enum class Nesting : std::uint8_t {
  none,
  inside_pmg,
  other,
};

struct MachineFacts {
  platform::KernelRelease release;
  tl::expected<platform::LandlockAbi, platform::OsError> landlock;
  std::optional<std::string> lsm;  ///< the security modules that are on
  tl::expected<void, platform::OsError> notify;
  platform::Supervision supervision;
  platform::Trial openat2;
  platform::Trial unshare_fs;
  platform::Trial children;
  Nesting nesting;
  std::optional<std::string> ptrace_scope;     ///< of Yama
  std::optional<std::string> apparmor_userns;  ///< whether AppArmor restricts user namespaces
};

/// Asks. `marked` tells whether the environment says that this is inside pmg.
enum class Marker : std::uint8_t { unset, set };
[[nodiscard]] MachineFacts ask_machine(Marker marker);

[[nodiscard]] std::vector<ProbeResult> judge(const MachineFacts& facts);

/// A kind of rule is enforced where the kernel gives what it needs and no probe of it failed.
[[nodiscard]] std::vector<RuleRow> rules_of(const MachineFacts& facts,
                                            std::span<const ProbeResult> canaries);

}  // namespace pmg::app
