/// R12: deciding where names may not be told by their bytes.
///
///   FoldedPolicy folded(compiled);
///   decide(compiled, folded, Read{path}, may_fold);     // may_fold(const Operation&) -> bool
///
/// On a file system that takes `.GIT` for `.git`, a path is judged as it is, and by its folded form
/// against the folded rules (domain/case_folding.hpp); both must allow. So nothing is ever allowed
/// that `decide` alone denies. Whether the file system is such a one is asked only where that makes
/// a difference, which is next to never.
///
/// Not for: finding out what a file system does; that is the platform's work.
#pragma once

#include "domain/compiled.hpp"
#include "domain/operation.hpp"

namespace pmg::domain {

class FoldedPolicy {
 public:
  explicit FoldedPolicy(const CompiledPolicy& policy) : rules_(policy.in_folded_names()) {}

  /// Judges the operation on folded names. A denial has the reason `may_mean_denied_name`, and the
  /// rule is one of the policy that this was made from; none where a name is opaque.
  [[nodiscard]] Decision decide(const Operation& operation) const noexcept;

 private:
  CompiledPolicy rules_;
};

/// `may_fold` says whether the names of the operation's paths may mean others.
template <class MayFold>
[[nodiscard]] Decision decide(const CompiledPolicy& policy, const FoldedPolicy& folded,
                              const Operation& operation, const MayFold& may_fold) {
  const Decision exact = decide(policy, operation);
  if (!exact.allowed()) {
    return exact;
  }
  const Decision wide = folded.decide(operation);
  return wide.allowed() || !may_fold(operation) ? exact : wide;
}

}  // namespace pmg::domain
