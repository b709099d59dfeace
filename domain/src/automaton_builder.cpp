#include "domain/automaton_builder.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "segment_hash.hpp"

namespace pmg::domain {
namespace {

// Three tries: the rules that hold everywhere, those that end where package content begins, and
// those that end where a tool's cache begins.
constexpr NodeId kRoot = 0;
constexpr NodeId kOutsidePackagesRoot = 1;
constexpr NodeId kOutsideCachesRoot = 2;
constexpr NodeId kFirstChild = 3;
constexpr std::uint32_t kNone = RuleId::kNone;
constexpr std::size_t kFirstChildren = 256;

/// What a pattern says once a trailing `**`, which means "and beneath", is taken away.
std::span<const Segment> without_trailing_any(const PathPattern& pattern) noexcept {
  std::span<const Segment> segments = pattern.segments();
  while (!segments.empty() && segments.back().kind == SegmentKind::any_depth) {
    segments = segments.first(segments.size() - 1);
  }
  return segments;
}

bool is_repeated_any(std::span<const Segment> segments, std::size_t at) noexcept {
  return at > 0 && segments[at].kind == SegmentKind::any_depth &&
         segments[at - 1].kind == SegmentKind::any_depth;
}

template <class Table, class Slot>
void insert(Table& table, std::uint64_t hash, const Slot& slot) {
  const std::size_t mask = table.size() - 1;
  std::size_t at = hash & mask;
  while (table[at].parent != kNone) {
    at = (at + 1) & mask;
  }
  table[at] = slot;
}

std::size_t table_size(std::size_t entries) noexcept {
  return std::bit_ceil(std::max<std::size_t>(entries, 1) * 2);
}

}  // namespace

AutomatonBuilder::AutomatonBuilder() : automaton_(new Automaton), children_(kFirstChildren, kNone) {
  for (NodeId root = 0; root < kFirstChild; ++root) {
    add_node(kNone, EdgeKind::literal, {});
  }
  automaton_->nodes_[kOutsidePackagesRoot].flags |= Automaton::kOutsidePackages;
  automaton_->nodes_[kOutsideCachesRoot].flags |= Automaton::kOutsideCaches;
}

void AutomatonBuilder::add_node(NodeId parent, EdgeKind kind, std::string_view text) {
  Automaton::Node node;
  if (parent != kNone) {
    node.flags = automaton_->nodes_[parent].flags &
                 (Automaton::kInDev | Automaton::kOutsidePackages | Automaton::kOutsideCaches);
    node.flags |= kind == EdgeKind::literal ? Automaton::kByLiteral : 0U;
    node.flags |= kind == EdgeKind::any_depth ? Automaton::kAnyDepth : 0U;
    // Beneath a root, `**` is entered by every path there is.
    node.flags |= parent < kFirstChild && kind == EdgeKind::any_depth ? Automaton::kEverywhere : 0U;
    node.flags |= parent == kRoot && text == "dev" ? Automaton::kInDev : 0U;
  }
  automaton_->nodes_.push_back(node);
  const auto at = static_cast<std::uint32_t>(automaton_->texts_.size());
  automaton_->texts_ += text;
  edges_.push_back({parent, kind, at, static_cast<std::uint32_t>(text.size()),
                    hash_below(parent, hash_of(text))});
}

std::string_view AutomatonBuilder::text_of(const Edge& edge) const noexcept {
  return automaton_->text_at(edge.text, edge.size);
}

void AutomatonBuilder::grow_children() {
  children_.assign(children_.size() * 2, kNone);
  const std::size_t mask = children_.size() - 1;
  for (NodeId id = kFirstChild; id < edges_.size(); ++id) {
    std::size_t at = edges_[id].hash & mask;
    while (children_[at] != kNone) {
      at = (at + 1) & mask;
    }
    children_[at] = id;
  }
}

NodeId AutomatonBuilder::child_of(NodeId parent, EdgeKind kind, std::string_view text) {
  const std::uint64_t hash = hash_below(parent, hash_of(text));
  const std::size_t mask = children_.size() - 1;
  std::size_t at = hash & mask;
  for (; children_[at] != kNone; at = (at + 1) & mask) {
    const Edge& edge = edges_[children_[at]];
    if (edge.parent == parent && edge.kind == kind && text_of(edge) == text) {
      return children_[at];
    }
  }
  const auto next = static_cast<NodeId>(edges_.size());
  children_[at] = next;
  add_node(parent, kind, text);
  if (edges_.size() * 2 > children_.size()) {
    grow_children();
  }
  return next;
}

NodeId AutomatonBuilder::node_for(const PathPattern& pattern, Reach reach) {
  NodeId node = reach == Reach::everywhere         ? kRoot
                : reach == Reach::outside_packages ? kOutsidePackagesRoot
                                                   : kOutsideCachesRoot;
  const auto segments = without_trailing_any(pattern);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (is_repeated_any(segments, i)) {
      continue;
    }
    switch (segments[i].kind) {
      case SegmentKind::literal:
        node = child_of(node, EdgeKind::literal, segments[i].text);
        break;
      case SegmentKind::glob:
        node = child_of(node, EdgeKind::glob, segments[i].text);
        break;
      case SegmentKind::any_depth:
        node = child_of(node, EdgeKind::any_depth, {});
        break;
    }
  }
  return node;
}

Automaton::NodeRules& AutomatonBuilder::rules_of(NodeId id) {
  Automaton::Node& node = automaton_->nodes_[id];
  if (node.rules == kNone) {
    node.rules = static_cast<std::uint32_t>(automaton_->rules_.size());
    node.flags |= Automaton::kRules;
    automaton_->rules_.emplace_back();
  }
  return automaton_->rules_[node.rules];
}

void AutomatonBuilder::add(const RuleEntry& entry) {
  Automaton::NodeRules& rules = rules_of(node_for(entry.pattern, entry.reach));
  const std::uint32_t rule = entry.rule.index;
  switch (entry.effect) {
    case Effect::deny:
      if (entry.strength == Strength::absolute) {
        rules.deny.set_if_none(entry.access, rule);
      } else {
        rules.deny_unless_opted_out.set_if_none(entry.access, rule);
      }
      return;
    case Effect::allow:
      if (entry.pattern.covers_subtree()) {
        rules.allow_subtree.set_if_none(entry.access, rule);
      } else {
        rules.allow_exact.set_if_none(entry.access, rule);
      }
      break;
  }
  if (entry.access == Access::write) {
    mark_parents(entry.pattern, entry.rule);
  }
}

/// Every directory that the literal start of `pattern` names above what it matches.
void AutomatonBuilder::mark_parents(const PathPattern& pattern, RuleId rule) {
  const auto segments = without_trailing_any(pattern);
  NodeId node = kRoot;
  for (const Segment& segment : segments) {
    std::uint32_t& mkdir_for = rules_of(node).mkdir_for;
    mkdir_for = std::min(mkdir_for, rule.index);
    if (segment.kind != SegmentKind::literal) {
      return;
    }
    node = child_of(node, EdgeKind::literal, segment.text);
  }
}

void AutomatonBuilder::add_package_content(const PathPattern& pattern) {
  automaton_->nodes_[node_for(pattern, Reach::everywhere)].flags |= Automaton::kPackage;
}

void AutomatonBuilder::add_project(const AbsolutePath& path) {
  const NodeId node = node_for(PathPattern::literal(path), Reach::everywhere);
  automaton_->nodes_[node].flags |= Automaton::kProject;
}

void AutomatonBuilder::add_opt_out(const AbsolutePath& path, Access access) {
  const NodeId node = node_for(PathPattern::literal(path), Reach::everywhere);
  automaton_->nodes_[node].flags |=
      access == Access::read ? Automaton::kOptOutRead : Automaton::kOptOutWrite;
}

void AutomatonBuilder::summarise_into_parent(NodeId id) {
  constexpr std::uint32_t kShiftsDenies =
      Automaton::kPackage | Automaton::kOptOutRead | Automaton::kOptOutWrite;
  const Automaton::Node& node = automaton_->nodes_[id];
  Automaton::Node& parent = automaton_->nodes_[edges_[id].parent];
  const Automaton::NodeRules rules =
      node.rules == kNone ? Automaton::NodeRules{} : automaton_->rules_[node.rules];

  PerAccess denies = rules.deny;
  denies.keep_lowest(rules.deny_unless_opted_out);
  const std::uint32_t read_or_write =
      std::min({node.guard, denies[Access::read], denies[Access::write]});
  const std::uint32_t anything = std::min({node.deny_beneath, read_or_write, denies[Access::exec]});
  parent.guard = std::min(parent.guard, read_or_write);
  parent.deny_beneath = std::min(parent.deny_beneath, anything);
  parent.flags |= node.flags & (Automaton::kDenyBeneath | Automaton::kAllowBeneath);
  if (anything != kNone || (node.flags & kShiftsDenies) != 0) {
    parent.flags |= Automaton::kDenyBeneath;
  }

  PerAccess allows = rules.allow_exact;
  allows.keep_lowest(rules.allow_subtree);
  if (allows.has(Access::read) || allows.has(Access::write)) {
    parent.flags |= Automaton::kAllowBeneath;
  }
}

/// Children have larger numbers than their parents, so one pass backwards sees each subtree whole.
void AutomatonBuilder::summarise_beneath() {
  for (auto id = static_cast<NodeId>(automaton_->nodes_.size()); id-- > kFirstChild;) {
    summarise_into_parent(id);
  }
}

void AutomatonBuilder::add_affix(std::vector<Automaton::AffixSize>& sizes, std::string_view affix) {
  auto at = std::ranges::find(sizes, affix.size(), &Automaton::AffixSize::size);
  if (at == sizes.end()) {
    at = sizes.insert(at, {static_cast<std::uint32_t>(affix.size()), {}, {}});
  }
  at->first.add(affix.front());
  at->last.add(affix.back());
}

void AutomatonBuilder::index_glob(NodeId child) {
  Automaton& a = *automaton_;
  const NodeId parent = edges_[child].parent;
  const std::uint32_t at = edges_[child].text;
  const std::uint32_t size = edges_[child].size;
  const std::string_view text = text_of(edges_[child]);
  if (a.nodes_[parent].globs == kNone) {
    a.nodes_[parent].globs = static_cast<std::uint32_t>(a.glob_indexes_.size());
    a.glob_indexes_.emplace_back();
  }
  Automaton::GlobIndex& index = a.glob_indexes_[a.nodes_[parent].globs];
  const GlobAffixes affixes = affixes_of(text);
  const bool is_star = affixes.wildcards == 1 && text[affixes.head] == '*';
  const auto edge = static_cast<std::uint32_t>(a.glob_edges_.size());
  a.glob_edges_.push_back({at, size, affixes.head, affixes.tail, is_star ? 1U : 0U, child, kNone});
  if (affixes.head == 0 && affixes.tail == 0) {
    a.glob_edges_[edge].next = std::exchange(index.unkeyed, edge);
    return;
  }
  const bool by_head = affixes.head >= affixes.tail;
  const std::uint32_t key_size = by_head ? affixes.head : affixes.tail;
  const std::uint32_t key_at = by_head ? at : at + size - key_size;
  Automaton::Table& table = by_head ? a.heads_ : a.tails_;
  add_affix(by_head ? index.heads : index.tails, a.text_at(key_at, key_size));
  const std::uint64_t hash = hash_below(parent, hash_of(a.text_at(key_at, key_size)));
  const std::size_t mask = table.size() - 1;
  for (std::size_t slot = hash & mask; table[slot].parent != kNone; slot = (slot + 1) & mask) {
    if (table[slot].parent == parent &&
        a.text_at(table[slot].text, table[slot].size) == a.text_at(key_at, key_size)) {
      a.glob_edges_[edge].next = std::exchange(table[slot].value, edge);
      return;
    }
  }
  insert(table, hash, Automaton::Slot{parent, edge, key_at, key_size});
}

void AutomatonBuilder::index_edges() {
  Automaton& a = *automaton_;
  const auto count = [this](EdgeKind kind) {
    return static_cast<std::size_t>(
        std::ranges::count_if(edges_, [kind](const Edge& edge) { return edge.kind == kind; }));
  };
  a.literals_.resize(table_size(count(EdgeKind::literal)));
  a.heads_.resize(table_size(count(EdgeKind::glob)));
  a.tails_.resize(table_size(count(EdgeKind::glob)));
  for (NodeId id = kFirstChild; id < edges_.size(); ++id) {
    const Edge& edge = edges_[id];
    switch (edge.kind) {
      case EdgeKind::literal: {
        a.nodes_[edge.parent].literals.add(text_of(edge).front());
        insert(a.literals_, edge.hash, Automaton::Slot{edge.parent, id, edge.text, edge.size});
        break;
      }
      case EdgeKind::glob:
        index_glob(id);
        break;
      case EdgeKind::any_depth:
        a.nodes_[edge.parent].any_child = id;
        break;
    }
  }
}

std::unique_ptr<const Automaton> AutomatonBuilder::build() && {
  summarise_beneath();
  index_edges();
  return std::move(automaton_);
}

}  // namespace pmg::domain
