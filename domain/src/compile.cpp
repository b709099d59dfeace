#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "domain/automaton.hpp"
#include "domain/automaton_builder.hpp"
#include "domain/compiled.hpp"
#include "domain/origin.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "rule_assembly.hpp"
#include "rule_ingredients.hpp"

namespace pmg::domain {
namespace {

bool has_root_as_variable(const Variables& variables) noexcept {
  return variables.home.is_root() || variables.cwd.is_root() || variables.tmpdir.is_root();
}

std::vector<PathPattern> expand_all(const PathRules& rules, const Variables& variables) {
  std::vector<PathPattern> patterns;
  patterns.reserve(rules.size());
  for (const auto& rule : rules) {
    patterns.push_back(rule.value.expand(variables));
  }
  return patterns;
}

/// What the policy lets the sandbox write, before anything is added.
std::unique_ptr<const Automaton> writable_of(const std::vector<PathPattern>& allow_write,
                                             const Surroundings& surroundings) {
  AutomatonBuilder builder;
  const auto add = [&builder](const PathPattern& pattern) {
    builder.add({pattern, Effect::allow, Access::write, RuleId{0}});
  };
  std::ranges::for_each(allow_write, add);
  for (const AbsolutePath& directory : surroundings.git_directories) {
    add(PathPattern::literal(directory));
  }
  return std::move(builder).build();
}

/// `patterns`: the rules, expanded. PR2: a rule of a preset lifts nothing, whatever it names.
void add_opt_outs(RuleAssembly& assembly, Access access, const PathRules& rules,
                  const std::vector<PathPattern>& patterns) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (patterns[i].is_literal() && rules[i].origin.layer != Layer::preset) {
      assembly.opt_out(access, patterns[i].literal_prefix());
    }
  }
}

/// `patterns`: the rules, expanded.
void allow_all(RuleAssembly& assembly, Access access, const PathRules& rules,
               std::vector<PathPattern> patterns) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    assembly.allow(access, rules[i].value.text(), std::move(patterns[i]), rules[i].origin);
  }
}

void deny_all(RuleAssembly& assembly, Access access, const PathRules& rules) {
  for (const auto& rule : rules) {
    assembly.deny(access, rule.value.text(), rule.value.expand(assembly.surroundings().variables),
                  rule.origin);
  }
}

/// A hint: the rules of the policy, and about as many as are added to every one.
std::size_t expected_rules(const Policy& policy) noexcept {
  constexpr std::size_t kAdded = 512;
  return policy.filesystem.allow_read.size() + policy.filesystem.allow_write.size() +
         policy.filesystem.deny_read.size() + policy.filesystem.deny_write.size() +
         policy.process.allow_exec.size() + policy.process.deny_exec.size() + kAdded;
}

RuleEntry entry_of(const RuleIngredients& ingredients, std::uint32_t rule,
                   const PathPattern& pattern) {
  const Rule& made = ingredients.rules[rule];
  const RuleIngredients::Terms& terms = ingredients.terms[rule];
  return {pattern, made.effect, made.access, RuleId{rule}, terms.strength, terms.reach};
}

/// Calls `add` with an entry for each form of each rule.
template <class Add>
void for_each_entry(const RuleIngredients& ingredients, const Add& add) {
  for (std::uint32_t rule = 0; rule < ingredients.rules.size(); ++rule) {
    add(entry_of(ingredients, rule, ingredients.rules[rule].pattern));
  }
  for (const RuleIngredients::OtherForm& form : ingredients.other_forms) {
    add(entry_of(ingredients, form.rule, form.pattern));
  }
}

/// What sets rules aside.
void add_exceptions(AutomatonBuilder& builder, const RuleIngredients& ingredients) {
  for (const PathPattern& pattern : ingredients.package_content) {
    builder.add_package_content(pattern);
  }
  for (const AbsolutePath& project : ingredients.projects) {
    builder.add_project(project);
  }
  for (const RuleIngredients::OptOut& opt_out : ingredients.opt_outs) {
    builder.add_opt_out(opt_out.path, opt_out.access);
  }
}

std::unique_ptr<const Automaton> build_automaton(const RuleIngredients& ingredients) {
  AutomatonBuilder builder;
  for_each_entry(ingredients, [&builder](const RuleEntry& entry) {
    if (entry.access != Access::connect) {
      builder.add(entry);
    }
  });
  add_exceptions(builder, ingredients);
  return std::move(builder).build();
}

std::unique_ptr<const Automaton> build_sockets(const RuleIngredients& ingredients) {
  AutomatonBuilder builder;
  for_each_entry(ingredients, [&builder](RuleEntry entry) {
    if (entry.access == Access::connect) {
      entry.access = Access::write;
      builder.add(entry);
      if (entry.pattern.is_literal()) {  // apart: of several rules only one is found
        entry.access = Access::read;
        builder.add(entry);
      }
    }
  });
  return std::move(builder).build();
}

}  // namespace

CompiledPolicy::CompiledPolicy(std::unique_ptr<const RuleIngredients> ingredients)
    : ingredients_(std::move(ingredients)),
      automaton_(build_automaton(*ingredients_)),
      sockets_(build_sockets(*ingredients_)) {}
CompiledPolicy::CompiledPolicy(CompiledPolicy&&) noexcept = default;
CompiledPolicy& CompiledPolicy::operator=(CompiledPolicy&&) noexcept = default;
CompiledPolicy::~CompiledPolicy() = default;

const Rule* CompiledPolicy::rule(RuleId id) const noexcept {
  return id.index < rules().size() ? &rules()[id.index] : nullptr;
}
const std::vector<Rule>& CompiledPolicy::rules() const noexcept { return ingredients_->rules; }

std::unique_ptr<const Automaton> CompiledPolicy::automaton_of(RuleId id, Company company) const {
  AutomatonBuilder builder;
  for_each_entry(*ingredients_, [&builder, id](RuleEntry entry) {
    if (entry.rule == id) {
      entry.access = entry.access == Access::connect ? Access::write : entry.access;
      builder.add(entry);
    }
  });
  if (company == Company::with_exceptions) {
    add_exceptions(builder, *ingredients_);
  }
  return std::move(builder).build();
}

tl::expected<CompiledPolicy, CompileError> compile(const Policy& policy,
                                                   const Surroundings& surroundings) {
  if (grants_nothing(policy)) {
    return tl::unexpected(CompileError{CompileErrc::grants_nothing});
  }
  if (has_root_as_variable(surroundings.variables)) {
    return tl::unexpected(CompileError{CompileErrc::root_as_home});
  }
  const Variables& variables = surroundings.variables;
  std::vector<PathPattern> allow_read = expand_all(policy.filesystem.allow_read, variables);
  std::vector<PathPattern> allow_write = expand_all(policy.filesystem.allow_write, variables);
  const auto writable = writable_of(allow_write, surroundings);
  RuleAssembly assembly(surroundings, *writable);
  assembly.expect(expected_rules(policy));
  add_opt_outs(assembly, Access::read, policy.filesystem.allow_read, allow_read);
  add_opt_outs(assembly, Access::write, policy.filesystem.allow_write, allow_write);
  allow_all(assembly, Access::read, policy.filesystem.allow_read, std::move(allow_read));
  allow_all(assembly, Access::write, policy.filesystem.allow_write, std::move(allow_write));
  allow_all(assembly, Access::exec, policy.process.allow_exec,
            expand_all(policy.process.allow_exec, variables));
  deny_all(assembly, Access::read, policy.filesystem.deny_read);
  deny_all(assembly, Access::write, policy.filesystem.deny_write);
  deny_all(assembly, Access::exec, policy.process.deny_exec);
  for (const auto& rule : policy.unix_sockets) {
    assembly.connect(rule.value.text(), rule.value.expand(variables), rule.origin);
  }
  for (const auto& rule : policy.filesystem.package_content) {
    assembly.package_content(rule.value.expand(variables));
  }
  assembly.project(variables.cwd);
  add_mandatory_rules(assembly, policy.allow_git_config);
  add_surrounding_rules(assembly, policy.allow_git_config);
  return CompiledPolicy(std::make_unique<const RuleIngredients>(std::move(assembly).finish()));
}

}  // namespace pmg::domain
