/// The paths that a rule speaks about, compared with those of other rules, whatever the variables
/// are.
///
///   PathSet part(pattern, Extent::allowed), all(other, Extent::allowed);
///   is_within(part, all)            // every path of `part` is one of `all`
///   may_meet(part, all)             // some path may be in both
///
/// V1: what is said holds for all values of ${HOME}, ${CWD} and ${TMPDIR} that `compile` takes; two
/// variables may be the same directory, or one inside the other. Where a question is too hard,
/// `is_within` is false and `may_meet` is true: neither then says that a rule is superfluous.
///
/// Not for: deciding on a path (`decide`), and symlinks, which are facts of a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/path.hpp"
#include "domain/pattern.hpp"

namespace pmg::domain {

class Language;

/// How far a pattern reaches (R1).
enum class Extent : std::uint8_t {
  exactly,  ///< what it matches
  allowed,  ///< and, where it is literal or ends in `/**`, what lies beneath
  denied,   ///< and what lies beneath
};

class PathSet {
 public:
  PathSet(const PatternTemplate& pattern, Extent extent);

  /// Of a text that is known to be a pattern, such as those of the built-in lists.
  [[nodiscard]] static std::optional<PathSet> parse(std::string_view text, Extent extent);

  [[nodiscard]] bool is_literal() const noexcept { return is_literal_; }
  /// Its literal start is /dev or within it (R5).
  [[nodiscard]] bool is_in_dev() const noexcept;
  /// Starts with `**`.
  [[nodiscard]] bool is_floating() const noexcept;
  [[nodiscard]] const std::optional<Variable>& variable() const noexcept { return variable_; }
  /// Behind the variable, if there is one.
  [[nodiscard]] const std::vector<Segment>& segments() const noexcept { return segments_; }

  /// The path that its first segments name, and no other; they are literal.
  [[nodiscard]] PathSet start(std::size_t segments) const;
  /// What it matches, without what lies beneath.
  [[nodiscard]] PathSet exactly() const;
  /// Segments without a `**` at the end, which only says "and beneath".
  [[nodiscard]] std::size_t depth() const noexcept;
  /// How many of the first segments are literal.
  [[nodiscard]] std::size_t literal_depth() const noexcept;

  /// The same pattern under another spelling: `/a//b/` and `/a/b`, `/a` and `/a/**`.
  [[nodiscard]] bool is_same_pattern(const PathSet& other) const;
  /// One of its paths, with `variables` for the variables; the root where it has none.
  [[nodiscard]] AbsolutePath example(const Variables& variables) const;

 private:
  friend bool is_within(const PathSet& part, std::span<const PathSet* const> all);
  friend bool may_meet(const PathSet& one, const PathSet& other);

  enum class Form : std::uint8_t { relative, from_root };
  void add_to(Language& language, Form form) const;
  [[nodiscard]] bool has_example_in(const PathSet& all) const;
  [[nodiscard]] bool differs_from(const PathSet& other) const;
  /// Quick: it is worth comparing.
  [[nodiscard]] bool may_lie_in(const PathSet& all) const;
  /// Also beneath every directory.
  [[nodiscard]] bool holds_anywhere() const noexcept;

  std::optional<Variable> variable_;
  bool is_known_ = true;  ///< false for what is above a variable (`${CWD}/../x`)
  bool is_literal_ = false;
  bool reaches_beneath_ = false;
  std::vector<Segment> segments_;
  std::vector<std::string> example_;
};

/// Every path of `part` is in one of `all`.
[[nodiscard]] bool is_within(const PathSet& part, std::span<const PathSet* const> all);
[[nodiscard]] bool is_within(const PathSet& part, const PathSet& all);
/// Some path may be in both.
[[nodiscard]] bool may_meet(const PathSet& one, const PathSet& other);
/// No path is in it.
[[nodiscard]] bool is_empty(const PathSet& set);

/// Names of variables: every one that `part` matches, one of `all` matches.
[[nodiscard]] bool is_within(const EnvPattern& part, std::span<const EnvPattern* const> all);
[[nodiscard]] bool may_meet(const EnvPattern& one, const EnvPattern& other);
[[nodiscard]] bool is_empty(const EnvPattern& pattern);

}  // namespace pmg::domain
