/// A policy, expanded and compiled once, and the decision on it.
///
///   auto compiled = compile(policy, surroundings);                 // expected<…, CompileError>
///   Decision d = decide(*compiled, Read{PathView(path)});          // total, pure
///   if (!d.allowed()) explain(compiled->rule(d.rule)->origin);
///
/// A decision walks the path once through an automaton of all rules: O(path length), whatever the
/// number of rules. Immutable after `compile`, so any number of threads may decide at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "domain/operation.hpp"
#include "domain/origin.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::domain {

enum class Verdict : std::uint8_t { deny, allow };

enum class Reason : std::uint8_t {
  allowed_by_rule,
  nothing_allows,  ///< default deny
  denied_by_rule,
  guards_denied_path,     ///< replacing or moving an ancestor of a denied path
  leaves_its_rules,       ///< a directory move under which some path would fall under other rules
  unreadable_source,      ///< renaming or linking what may not be both read and written
  device_needs_own_rule,  ///< only a rule written below /dev grants a device (R5)
  may_mean_denied_name,   ///< another spelling, where names are not told by their bytes (R12)
};

/// Index into CompiledPolicy::rule; `none` for default denials.
struct RuleId {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t index = kNone;
  [[nodiscard]] bool is_none() const noexcept { return index == kNone; }
  friend bool operator==(RuleId, RuleId) = default;
};

struct Decision {
  Verdict verdict = Verdict::deny;
  Reason reason = Reason::nothing_allows;
  RuleId rule;
  [[nodiscard]] bool allowed() const noexcept { return verdict == Verdict::allow; }
};

enum class Access : std::uint8_t { read, write, exec, connect };
enum class Effect : std::uint8_t { allow, deny };

/// A rule after expansion, for explaining and for planning.
struct Rule {
  Effect effect;
  Access access;
  std::string text;  ///< as written
  PathPattern pattern;
  Origin origin;
};

/// Facts about this run that are not in any file. All from trusted sources.
struct Surroundings {
  Variables variables;
  /// Resolves the symlinks of the existing part of a path; identity where that fails. For twins.
  std::function<AbsolutePath(const AbsolutePath&)> canonical;
  /// Where a symlink leads, step by step: every place on the way and the end, also if nothing is
  /// there. Empty for a path that is no symlink. For twins of denies.
  std::function<std::vector<AbsolutePath>(const AbsolutePath&)> links = {};
  /// pmg's own configuration, cache and data directories: write-denied, no opt-out.
  std::vector<AbsolutePath> own_state;
  /// Git directories outside the working directory that belong to it (a linked worktree's),
  /// confirmed in both directions: written, except hooks, config and info.
  std::vector<AbsolutePath> git_directories;
  /// core.hooksPath directories: write-denied.
  std::vector<AbsolutePath> hook_directories;
  /// Absolute directories of the caller's PATH: executable.
  std::vector<AbsolutePath> search_path;
};

enum class CompileErrc { grants_nothing, root_as_home };

struct CompileError {
  CompileErrc code;
};

class Automaton;         // domain/automaton.hpp
struct RuleIngredients;  // what the automaton was built from; inside the domain

/// What an automaton of one rule is built with besides the rule.
enum class Company : std::uint8_t {
  alone,
  with_exceptions,  ///< package content and opt-outs, by which a rule can be set aside
};

class CompiledPolicy {
 public:
  CompiledPolicy(CompiledPolicy&&) noexcept;
  CompiledPolicy& operator=(CompiledPolicy&&) noexcept;
  ~CompiledPolicy();

  [[nodiscard]] const Rule* rule(RuleId id) const noexcept;
  [[nodiscard]] const std::vector<Rule>& rules() const noexcept;
  [[nodiscard]] const Automaton& automaton() const noexcept { return *automaton_; }
  /// Of the rules on unix sockets; each is an `Access::write` there, a literal one also an
  /// `Access::read`.
  [[nodiscard]] const Automaton& sockets() const noexcept { return *sockets_; }
  /// An automaton of one rule, for explaining. `id` is one of `rules()`.
  [[nodiscard]] std::unique_ptr<const Automaton> automaton_of(RuleId id, Company company) const;

 private:
  friend class FoldedPolicy;
  friend tl::expected<CompiledPolicy, CompileError> compile(const Policy&, const Surroundings&);
  explicit CompiledPolicy(std::unique_ptr<const RuleIngredients> ingredients);
  [[nodiscard]] CompiledPolicy in_folded_names() const;

  std::unique_ptr<const RuleIngredients> ingredients_;
  std::unique_ptr<const Automaton> automaton_;
  std::unique_ptr<const Automaton> sockets_;
};

/// Adds the mandatory denies (less the exact opt-outs), the surroundings' rules and the canonical
/// twins, and compiles everything.
[[nodiscard]] tl::expected<CompiledPolicy, CompileError> compile(const Policy& policy,
                                                                 const Surroundings& surroundings);

/// The specification of the sandbox. Total: a malformed path is a denial.
[[nodiscard]] Decision decide(const CompiledPolicy& policy, const Operation& operation) noexcept;

}  // namespace pmg::domain
