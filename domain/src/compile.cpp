#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "domain/automaton.hpp"
#include "domain/automaton_builder.hpp"
#include "domain/compiled.hpp"
#include "domain/policy.hpp"
#include "rule_assembly.hpp"

namespace pmg::domain {
namespace {

bool has_root_as_variable(const Variables& variables) noexcept {
  return variables.home.is_root() || variables.cwd.is_root() || variables.tmpdir.is_root();
}

/// What the policy lets the sandbox write, before anything is added.
std::unique_ptr<const Automaton> writable_of(const Policy& policy,
                                             const Surroundings& surroundings) {
  AutomatonBuilder builder;
  const auto add = [&builder](const PathPattern& pattern) {
    builder.add({pattern, Effect::allow, Access::write, RuleId{0}});
  };
  for (const auto& rule : policy.filesystem.allow_write) {
    add(rule.value.expand(surroundings.variables));
  }
  for (const AbsolutePath& directory : surroundings.git_directories) {
    add(PathPattern::literal(directory));
  }
  return std::move(builder).build();
}

void add_opt_outs(RuleAssembly& assembly, Access access, const PathRules& rules) {
  for (const auto& rule : rules) {
    const PathPattern pattern = rule.value.expand(assembly.surroundings().variables);
    if (pattern.is_literal()) {
      assembly.opt_out(access, pattern.literal_prefix());
    }
  }
}

void allow_all(RuleAssembly& assembly, Access access, const PathRules& rules) {
  for (const auto& rule : rules) {
    assembly.allow(access, rule.value.text(), rule.value.expand(assembly.surroundings().variables),
                   rule.origin);
  }
}

void deny_all(RuleAssembly& assembly, Access access, const PathRules& rules) {
  for (const auto& rule : rules) {
    assembly.deny(access, rule.value.text(), rule.value.expand(assembly.surroundings().variables),
                  rule.origin);
  }
}

}  // namespace

CompiledPolicy::CompiledPolicy(std::vector<Rule> rules,
                               std::unique_ptr<const Automaton> automaton) noexcept
    : rules_(std::move(rules)), automaton_(std::move(automaton)) {}
CompiledPolicy::CompiledPolicy(CompiledPolicy&&) noexcept = default;
CompiledPolicy& CompiledPolicy::operator=(CompiledPolicy&&) noexcept = default;
CompiledPolicy::~CompiledPolicy() = default;

const Rule* CompiledPolicy::rule(RuleId id) const noexcept {
  return id.index < rules_.size() ? &rules_[id.index] : nullptr;
}

tl::expected<CompiledPolicy, CompileError> compile(const Policy& policy,
                                                   const Surroundings& surroundings) {
  if (grants_nothing(policy)) {
    return tl::unexpected(CompileError{CompileErrc::grants_nothing});
  }
  if (has_root_as_variable(surroundings.variables)) {
    return tl::unexpected(CompileError{CompileErrc::root_as_home});
  }
  const auto writable = writable_of(policy, surroundings);
  RuleAssembly assembly(surroundings, *writable);
  add_opt_outs(assembly, Access::read, policy.filesystem.allow_read);
  add_opt_outs(assembly, Access::write, policy.filesystem.allow_write);
  allow_all(assembly, Access::read, policy.filesystem.allow_read);
  allow_all(assembly, Access::write, policy.filesystem.allow_write);
  allow_all(assembly, Access::exec, policy.process.allow_exec);
  deny_all(assembly, Access::read, policy.filesystem.deny_read);
  deny_all(assembly, Access::write, policy.filesystem.deny_write);
  deny_all(assembly, Access::exec, policy.process.deny_exec);
  for (const auto& rule : policy.filesystem.package_content) {
    assembly.package_content(rule.value.expand(surroundings.variables));
  }
  add_mandatory_rules(assembly, policy.allow_git_config);
  add_surrounding_rules(assembly, policy.allow_git_config);
  auto [rules, automaton] = std::move(assembly).finish();
  return CompiledPolicy(std::move(rules), std::move(automaton));
}

}  // namespace pmg::domain
