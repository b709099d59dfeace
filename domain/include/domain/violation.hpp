/// One refusal as it is kept: what was asked for, by whom, and what decided.
///
///   if (const auto operation = operation_of(violation)) …  derive(policy, *operation) …
///
/// A value of its own: nothing in it refers to the policy or the process, both of which are gone
/// when it is read. Not for: deciding; `decide` has done that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/operation_kind.hpp"
#include "domain/origin.hpp"

namespace pmg::domain {

/// A rule as it is cited. `Rule` itself holds a compiled pattern.
struct CitedRule {
  Effect effect = Effect::deny;
  Access access = Access::read;
  std::string text;  ///< as written
  Origin origin;
  friend bool operator==(const CitedRule&, const CitedRule&) = default;
};

/// A package whose script a process belongs to, as the process's environment or working directory
/// says it: a claim of the sandboxed tree, and no evidence.
struct ScriptOwner {
  std::string package;
  std::string version;  ///< empty where it is not known
  std::string script;   ///< the lifecycle event, "postinstall"; empty where it is not known
  friend bool operator==(const ScriptOwner&, const ScriptOwner&) = default;
};

/// A process when it was refused something for the first time. Secrets are taken out.
struct ProcessFacts {
  std::int32_t pid = 0;
  std::string name;                  ///< comm of proc(5)
  std::vector<std::string> command;  ///< argv, cut where it is long
  std::vector<ScriptOwner> owners;   ///< of it and its ancestors, the nearest first, each once
  friend bool operator==(const ProcessFacts&, const ProcessFacts&) = default;
};

struct Violation {
  OperationKind operation = OperationKind::read;
  std::string real = {};        ///< as resolved; for `pass_variable` the name
  std::string spelled = {};     ///< as used
  std::string real_to = {};     ///< of a rename or link; else empty
  std::string spelled_to = {};  ///< the same, as used
  NodeKind node = NodeKind::regular;
  Reason reason = Reason::nothing_allows;
  std::optional<CitedRule> rule = std::nullopt;  ///< the one that decided
  std::string note = {};                         ///< why, where the policy was not asked
  ProcessFacts process = {};
  std::int64_t time = 0;  ///< microseconds since 1970, UTC
  friend bool operator==(const Violation&, const Violation&) = default;
};

[[nodiscard]] CitedRule cite(const Rule& rule);

/// What `decide` is asked about it. Refers to the texts of `violation`. Nothing where the policy
/// was not asked: no rule would have changed the answer.
[[nodiscard]] std::optional<Operation> operation_of(const Violation& violation);

/// The index of the refusal that most likely made a program fail: the last one of a change, an
/// execution or a connection; else the last one of a read that a rule denies; else the last one of
/// another read, which is often a lookup along a search path. Nothing where none of these is there.
/// A guess, and told as such.
[[nodiscard]] std::optional<std::size_t> primary_of(std::span<const Violation> violations);

}  // namespace pmg::domain
