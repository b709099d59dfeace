#include "model/differences.hpp"

#include <algorithm>
#include <cerrno>

#include "gen/world.hpp"

namespace pmg::model {
namespace {

bool existed_at_start(const Tree& tree, const domain::AbsolutePath& path) {
  const Node* const node = tree.find(path.text());
  return node != nullptr && node->birth == Birth::early;
}

bool is_exec_rule(const domain::Rule& rule, domain::Effect effect) {
  return rule.access == domain::Access::exec && rule.effect == effect;
}

// A program that came, with a directory or alone, to a place where Landlock had been told of every
// entry: because a denied program is beneath, or because what a rule names was missing.
bool is_not_granted(const Tree& tree, const domain::CompiledPolicy& policy,
                    const std::string& program) {
  const auto& rules = policy.rules();
  const domain::AbsolutePath path = gen::as_path(program);
  const bool has_grant = std::any_of(rules.begin(), rules.end(), [&](const domain::Rule& rule) {
    const auto prefix = rule.pattern.literal_prefix();
    return is_exec_rule(rule, domain::Effect::allow) && path.is_within(prefix) &&
           existed_at_start(tree, prefix);
  });
  for (domain::AbsolutePath at = path; tree.holds(at.text()); at = at.parent()) {
    if (existed_at_start(tree, at)) {
      continue;
    }
    const bool is_carved = std::any_of(rules.begin(), rules.end(), [&](const domain::Rule& rule) {
      const auto denied = rule.pattern.literal_prefix();
      return is_exec_rule(rule, domain::Effect::deny) && rule.pattern.is_literal() &&
             denied.is_within(at.parent()) && existed_at_start(tree, denied);
    });
    if (is_carved || !has_grant) {
      return true;
    }
  }
  return false;
}

// Sockets of a tree are bound by who builds it, so they are the host's.
bool holds_socket(const Tree& tree, const std::string& directory) {
  const auto& nodes = tree.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
    return node.second.kind == Kind::socket && node.first.starts_with(directory + "/");
  });
}

// Calls that neither name, unname nor change an object.
bool only_opens(Op op) { return op <= Op::create || op == Op::connect || op == Op::execute; }

}  // namespace

std::optional<Difference> explain(const Tree& tree, const domain::CompiledPolicy& policy,
                                  const Ended& ended) {
  const auto [op, wanted, inside, outside] = ended;
  if (op == Op::execute && inside == EACCES &&
      std::any_of(wanted.programs.begin(), wanted.programs.end(), [&](const std::string& program) {
        return is_not_granted(tree, policy, program);
      })) {
    return Difference::k1;
  }
  if (inside == EACCES && !only_opens(op) &&
      (wanted.kind == Kind::socket || wanted.replaced == Kind::socket)) {
    return Difference::k3;
  }
  const bool moves = op == Op::rename || op == Op::rename_no_replace || op == Op::exchange;
  if (moves && inside == EACCES &&
      std::any_of(wanted.places.begin(), wanted.places.end(),
                  [&](const std::string& place) { return holds_socket(tree, place); })) {
    return Difference::k3;
  }
  if (op == Op::exchange && inside == EXDEV) {
    return Difference::k4;
  }
  const bool creates = op == Op::open_create || op == Op::open_create_both || op == Op::create;
  if (creates && inside == ENOTDIR && outside == EISDIR) {
    return Difference::k5;
  }
  return std::nullopt;
}

}  // namespace pmg::model
