// Rules on paths: contradictions, dead rules, and rules without effect. Which are too broad is in
// lint_broad.cpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/lint.hpp"
#include "domain/operation.hpp"
#include "domain/path.hpp"
#include "domain/path_set.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/policy_field.hpp"
#include "lint_broad.hpp"
#include "lint_parts.hpp"
#include "mandatory_denies.hpp"

namespace pmg::domain {
namespace {

enum class Owner : std::uint8_t { parent, profile };

struct PathRule {
  PolicyField field;
  const Sourced<PatternTemplate>* rule;
  Owner owner;
  PathSet reach;
  bool is_live = true;  ///< not called dead so far
};

std::vector<PathRule> rules_of(const LintInput& input, PolicyField field, Extent extent) {
  std::vector<PathRule> rules;
  const auto add = [&](const Policy& policy, Owner owner) {
    for (const auto& rule : path_rules(policy, field)) {
      rules.push_back({field, &rule, owner, PathSet(rule.value, extent)});
    }
  };
  add(input.parent, Owner::parent);
  add(input.profile, Owner::profile);
  return rules;
}

class PathLint {
 public:
  PathLint(const LintInput& input, std::vector<Finding>& findings)
      : findings_(findings),

        mandatory_(inherit(input.parent, input.profile).allow_git_config) {
    for (const PolicyField field : kPathAllows) {
      append(allows_, rules_of(input, field, Extent::allowed));
    }
    for (const PolicyField field : kPathDenies) {
      append(denies_, rules_of(input, field, Extent::denied));
    }
    packages_ = rules_of(input, PolicyField::package_content, Extent::denied);
  }

  void run() {
    // From the last one on: of two that say the same, the first one stays.
    for (std::size_t i = allows_.size(); i-- > 0;) {
      if (allows_[i].owner == Owner::profile) {
        look_at_allow(allows_[i]);
      }
    }
    for (auto* list : {&denies_, &packages_}) {
      for (std::size_t i = list->size(); i-- > 0;) {
        if ((*list)[i].owner == Owner::profile) {
          look_at_deny(*list, (*list)[i]);
        }
      }
    }
  }

 private:
  static void append(std::vector<PathRule>& all, std::vector<PathRule> some) {
    all.insert(all.end(), std::make_move_iterator(some.begin()),
               std::make_move_iterator(some.end()));
  }

  void report(LintCode code, const PathRule& rule, std::optional<LintOther> other = std::nullopt) {
    findings_.push_back(finding_on(code, rule.field, *rule.rule, std::move(other)));
  }
  void report(LintCode code, const PathRule& rule, const PathRule& other) {
    report(code, rule, other_of(other.field, *other.rule));
  }

  void report_breadth(LintCode code, const PathRule& rule) {
    const bool is_written_floating = rule.rule->value.text().starts_with('*');
    report(code == LintCode::broad_root && is_written_floating ? LintCode::broad_all : code, rule);
  }

  void look_at_allow(PathRule& rule) {
    if (matches_nothing(rule)) {
      report(LintCode::matches_nothing, rule);
      return;
    }
    if (const auto broad = breadth_of(rule.field, rule.reach, denies_read_at_home())) {
      report_breadth(*broad, rule);
    }
    if (find_mandatory(rule) || find_deny(rule)) {
      return;
    }
    if (const PathRule* other = shadow_of(rule)) {
      rule.is_live = false;
      report(LintCode::shadowed, rule, *other);
    }
  }

  void look_at_deny(std::vector<PathRule>& list, PathRule& rule) {
    if (is_empty(rule.reach)) {
      report(LintCode::matches_nothing, rule);
      return;
    }
    if (rule.field == PolicyField::package_content) {
      if (const auto broad = breadth_of(rule.field, rule.reach, HomeReads::open)) {
        report_breadth(*broad, rule);
      }
    }
    // Only the very same pattern: what a deny keeps in place above it (R6) hangs on its form.
    const auto same = std::ranges::find_if(list, [&rule](const PathRule& other) {
      return &other != &rule && other.is_live && other.field == rule.field &&
             other.reach.is_same_pattern(rule.reach);
    });
    if (same != list.end()) {
      rule.is_live = false;
      report(LintCode::shadowed, rule, *same);
      return;
    }
    const bool is_idle =
        rule.field == PolicyField::deny_exec &&
        std::ranges::none_of(allows_, [&rule](const PathRule& allow) {
          return allow.field == PolicyField::allow_exec && may_meet(allow.reach, rule.reach);
        });
    if (is_idle) {
      report(LintCode::nothing_to_deny, rule);
    }
  }

  /// Also what is beneath a device file, and devices that are not named literally (R5).
  static bool matches_nothing(const PathRule& rule) {
    static constexpr std::string_view kDeviceFiles[] = {
        "/dev/null/*", "/dev/zero/*", "/dev/full/*", "/dev/random/*", "/dev/urandom/*",
        "/dev/tty/*",  "/dev/kmsg/*", "/dev/mem/*",  "/dev/console/*"};
    if (is_empty(rule.reach)) {
      return true;
    }
    const auto is_only = [&rule](std::string_view text) {
      const auto set = PathSet::parse(text, Extent::denied);
      return set && is_within(rule.reach, *set);
    };
    return (!rule.reach.is_in_dev() && is_only("/dev/*")) ||
           std::ranges::any_of(kDeviceFiles, is_only);
  }

  [[nodiscard]] HomeReads denies_read_at_home() const {
    static const auto homes = {PathSet::parse("${HOME}/*", Extent::denied),
                               PathSet::parse("/home/*", Extent::denied),
                               PathSet::parse("/root/*", Extent::denied)};
    const bool denies = std::ranges::any_of(denies_, [](const PathRule& rule) {
      return rule.field == PolicyField::deny_read &&
             (rule.reach.is_floating() ||
              std::ranges::any_of(homes, [&rule](const std::optional<PathSet>& home) {
                return home && is_within(rule.reach, *home);
              }));
    });
    return denies ? HomeReads::partly_denied : HomeReads::open;
  }

  // --- denies that hold in every policy

  bool find_mandatory(const PathRule& rule) {
    if (rule.field == PolicyField::unix_sockets) {
      return false;
    }
    // What may not be read does not run.
    const Access denied = rule.field == PolicyField::allow_write ? Access::write : Access::read;
    for (const MandatoryDeny& deny : mandatory_.all()) {
      if (deny.access != denied || !leaves_nothing(deny, rule)) {
        continue;
      }
      const bool yields = may_be_lifted(deny);
      if (!yields || !is_lifted(deny, rule)) {
        report(yields ? LintCode::mandatory : LintCode::mandatory_never, rule,
               LintOther{denied == Access::read ? PolicyField::deny_read : PolicyField::deny_write,
                         deny.text,
                         {}});
        return true;
      }
    }
    return false;
  }

  /// O2: a literal of the policy, maybe the rule itself, may lift the deny where the rule holds.
  [[nodiscard]] bool is_lifted(const MandatoryDeny& deny, const PathRule& rule) const {
    return std::ranges::any_of(allows_, [&](const PathRule& other) {
      return other.reach.is_literal() && access_of(other.field) == deny.access &&
             may_meet(other.reach.exactly(), deny.reach.exactly()) &&
             may_meet(other.reach, rule.reach);
    });
  }

  [[nodiscard]] bool leaves_nothing(const MandatoryDeny& deny, const PathRule& rule) const {
    if (!is_within(rule.reach, deny.reach)) {
      return false;
    }
    if (!deny.reach.is_floating()) {
      return true;
    }
    // C1: it counts if it matches before package content can begin.
    for (std::size_t depth = 1; depth <= rule.reach.literal_depth(); ++depth) {
      const PathSet start = rule.reach.start(depth);
      if (is_within(start, deny.reach.exactly())) {
        return std::ranges::none_of(packages_, [&start](const PathRule& package) {
          return may_meet(start, package.reach);
        });
      }
    }
    return false;
  }

  [[nodiscard]] bool may_opt_out(const PathRule& rule) const {
    return rule.reach.is_literal() && mandatory_.may_be_lifted_by(rule.field, rule.reach);
  }

  // --- denies of the policy

  bool find_deny(PathRule& rule) {
    const auto deny = std::ranges::find_if(denies_, [&rule](const PathRule& other) {
      return refuses(other.field, rule) && is_within(rule.reach, other.reach);
    });
    if (deny == denies_.end()) {
      return false;
    }
    if (is_within(deny->reach, rule.reach) || !can_go_if_denied(rule)) {
      report(LintCode::allow_deny, rule, *deny);
      return true;
    }
    rule.is_live = false;
    report(LintCode::denied, rule, *deny);
    return true;
  }

  /// A list whose denies refuse what the rule allows.
  static bool refuses(PolicyField deny, const PathRule& rule) noexcept {
    switch (access_of(rule.field)) {
      case Access::write:
        return deny == PolicyField::deny_write;
      case Access::read:
      case Access::exec:
        return deny == PolicyField::deny_read || deny == PolicyField::deny_exec;
      case Access::connect:
        return !rule.reach.is_literal();
    }
    return false;
  }

  [[nodiscard]] bool can_go_if_denied(const PathRule& rule) const {
    if (may_opt_out(rule)) {
      return false;
    }
    if (rule.field != PolicyField::allow_write) {
      return true;
    }
    // R2: it allows reading as well.
    const bool is_read_otherwise =
        std::ranges::any_of(denies_,
                            [&rule](const PathRule& other) {
                              return (other.field == PolicyField::deny_read ||
                                      other.field == PolicyField::deny_exec) &&
                                     is_within(rule.reach, other.reach);
                            }) ||
        std::ranges::any_of(allows_, [&rule](const PathRule& other) {
          return &other != &rule && other.is_live && allows_reading(other.field) &&
                 covers(other, rule);
        });
    return is_read_otherwise && keeps_parents_without(rule);
  }

  // --- rules that others make superfluous

  static bool allows_reading(PolicyField field) noexcept {
    return field == PolicyField::allow_read || field == PolicyField::allow_write;
  }

  /// R5 counts: what is not in /dev grants nothing there.
  static bool covers(const PathRule& other, const PathRule& rule) {
    return (!rule.reach.is_in_dev() || other.reach.is_in_dev()) &&
           is_within(rule.reach, other.reach);
  }

  [[nodiscard]] const PathRule* shadow_of(const PathRule& rule) const {
    // A literal may lift a mandatory deny, and lets a socket pass denies (R11).
    const bool is_special =
        rule.reach.is_literal() && (rule.field == PolicyField::unix_sockets || may_opt_out(rule));
    for (const PathRule& other : allows_) {
      const bool has_field = other.field == rule.field || (rule.field == PolicyField::allow_read &&
                                                           other.field == PolicyField::allow_write);
      const bool is_as_special = other.field == rule.field && other.reach.is_literal() &&
                                 other.reach.is_same_pattern(rule.reach);
      if (&other != &rule && other.is_live && has_field && (!is_special || is_as_special) &&
          covers(other, rule) &&
          (rule.field != PolicyField::allow_write || keeps_parents_without(rule))) {
        return &other;
      }
    }
    return nullptr;
  }

  /// R4: whether the missing parents of what the rule lets be written may be made without it.
  [[nodiscard]] bool keeps_parents_without(const PathRule& rule) const {
    const std::size_t depth = rule.reach.depth();
    const auto any_other = [this, &rule](const auto& holds) {
      return std::ranges::any_of(allows_, [&](const PathRule& other) {
        return &other != &rule && other.is_live && other.field == PolicyField::allow_write &&
               holds(other);
      });
    };
    const bool keeps_start = any_other([&rule](const PathRule& other) {
      static const auto everything = PathSet::parse("/*/**", Extent::exactly);
      return !rule.reach.variable() || other.reach.variable() == rule.reach.variable() ||
             (everything && is_within(*everything, other.reach));
    });
    if (depth == 0) {
      return !rule.reach.variable() || keeps_start;
    }
    if (!keeps_start) {
      return false;
    }
    const std::size_t last = std::min(rule.reach.literal_depth(), depth - 1);
    for (std::size_t length = rule.reach.variable() ? 0 : 1; length <= last; ++length) {
      const PathSet parent = rule.reach.start(length);
      const bool is_kept = any_other([&](const PathRule& other) {
        return names_parent(other.reach, parent) ||
               ((!parent.is_in_dev() || other.reach.is_in_dev()) && is_within(parent, other.reach));
      });
      if (!is_kept) {
        return false;
      }
    }
    return true;
  }

  /// Whether `parent` is one of the literal parents of `set`.
  static bool names_parent(const PathSet& set, const PathSet& parent) {
    const std::size_t length = parent.segments().size();
    return set.variable() == parent.variable() && set.depth() > length &&
           set.literal_depth() >= length &&
           std::equal(parent.segments().begin(), parent.segments().end(), set.segments().begin());
  }

  std::vector<Finding>& findings_;
  MandatoryDenies mandatory_;
  std::vector<PathRule> allows_;
  std::vector<PathRule> denies_;
  std::vector<PathRule> packages_;
};

}  // namespace

void lint_paths(const LintInput& input, std::vector<Finding>& findings) {
  PathLint(input, findings).run();
}

}  // namespace pmg::domain
