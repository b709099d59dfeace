/// A policy as it is asked during a run: with what the file systems do with names (R12).
///
///   FileRules rules(policy);
///   rules.decide(Read{path}).allowed()
///
/// Any number of threads may decide at once.
#pragma once

#include <string_view>

#include "domain/compiled.hpp"
#include "domain/folded_policy.hpp"
#include "domain/operation.hpp"
#include "platform/names.hpp"

namespace pmg::adapters {

class FileRules {
 public:
  /// How the names of an absolute path are told; `platform::names_along`, but for tests.
  using Question = platform::Names (*)(std::string_view path);

  explicit FileRules(const domain::CompiledPolicy& policy,
                     Question question = &platform::names_along)
      : policy_(policy), folded_(policy), question_(question) {}

  [[nodiscard]] domain::Decision decide(const domain::Operation& operation) const;

  /// The rules by bytes alone: for planning, and for what a RuleId means.
  [[nodiscard]] const domain::CompiledPolicy& policy() const noexcept { return policy_; }

 private:
  const domain::CompiledPolicy& policy_;
  domain::FoldedPolicy folded_;
  Question question_;
};

}  // namespace pmg::adapters
