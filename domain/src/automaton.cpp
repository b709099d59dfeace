#include "domain/automaton.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "domain/compiled.hpp"
#include "domain/pattern.hpp"
#include "segment_hash.hpp"

namespace pmg::domain {

bool NodeList::grow() noexcept {
  std::unique_ptr<NodeId[]> larger(new (std::nothrow) NodeId[capacity_ * 4]);
  if (!larger) {
    has_overflowed_ = true;
    return false;
  }
  std::copy_n(data_, size_, larger.get());
  heap_ = std::move(larger);
  data_ = heap_.get();
  capacity_ *= 4;
  return true;
}

void PerAccess::keep_lowest(const PerAccess& other) noexcept {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    rules_[i] = std::min(rules_[i], other.rules_[i]);  // kNone is the highest
  }
}

void PerAccess::fill_gaps_from(const PerAccess& other) noexcept {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i] == RuleId::kNone) {
      rules_[i] = other.rules_[i];
    }
  }
}

void PerAccess::override_with(const PerAccess& other) noexcept {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (other.rules_[i] != RuleId::kNone) {
      rules_[i] = other.rules_[i];
    }
  }
}

/// One segment of a walk.
struct Automaton::Step {
  Walk& walk;
  std::span<const NodeId> from;
  NodeList& to;
  std::size_t loops = 0;    ///< the first nodes of `to`, carried over because they loop
  std::uint32_t flags = 0;  ///< of all nodes that were entered
  bool is_last = false;
  bool in_dev = false;
};

/// The rules that end at one segment: of several, the first in the policy.
struct Automaton::Found {
  PerAccess allow_subtree;
  PerAccess allow_exact;
  PerAccess dropped_at_dev;
  PerAccess deny;
};

std::uint32_t Automaton::find(const Table& table, std::uint64_t hash, NodeId parent,
                              std::string_view text) const noexcept {
  const std::size_t mask = table.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = table[at];
    if (slot.parent == kNone) {
      return kNone;
    }
    if (slot.parent == parent && text_at(slot.text, slot.size) == text) {
      return slot.value;
    }
  }
}

bool Automaton::edge_matches(const GlobEdge& edge, std::string_view segment) const noexcept {
  const std::string_view glob = text_at(edge.text, edge.size);
  if (edge.is_star == 0) {
    return glob_matches(glob, segment);
  }
  return segment.size() >= edge.head + edge.tail &&
         segment.starts_with(glob.substr(0, edge.head)) &&
         segment.ends_with(glob.substr(glob.size() - edge.tail));
}

void Automaton::enter(Step& step, NodeId id) const noexcept {
  const Node& node = nodes_[id];
  step.to.push(id);
  step.flags |= node.flags;
  const NodeId any = node.any_child;
  if (any == kNone) {
    return;
  }
  const auto carried = step.to.nodes().first(std::min(step.loops, step.to.nodes().size()));
  if (std::ranges::find(carried, any) == carried.end()) {
    step.to.push(any);
  }
}

void Automaton::enter_edges(Step& step, std::uint32_t edge,
                            std::string_view segment) const noexcept {
  for (; edge != kNone; edge = glob_edges_[edge].next) {
    if (edge_matches(glob_edges_[edge], segment)) {
      enter(step, glob_edges_[edge].child);
    }
  }
}

void Automaton::enter_globs(Step& step, NodeId parent, std::string_view segment) const noexcept {
  const GlobIndex& index = glob_indexes_[nodes_[parent].globs];
  for (const AffixSize& heads : index.heads) {
    const std::string_view head = segment.substr(0, heads.size);
    if (head.size() == heads.size && heads.may_hold(head)) {
      enter_edges(step, find(heads_, hash_below(parent, hash_of(head)), parent, head), segment);
    }
  }
  for (const AffixSize& tails : index.tails) {
    const std::string_view tail =
        segment.substr(segment.size() - std::min<std::size_t>(tails.size, segment.size()));
    if (tail.size() == tails.size && tails.may_hold(tail)) {
      enter_edges(step, find(tails_, hash_below(parent, hash_of(tail)), parent, tail), segment);
    }
  }
  enter_edges(step, index.unkeyed, segment);
}

void Automaton::advance(Step& step, std::string_view segment) const noexcept {
  for (const NodeId id : step.from) {
    if ((nodes_[id].flags & kAnyDepth) != 0) {
      step.to.push(id);
    }
  }
  step.loops = step.to.nodes().size();
  const std::uint64_t hash = hash_of(segment);
  for (const NodeId id : step.from) {
    const Node& node = nodes_[id];
    if (node.literals.may_hold(segment.front())) {
      const NodeId child = find(literals_, hash_below(id, hash), id, segment);
      if (child != kNone) {
        enter(step, child);
      }
    }
    if (node.globs != kNone) {
      enter_globs(step, id, segment);
    }
  }
}

void Automaton::drop_outside_rules(Step& step) const noexcept {
  const auto nodes = step.to.nodes();
  const std::uint32_t ending = kOutsidePackages | (step.walk.in_project ? 0U : kOutsideCaches);
  const auto end = std::remove_if(nodes.begin(), nodes.end(), [this, ending](NodeId id) {
    return (nodes_[id].flags & ending) != 0;
  });
  step.to.truncate(static_cast<std::size_t>(end - nodes.begin()));
}

void Automaton::apply(const Step& step, const Node& node, Found& found) const noexcept {
  const NodeRules& rules = rules_[node.rules];
  const bool is_dropped = step.in_dev && (node.flags & kInDev) == 0;
  (is_dropped ? found.dropped_at_dev : found.allow_subtree).keep_lowest(rules.allow_subtree);
  if (step.is_last) {
    (is_dropped ? found.dropped_at_dev : found.allow_exact).keep_lowest(rules.allow_exact);
    step.walk.mkdir_for = std::min(step.walk.mkdir_for, rules.mkdir_for);
  }
  found.deny.keep_lowest(rules.deny);
  PerAccess yielding = rules.deny_unless_opted_out;
  if ((step.flags & kOptOutRead) != 0) {
    yielding.set(Access::read, kNone);
  }
  if ((step.flags & kOptOutWrite) != 0) {
    yielding.set(Access::write, kNone);
  }
  found.deny.keep_lowest(yielding);
}

void Automaton::evaluate(Step& step) const noexcept {
  Walk& walk = step.walk;
  walk.in_project = walk.in_project || (step.flags & kProject) != 0;
  if ((step.flags & kPackage) != 0) {  // further inside nothing is left to drop
    drop_outside_rules(step);
  }
  if ((step.flags & kRules) == 0) {
    return;
  }
  Found found;
  for (const NodeId id : step.to.nodes()) {
    if ((nodes_[id].flags & kRules) != 0) {
      apply(step, nodes_[id], found);
    }
  }
  walk.deny.fill_gaps_from(found.deny);
  walk.allow_beneath.override_with(found.allow_subtree);
  walk.dropped_at_dev.fill_gaps_from(found.dropped_at_dev);
  if (step.is_last) {
    walk.allow = found.allow_exact;
  }
}

void Automaton::walk(std::string_view path, Walk& walk) const noexcept {
  if (path.empty() || path.front() != '/' || path.find('\0') != std::string_view::npos) {
    return;
  }
  Step first{.walk = walk, .from = {}, .to = walk.lists_[0]};
  first.is_last = path.size() == 1;
  enter(first, 0);
  enter(first, 1);
  enter(first, 2);
  evaluate(first);

  bool in_dev = false;
  std::size_t begin = 1;
  while (begin <= path.size() && path.size() > 1) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment.empty() || segment == "." || segment == "..") {
      return;
    }
    if (begin == 1 && segment == "dev" && end != path.size()) {
      in_dev = true;
      walk.dropped_at_dev = walk.allow_beneath;
      walk.allow_beneath = {};
    }
    NodeList& next = walk.lists_[1 - walk.now_];
    next.truncate(0);
    Step step{.walk = walk, .from = walk.active(), .to = next};
    step.is_last = end == path.size();
    step.in_dev = in_dev;
    advance(step, segment);
    evaluate(step);
    walk.now_ = 1 - walk.now_;
    begin = end + 1;
  }
  walk.allow.fill_gaps_from(walk.allow_beneath);
  walk.is_well_formed = !walk.lists_[0].has_overflowed() && !walk.lists_[1].has_overflowed();
}

std::uint32_t Automaton::guarded_by(const Walk& walk) const noexcept {
  for (const NodeId id : walk.active()) {
    if ((nodes_[id].flags & kByLiteral) != 0 && nodes_[id].guard != kNone) {
      return nodes_[id].guard;
    }
  }
  return kNone;
}

std::uint32_t Automaton::guarded_from_links_by(const Walk& walk) const noexcept {
  for (const NodeId id : walk.active()) {
    const Node& node = nodes_[id];
    const bool counts = (node.flags & kByLiteral) != 0 ||
                        (node.flags & (kOutsideCaches | kEverywhere)) == kOutsideCaches;
    if (counts && node.guard != kNone) {
      return node.guard;
    }
  }
  return kNone;
}

bool Automaton::same_beneath(const Walk& a, const Walk& b, std::uint32_t flag) const noexcept {
  const auto is_missing_in = [this, flag](std::span<const NodeId> others) {
    return [this, flag, others](NodeId id) {
      return (nodes_[id].flags & flag) != 0 && std::ranges::find(others, id) == others.end();
    };
  };
  return std::ranges::none_of(a.active(), is_missing_in(b.active())) &&
         std::ranges::none_of(b.active(), is_missing_in(a.active()));
}

bool Automaton::same_denies_beneath(const Walk& a, const Walk& b) const noexcept {
  return same_beneath(a, b, kDenyBeneath);
}

bool Automaton::same_allows_beneath(const Walk& a, const Walk& b) const noexcept {
  return same_beneath(a, b, kAllowBeneath);
}

std::uint32_t Automaton::differing_deny(const Walk& a, const Walk& b) const noexcept {
  const auto first_missing = [this](const Walk& from, const Walk& in) {
    for (const NodeId id : from.active()) {
      if (nodes_[id].deny_beneath != kNone &&
          std::ranges::find(in.active(), id) == in.active().end()) {
        return nodes_[id].deny_beneath;
      }
    }
    return kNone;
  };
  const std::uint32_t rule = first_missing(a, b);
  return rule != kNone ? rule : first_missing(b, a);
}

}  // namespace pmg::domain
