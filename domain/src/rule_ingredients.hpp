/// What the automata of a policy are built from: its rules, and what lifts some of them.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/automaton_builder.hpp"
#include "domain/compiled.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"

namespace pmg::domain {

struct RuleIngredients {
  struct Terms {
    Strength strength = Strength::absolute;
    Reach reach = Reach::everywhere;
  };
  struct OptOut {
    AbsolutePath path;
    Access access;
  };
  struct OtherForm {
    std::uint32_t rule;
    PathPattern pattern;
  };

  std::vector<Rule> rules;
  std::vector<Terms> terms;            ///< one for each rule
  std::vector<OtherForm> other_forms;  ///< further patterns of rules
  std::vector<PathPattern> package_content;
  /// Package content within one is not a tool's cache.
  std::vector<AbsolutePath> projects;
  std::vector<OptOut> opt_outs;
};

}  // namespace pmg::domain
