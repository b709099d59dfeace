/// The denies of every policy, for those that compare rules instead of paths.
///
///   for (const MandatoryDeny& deny : MandatoryDenies(policy.allow_git_config).all()) …
///
/// They are those that `compile` adds, so there is no second list of them.
#pragma once

#include <string>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/path.hpp"
#include "domain/path_set.hpp"
#include "domain/policy.hpp"
#include "domain/policy_field.hpp"

namespace pmg::domain {

struct MandatoryDeny {
  Access access;
  std::string text;  ///< "${HOME}/.ssh"
  PathSet reach;
};

class MandatoryDenies {
 public:
  explicit MandatoryDenies(Toggle allow_git_config);

  [[nodiscard]] const std::vector<MandatoryDeny>& all() const noexcept { return all_; }

  /// Whether a literal rule of `field` may lift one (O2), on some machine.
  [[nodiscard]] bool may_be_lifted_by(PolicyField field, const PathSet& literal) const;

 private:
  std::vector<MandatoryDeny> all_;
};

/// Whether an exact opt-out lifts it.
[[nodiscard]] bool may_be_lifted(const MandatoryDeny& deny);

/// A run in directories that no pattern names, without symlinks.
[[nodiscard]] Surroundings nowhere();

/// What `access` stands for; writing is asked of a directory, since anything else must also not
/// shadow a denied path (R6).
[[nodiscard]] Decision decide_use(const CompiledPolicy& policy, Access access,
                                  const AbsolutePath& path) noexcept;

}  // namespace pmg::domain
