#include "domain/folded_policy.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "domain/case_folding.hpp"
#include "rule_ingredients.hpp"

namespace pmg::domain {
namespace {

/// The folded forms of one PathUse; one where both are the same text.
class FoldedUse {
 public:
  FoldedUse(const PathUse& use, Tail tail) noexcept : real_(use.real, tail) {
    if (use.real != use.spelled) {
      spelled_.emplace(use.spelled, tail);
    }
  }

  [[nodiscard]] PathUse use() const noexcept {
    return {real_.view(), spelled_ ? spelled_->view() : real_.view()};
  }
  [[nodiscard]] bool is_opaque() const noexcept {
    return real_.is_opaque() || (spelled_ && spelled_->is_opaque());
  }
  [[nodiscard]] bool has_tail() const noexcept {
    return real_.has_tail() || (spelled_ && spelled_->has_tail());
  }

 private:
  FoldedPath real_;
  std::optional<FoldedPath> spelled_;
};

struct Judged {
  Decision decision;
  bool has_tail;
};

/// Decides an operation on the folded forms of its paths.
struct Judge {
  const CompiledPolicy& rules;
  Tail tail;

  Judged operator()(const Rename& op) const noexcept { return judge_pair(op); }
  Judged operator()(const Link& op) const noexcept { return judge_pair(op); }
  template <class T>
  Judged operator()(T op) const noexcept {
    const FoldedUse path(op.path, tail);
    op.path = path.use();
    return {path.is_opaque() ? Decision{} : decide(rules, op), path.has_tail()};
  }

 private:
  template <class T>
  [[nodiscard]] Judged judge_pair(T op) const noexcept {
    const FoldedUse from(op.from, tail);
    const FoldedUse to(op.to, tail);
    op.from = from.use();
    op.to = to.use();
    return {from.is_opaque() || to.is_opaque() ? Decision{} : decide(rules, op),
            from.has_tail() || to.has_tail()};
  }
};

}  // namespace

CompiledPolicy CompiledPolicy::in_folded_names() const {
  auto made = std::make_unique<RuleIngredients>();
  made->terms = ingredients_->terms;
  made->rules.reserve(rules().size());
  for (const Rule& rule : rules()) {
    PathPattern pattern = folded(rule.pattern, Tail::kept);
    if (has_tails(pattern)) {
      made->other_forms.push_back(
          {static_cast<std::uint32_t>(made->rules.size()), folded(rule.pattern, Tail::cut)});
    }
    // Text and origin are those of the policy that this one is made from: the index is the same.
    made->rules.push_back({rule.effect, rule.access, {}, std::move(pattern), {}});
  }
  for (const Tail tail : {Tail::kept, Tail::cut}) {
    for (const PathPattern& pattern : ingredients_->package_content) {
      made->package_content.push_back(folded(pattern, tail));
    }
    for (const AbsolutePath& project : ingredients_->projects) {
      made->projects.push_back(folded(project, tail));
    }
    for (const RuleIngredients::OptOut& opt_out : ingredients_->opt_outs) {
      made->opt_outs.push_back({folded(opt_out.path, tail), opt_out.access});
    }
  }
  return CompiledPolicy(std::move(made));
}

Decision FoldedPolicy::decide(const Operation& operation) const noexcept {
  Judged judged = std::visit(Judge{rules_, Tail::kept}, operation);
  if (judged.decision.allowed() && judged.has_tail) {
    judged = std::visit(Judge{rules_, Tail::cut}, operation);
  }
  if (!judged.decision.allowed()) {
    judged.decision.reason = Reason::may_mean_denied_name;
  }
  return judged.decision;
}

}  // namespace pmg::domain
