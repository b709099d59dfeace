/// Gathers the rules of one policy, with their canonical twins and opt-outs, on the way to
/// its automata. Used by `compile` alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "domain/automaton.hpp"
#include "domain/automaton_builder.hpp"
#include "domain/compiled.hpp"
#include "domain/origin.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "rule_ingredients.hpp"

namespace pmg::domain {

class RuleAssembly {
 public:
  /// `writable`: what the written rules let the sandbox write, for `is_trusted`.
  RuleAssembly(const Surroundings& surroundings, const Automaton& writable) noexcept
      : surroundings_(surroundings), writable_(writable) {}

  [[nodiscard]] const Surroundings& surroundings() const noexcept { return surroundings_; }

  /// How many rules there may be in all; a hint.
  void expect(std::size_t rules) {
    made_.rules.reserve(rules);
    made_.terms.reserve(rules);
  }

  /// Each adds the rule and its twins.
  void allow(Access access, std::string_view text, PathPattern pattern, const Origin& origin);
  void deny(Access access, std::string_view text, PathPattern pattern, const Origin& origin,
            Strength strength = Strength::absolute, Reach reach = Reach::everywhere);
  /// R11: a socket of the host may be connected to.
  void connect(std::string_view text, PathPattern pattern, const Origin& origin);
  /// Where package content is no tool's cache.
  void project(const AbsolutePath& path);
  void package_content(const PathPattern& pattern);

  /// O2: an exact literal opts out of the mandatory denies of `access` for exactly that path.
  void opt_out(Access access, const AbsolutePath& path);
  /// The operator named exactly this directory entry, in whichever form.
  [[nodiscard]] bool is_opted_out(Access access, const AbsolutePath& path);

  [[nodiscard]] RuleIngredients finish() && { return std::move(made_); }

 private:
  struct Terms {
    Effect effect;
    Access access;
    Strength strength;
    Reach reach;
  };
  enum class Trust : std::uint8_t { unknown, no, yes };
  /// Whether a symlink is on the way: at a place, or at a directory above it.
  enum class Shape : std::uint8_t { unknown, plain, linked };
  /// What is known about a path; each thing is asked once, when it is needed.
  struct Place {
    AbsolutePath path;
    std::optional<AbsolutePath> canonical;
    std::optional<std::vector<AbsolutePath>> links;
    Trust trust = Trust::unknown;
    Shape shape = Shape::unknown;
  };
  void add(const Terms& terms, std::string_view text, PathPattern pattern, const Origin& origin);
  /// `path`: text of P1.
  Place& place_of(std::string_view path);
  const AbsolutePath& canonical(Place& place);
  const std::vector<AbsolutePath>& links(Place& place);
  bool is_trusted(Place& place);
  bool is_plain(Place& place);
  bool find_trust(Place& place);
  /// T1: every place at which the pattern's literal prefix is found.
  std::vector<PathPattern> deny_twins(const PathPattern& pattern);
  /// T2: the place to which trusted symlinks lead; empty where there is none.
  std::optional<PathPattern> allow_twin(const PathPattern& pattern);

  const Surroundings& surroundings_;
  const Automaton& writable_;
  RuleIngredients made_;
  std::deque<Place> places_;  ///< stay where they are
  std::unordered_map<std::string_view, Place*> place_of_;
  std::unordered_set<std::string> read_opt_outs_;
  std::unordered_set<std::string> write_opt_outs_;
};

/// The denies of every policy (domain/mandatory.hpp) and what the surroundings add.
void add_mandatory_rules(RuleAssembly& assembly, Toggle allow_git_config);
void add_surrounding_rules(RuleAssembly& assembly, Toggle allow_git_config);

}  // namespace pmg::domain
