/// All rules of a policy as one automaton over path segments.
///
///   Walk walk;
///   compiled.automaton().walk("/p/.env", walk);      // one pass, O(segments)
///   if (walk.deny.has(Access::read)) { … }
///
/// A node stands for a prefix of patterns. Its children are literal segments (one hash probe),
/// globs (one probe per distinct length of their literal head or tail) and at most one `**`, which
/// loops on itself. Immutable, so any number of threads may walk it at once.
///
/// Not for: judging operations (`decide`); nor for building, which automaton_builder.hpp does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/compiled.hpp"

namespace pmg::domain {

using NodeId = std::uint32_t;

/// Node numbers, in place for ordinary policies. Growth that finds no memory is remembered, and the
/// walk then counts as malformed, which is a denial.
class NodeList {
 public:
  // Its array is not initialised on purpose: that would cost more than a walk.
  NodeList() noexcept {}  // NOLINT(modernize-use-equals-default,*-member-init)
  NodeList(const NodeList&) = delete;
  NodeList& operator=(const NodeList&) = delete;
  ~NodeList() = default;

  void push(NodeId node) noexcept {
    if (size_ < capacity_ || grow()) {
      data_[size_++] = node;
    }
  }
  void truncate(std::size_t size) noexcept { size_ = size; }
  [[nodiscard]] bool has_overflowed() const noexcept { return has_overflowed_; }
  [[nodiscard]] std::span<NodeId> nodes() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const NodeId> nodes() const noexcept { return {data_, size_}; }

 private:
  bool grow() noexcept;

  static constexpr std::size_t kInPlace = 40;
  std::array<NodeId, kInPlace> in_place_;
  std::unique_ptr<NodeId[]> heap_;
  NodeId* data_ = in_place_.data();
  std::size_t size_ = 0;
  std::size_t capacity_ = kInPlace;
  bool has_overflowed_ = false;
};

/// For each access a rule, or RuleId::kNone.
class PerAccess {
 public:
  [[nodiscard]] std::uint32_t operator[](Access a) const noexcept {
    return rules_[static_cast<std::size_t>(a)];
  }
  [[nodiscard]] bool has(Access a) const noexcept { return (*this)[a] != RuleId::kNone; }
  void set(Access a, std::uint32_t rule) noexcept { rules_[static_cast<std::size_t>(a)] = rule; }
  void set_if_none(Access a, std::uint32_t rule) noexcept {
    if (!has(a)) {
      set(a, rule);
    }
  }
  void keep_lowest(const PerAccess& other) noexcept;
  void fill_gaps_from(const PerAccess& other) noexcept;
  void override_with(const PerAccess& other) noexcept;

 private:
  std::array<std::uint32_t, 3> rules_{RuleId::kNone, RuleId::kNone, RuleId::kNone};
};

/// What one walk along a path found.
class Walk {
 public:
  bool is_well_formed = false;  ///< P1 holds (and memory for the nodes was found)
  bool in_project = false;      ///< within the working directory
  PerAccess allow;              ///< allow rules that cover the path
  PerAccess allow_beneath;      ///< allow rules that cover the path and everything beneath it
  PerAccess dropped_at_dev;     ///< what would cover it, were it not within /dev (R5)
  PerAccess deny;               ///< deny rules that cover the path
  std::uint32_t mkdir_for = RuleId::kNone;  ///< a write rule that the path is a literal parent of

  /// The nodes from which further segments would continue.
  [[nodiscard]] std::span<const NodeId> active() const noexcept { return lists_[now_].nodes(); }

 private:
  friend class Automaton;
  std::array<NodeList, 2> lists_;
  std::size_t now_ = 0;
};

class Automaton {
 public:
  /// Walks `path` into a fresh `walk`. Total: text that is not P1 leaves `is_well_formed` false.
  void walk(std::string_view path, Walk& walk) const noexcept;

  /// A rule that denies reading or writing strictly beneath a node of `walk` that was entered by a
  /// literal segment (R6); kNone if there is none.
  [[nodiscard]] std::uint32_t guarded_by(const Walk& walk) const noexcept;
  /// As guarded_by, for a symlink: what guards git counts however its node was entered, since git
  /// would follow the link.
  [[nodiscard]] std::uint32_t guarded_from_links_by(const Walk& walk) const noexcept;

  /// R7: the same denies, package content and opt-outs apply beneath both paths. Within package
  /// content fewer nodes are active than outside.
  [[nodiscard]] bool same_denies_beneath(const Walk& a, const Walk& b) const noexcept;
  /// The same rules that allow reading or writing apply strictly beneath both paths.
  [[nodiscard]] bool same_allows_beneath(const Walk& a, const Walk& b) const noexcept;
  /// A deny rule that applies beneath one of the paths and not the other; kNone if there is none.
  [[nodiscard]] std::uint32_t differing_deny(const Walk& a, const Walk& b) const noexcept;

 private:
  friend class AutomatonBuilder;
  static constexpr std::uint32_t kNone = 0xffffffffU;

  // What a node is, and what is beneath it.
  static constexpr std::uint32_t kAnyDepth = 1U << 0U;    ///< loops on itself
  static constexpr std::uint32_t kByLiteral = 1U << 1U;   ///< entered by a literal segment
  static constexpr std::uint32_t kInDev = 1U << 3U;       ///< its literal prefix is within /dev
  static constexpr std::uint32_t kEverywhere = 1U << 2U;  ///< a loop that every path enters
  static constexpr std::uint32_t kOutsidePackages = 1U << 4U;  ///< Reach::outside_packages
  static constexpr std::uint32_t kOutsideCaches = 1U << 11U;   ///< Reach::outside_caches
  static constexpr std::uint32_t kDenyBeneath = 1U << 5U;   ///< … or package content, or opt-outs
  static constexpr std::uint32_t kAllowBeneath = 1U << 6U;  ///< reading or writing
  // What happens when it is entered.
  static constexpr std::uint32_t kPackage = 1U << 7U;
  static constexpr std::uint32_t kProject = 1U << 12U;
  static constexpr std::uint32_t kOptOutRead = 1U << 8U;
  static constexpr std::uint32_t kOptOutWrite = 1U << 9U;
  static constexpr std::uint32_t kRules = 1U << 10U;

  /// Which bytes may stand in a place; most segments are turned away here, before any hashing.
  struct ByteFilter {
    std::uint64_t bits = 0;
    static std::uint64_t bit(char c) noexcept {
      return std::uint64_t{1} << (static_cast<unsigned char>(c) & 63U);
    }
    void add(char c) noexcept { bits |= bit(c); }
    [[nodiscard]] bool may_hold(char c) const noexcept { return (bits & bit(c)) != 0; }
  };

  struct Node {
    std::uint32_t flags = 0;
    NodeId any_child = kNone;
    std::uint32_t globs = kNone;         ///< index into glob_indexes_
    std::uint32_t rules = kNone;         ///< index into rules_
    std::uint32_t guard = kNone;         ///< a rule beneath that denies reading or writing
    std::uint32_t deny_beneath = kNone;  ///< a rule beneath that denies anything
    ByteFilter literals;                 ///< first bytes of the literal children
  };

  struct NodeRules {
    PerAccess allow_exact;
    PerAccess allow_subtree;
    PerAccess deny;
    PerAccess deny_unless_opted_out;
    std::uint32_t mkdir_for = kNone;
  };

  /// Open addressing, at most half full: a literal child, or the globs of one node with one key.
  struct Slot {
    NodeId parent = kNone;        ///< kNone: a free slot
    std::uint32_t value = kNone;  ///< the child, or an index into glob_edges_
    std::uint32_t text = 0;       ///< where the segment, head or tail starts in texts_
    std::uint32_t size = 0;
  };
  using Table = std::vector<Slot>;

  struct GlobEdge {
    std::uint32_t text;
    std::uint32_t size;
    std::uint32_t head;     ///< bytes before the first wildcard
    std::uint32_t tail;     ///< bytes after the last one
    std::uint32_t is_star;  ///< 1: nothing but one `*` stands between them
    NodeId child;
    std::uint32_t next;  ///< the next edge with the same key
  };

  /// The heads, or the tails, of one length below one node.
  struct AffixSize {
    std::uint32_t size;
    ByteFilter first;
    ByteFilter last;
    [[nodiscard]] bool may_hold(std::string_view affix) const noexcept {
      return first.may_hold(affix.front()) && last.may_hold(affix.back());
    }
  };

  /// The globs of one node: which lengths to probe, and those without a literal head or tail.
  struct GlobIndex {
    std::vector<AffixSize> heads;
    std::vector<AffixSize> tails;
    std::uint32_t unkeyed = kNone;
  };

  struct Step;
  struct Found;

  [[nodiscard]] std::string_view text_at(std::uint32_t at, std::uint32_t size) const noexcept {
    return {texts_.data() + at, size};
  }
  [[nodiscard]] std::uint32_t find(const Table& table, std::uint64_t hash, NodeId parent,
                                   std::string_view text) const noexcept;
  [[nodiscard]] bool edge_matches(const GlobEdge& edge, std::string_view segment) const noexcept;
  void advance(Step& step, std::string_view segment) const noexcept;
  void enter(Step& step, NodeId id) const noexcept;
  void enter_globs(Step& step, NodeId parent, std::string_view segment) const noexcept;
  void enter_edges(Step& step, std::uint32_t edge, std::string_view segment) const noexcept;
  void evaluate(Step& step) const noexcept;
  void drop_outside_rules(Step& step) const noexcept;
  void apply(const Step& step, const Node& node, Found& found) const noexcept;
  [[nodiscard]] bool same_beneath(const Walk& a, const Walk& b, std::uint32_t flag) const noexcept;

  std::vector<Node> nodes_;
  std::vector<NodeRules> rules_;
  Table literals_;
  Table heads_;
  Table tails_;
  std::vector<GlobEdge> glob_edges_;
  std::vector<GlobIndex> glob_indexes_;
  std::string texts_;
};

}  // namespace pmg::domain
