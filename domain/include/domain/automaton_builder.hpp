/// Builds the automaton of a policy.
///
///   AutomatonBuilder builder;
///   builder.add({.pattern = pattern, .effect = Effect::deny, .access = Access::read, .rule = id});
///   std::unique_ptr<const Automaton> automaton = std::move(builder).build();
///
/// Not for: choosing which rules there are (`compile`).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "domain/automaton.hpp"
#include "domain/compiled.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"

namespace pmg::domain {

/// Whether an opt-out for exactly the path that a deny matches lifts it (O2).
enum class Strength : std::uint8_t { absolute, yields_to_opt_out };

/// Whether a deny ends where package content begins (C1). What guards git ends only in the caches
/// of tools: package content of the project itself is a place that git may be run in.
enum class Reach : std::uint8_t { everywhere, outside_packages, outside_caches };

struct RuleEntry {
  const PathPattern& pattern;
  Effect effect;
  Access access;
  RuleId rule;
  Strength strength = Strength::absolute;
  Reach reach = Reach::everywhere;
};

class AutomatonBuilder {
 public:
  AutomatonBuilder();

  /// Where two rules end in the same node, the first one stands for both.
  void add(const RuleEntry& entry);
  void add_package_content(const PathPattern& pattern);
  /// The project: package content within it is not a tool's cache.
  void add_project(const AbsolutePath& path);
  void add_opt_out(const AbsolutePath& path, Access access);

  [[nodiscard]] std::unique_ptr<const Automaton> build() &&;

 private:
  enum class EdgeKind : char { literal, glob, any_depth };

  NodeId node_for(const PathPattern& pattern, Reach reach);
  NodeId child_of(NodeId parent, EdgeKind kind, std::string_view text);
  void add_node(NodeId parent, EdgeKind kind, std::string_view text);
  Automaton::NodeRules& rules_of(NodeId id);
  void mark_parents(const PathPattern& pattern, RuleId rule);
  void summarise_beneath();
  void summarise_into_parent(NodeId id);
  void index_edges();
  static void add_affix(std::vector<Automaton::AffixSize>& sizes, std::string_view affix);
  void index_glob(NodeId child);

  /// How a node is entered.
  struct Edge {
    NodeId parent;
    EdgeKind kind;
    std::uint32_t text;  ///< where it starts in the automaton's texts
    std::uint32_t size;
    std::uint64_t hash;  ///< of parent and text
  };
  void grow_children();
  [[nodiscard]] std::string_view text_of(const Edge& edge) const noexcept;

  std::unique_ptr<Automaton> automaton_;
  std::vector<Edge> edges_;       ///< by child
  std::vector<NodeId> children_;  ///< by hash; open addressing, at most half full
};

/// The literal bytes before the first and after the last wildcard of a glob.
struct GlobAffixes {
  std::uint32_t head;
  std::uint32_t tail;
  std::uint32_t wildcards;  ///< how many elements `*`, `?` or `[...]`
};
[[nodiscard]] GlobAffixes affixes_of(std::string_view glob) noexcept;

}  // namespace pmg::domain
