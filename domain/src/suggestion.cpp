#include "domain/suggestion.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/overrides.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::domain {
namespace {

using Overrides = std::vector<Override>;

/// What may help, the smallest first. Empty where the path cannot be written as a rule.
class Candidates {
 public:
  std::vector<Overrides> operator()(const Read& op) const { return one<AllowRead>(op.path); }
  std::vector<Overrides> operator()(const Write& op) const { return one<AllowWrite>(op.path); }
  std::vector<Overrides> operator()(const Create& op) const { return one<AllowWrite>(op.path); }
  std::vector<Overrides> operator()(const Remove& op) const { return one<AllowWrite>(op.path); }
  std::vector<Overrides> operator()(const ChangeMetadata& op) const {
    return one<AllowWrite>(op.path);
  }
  std::vector<Overrides> operator()(const Execute& op) const { return one<AllowExec>(op.path); }
  std::vector<Overrides> operator()(const ConnectUnix& op) const { return one<AllowUnix>(op.path); }
  std::vector<Overrides> operator()(const Rename& op) const { return two(op.from, op.to); }
  std::vector<Overrides> operator()(const Link& op) const { return two(op.from, op.to); }

 private:
  /// For a deny that may stand on either form: the object's, the spelled one, both.
  template <class Allow>
  static std::vector<Overrides> one(const PathUse& use) {
    // Programs and sockets are named, never matched (parse_override).
    constexpr bool kNamed = std::is_same_v<Allow, AllowExec> || std::is_same_v<Allow, AllowUnix>;
    std::vector<Overrides> found;
    const auto add = [&found](std::string_view path) {
      auto pattern = pattern_for(path);
      if (pattern && (!kNamed || pattern->text() == path)) {
        found.push_back({Allow{*std::move(pattern)}});
      }
    };
    add(use.real.text());
    if (use.spelled != use.real) {
      add(use.spelled.text());
    }
    if (found.size() == 2) {
      found.push_back({found[0].front(), found[1].front()});
    }
    return found;
  }

  static std::vector<Overrides> two(const PathUse& from, const PathUse& to) {
    std::vector<Overrides> found = one<AllowWrite>(to);
    const std::vector<Overrides> sources = one<AllowWrite>(from);
    found.insert(found.end(), sources.begin(), sources.end());
    if (found.size() > sources.size() && !sources.empty()) {
      Overrides all = sources.back();
      const Overrides& target = found[found.size() - sources.size() - 1];
      all.insert(all.end(), target.begin(), target.end());
      found.push_back(std::move(all));
    }
    return found;
  }
};

bool lifts_protection(const CompiledPolicy& before, const Decision& decision) {
  const Rule* const rule = before.rule(decision.rule);
  return rule != nullptr && rule->effect == Effect::deny;
}

Hopeless why_not(const CompiledPolicy& policy, const Decision& decision) {
  switch (decision.reason) {
    case Reason::guards_denied_path:
    case Reason::leaves_its_rules:
      return Hopeless::moves_too_much;
    case Reason::device_needs_own_rule:
      return Hopeless::is_a_device;
    case Reason::denied_by_rule:
    case Reason::may_mean_denied_name:
    case Reason::unreadable_source: {
      const Rule* const rule = policy.rule(decision.rule);
      const bool authored = rule != nullptr && (rule->origin.layer == Layer::profile ||
                                                rule->origin.layer == Layer::parent_profile);
      return authored ? Hopeless::denied_by_policy : Hopeless::protected_always;
    }
    case Reason::allowed_by_rule:
    case Reason::nothing_allows:
      break;
  }
  return Hopeless::not_writable_as_rule;
}

}  // namespace

std::optional<PatternTemplate> pattern_for(std::string_view path) {
  if (!AbsolutePath::parse(path)) {
    return std::nullopt;
  }
  std::string text;
  bool begins_variable = false;
  for (std::size_t at = 0; at < path.size(); ++at) {
    const char c = path[at];
    begins_variable = c == '$' && at + 1 < path.size() && path[at + 1] == '{';
    // A set of one: the only way to write these for what they are.
    const bool special = c == '*' || c == '?' || c == '[' || begins_variable;
    text += special ? std::string("[") + c + "]" : std::string(1, c);
  }
  auto parsed = PatternTemplate::parse(text);
  return parsed ? std::optional(*std::move(parsed)) : std::nullopt;
}

std::variant<Suggestion, Hopeless> suggest(const Policy& policy, const Surroundings& surroundings,
                                           const Operation& operation) {
  const auto before = compile(policy, surroundings);
  if (!before) {
    return Hopeless::not_writable_as_rule;
  }
  const Decision decision = decide(*before, operation);
  Hopeless why = why_not(*before, decision);
  for (const Overrides& overrides : std::visit(Candidates{}, operation)) {
    const auto after =
        compile(with_overrides(policy, overrides, surroundings.variables), surroundings);
    if (!after) {
      continue;
    }
    const Decision then = decide(*after, operation);
    if (then.allowed()) {
      return Suggestion{
          overrides, lifts_protection(*before, decision) ? Protection::lifted : Protection::kept};
    }
    why = why_not(*after, then);
  }
  return why;
}

}  // namespace pmg::domain
