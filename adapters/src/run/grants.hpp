/// The Landlock domain of a run: execution where the policy allows it, nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include <tl/expected.hpp>

#include "domain/compiled.hpp"
#include "platform/landlock.hpp"
#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters {

/// A directory or file beneath which the kernel will execute.
struct ExecGrant {
  domain::AbsolutePath path;
  domain::RuleId rule;
  /// exact: the rule covers all of it. wider: the rule covers less; only the broker is exact there.
  enum class Fit : std::uint8_t { exact, wider } fit;
};

/// The grants for every rule that allows execution. A rule on something that does not exist yet
/// grants its closest existing ancestor, if the policy lets the missing part be created; a rule on
/// something that neither exists nor can be created grants nothing.
[[nodiscard]] std::vector<ExecGrant> plan_exec_grants(const domain::CompiledPolicy& policy);

/// The dynamic loaders of what is granted: the kernel starts them along with a program. The broker
/// still judges a loader that is started by itself.
[[nodiscard]] std::vector<domain::AbsolutePath> plan_loaders(const std::vector<ExecGrant>& grants);

/// Programs that are denied by a literal rule beneath a grant; they are carved out.
[[nodiscard]] std::vector<domain::AbsolutePath> plan_exec_carve_outs(
    const domain::CompiledPolicy& policy, const std::vector<ExecGrant>& grants);

/// The ruleset that says so, ready for restrict_self.
[[nodiscard]] tl::expected<platform::UniqueFd, platform::OsError> make_domain(
    platform::LandlockAbi abi, const std::vector<ExecGrant>& grants,
    const std::vector<domain::AbsolutePath>& loaders,
    const std::vector<domain::AbsolutePath>& carve_outs);

}  // namespace pmg::adapters
