/// What docs/SEMANTICS.md says about reading and writing one path, as directly as it can be
/// written.
///
///   model::may_read(policy, surroundings, path) == decide(*compile(…), Read{path}).allowed()
///
/// Slow and plain on purpose: no automaton, no compilation, every rule tried on every prefix of the
/// path. It shares with the domain only the parser of patterns and the matcher of one segment.
/// Not for: git directories of other places, search paths, symlinks (`canonical` must be identity).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/mandatory.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::model {

using Names = std::vector<std::string>;

[[nodiscard]] inline Names names_of(const domain::AbsolutePath& path) {
  Names names;
  for (domain::AbsolutePath at = path; !at.is_root(); at = at.parent()) {
    names.insert(names.begin(), std::string(at.filename()));
  }
  return names;
}

[[nodiscard]] inline bool matches(std::span<const domain::Segment> pattern,
                                  std::span<const std::string> path) {
  if (pattern.empty()) {
    return path.empty();
  }
  const domain::Segment& first = pattern.front();
  if (first.kind == domain::SegmentKind::any_depth) {
    return matches(pattern.subspan(1), path) ||
           (!path.empty() && matches(pattern, path.subspan(1)));
  }
  if (path.empty()) {
    return false;
  }
  const bool here = first.kind == domain::SegmentKind::literal
                        ? first.text == path.front()
                        : domain::glob_matches(first.text, path.front());
  return here && matches(pattern.subspan(1), path.subspan(1));
}

/// The pattern matches the path or one of its ancestors: how a deny covers.
[[nodiscard]] inline bool covers_wide(const domain::PathPattern& pattern,
                                      const domain::AbsolutePath& path) {
  const Names names = names_of(path);
  for (std::size_t length = 0; length <= names.size(); ++length) {
    if (matches(pattern.segments(), std::span(names).first(length))) {
      return true;
    }
  }
  return false;
}

/// How an allow covers: a literal covers its subtree, a glob what it matches.
[[nodiscard]] inline bool covers_narrow(const domain::PathPattern& pattern,
                                        const domain::AbsolutePath& path) {
  return pattern.is_literal() ? covers_wide(pattern, path)
                              : matches(pattern.segments(), names_of(path));
}

[[nodiscard]] inline bool any_covers_wide(const domain::PathRules& rules,
                                          const domain::Variables& variables,
                                          const domain::AbsolutePath& path) {
  return std::ranges::any_of(
      rules, [&](const auto& rule) { return covers_wide(rule.value.expand(variables), path); });
}

[[nodiscard]] inline bool any_covers_narrow(const domain::PathRules& rules,
                                            const domain::Variables& variables,
                                            const domain::AbsolutePath& path) {
  return std::ranges::any_of(
      rules, [&](const auto& rule) { return covers_narrow(rule.value.expand(variables), path); });
}

/// An allow rule that is exactly `path`, as one literal.
[[nodiscard]] inline bool is_opted_out(const domain::PathRules& allows,
                                       const domain::Variables& variables,
                                       const domain::AbsolutePath& path) {
  return std::ranges::any_of(allows, [&](const auto& rule) {
    return rule.value.expand(variables) == domain::PathPattern::literal(path);
  });
}

enum class OptOut { never, by_exact_literal };

/// A mandatory name: below each root, and anywhere outside package content; unless it was opted out
/// of at the very node that carries the name.
template <class Names>
[[nodiscard]] bool holds_mandatory(const Names& names, OptOut opt_out, const domain::Policy& policy,
                                   const domain::PathRules& allows,
                                   const domain::Variables& variables,
                                   const domain::AbsolutePath& path) {
  for (domain::AbsolutePath node = path; !node.is_root(); node = node.parent()) {
    if (opt_out == OptOut::by_exact_literal && is_opted_out(allows, variables, node)) {
      continue;
    }
    const bool in_package = any_covers_wide(policy.filesystem.package_content, variables, node);
    for (const std::string_view name : names) {
      for (const char* root : {"${HOME}/", "${CWD}/", "**/"}) {
        const auto pattern =
            domain::PatternTemplate::parse(root + std::string(name))->expand(variables);
        if (matches(pattern.segments(), names_of(node)) && !(in_package && pattern.is_floating())) {
          return true;
        }
      }
    }
  }
  return false;
}

inline constexpr std::array<std::string_view, 2> kHooks{".git/hooks", ".git/modules/**/hooks"};
inline constexpr std::array<std::string_view, 4> kGitConfigs{".git/config", ".git/config.worktree",
                                                             ".git/modules/**/config",
                                                             ".git/worktrees/*/config.worktree"};

[[nodiscard]] inline bool is_read_denied(const domain::Policy& policy,
                                         const domain::Surroundings& around,
                                         const domain::AbsolutePath& path) {
  const domain::Variables& variables = around.variables;
  return any_covers_wide(policy.filesystem.deny_read, variables, path) ||
         any_covers_wide(policy.process.deny_exec, variables, path) ||  // a copy would run
         holds_mandatory(domain::credential_names(), OptOut::by_exact_literal, policy,
                         policy.filesystem.allow_read, variables, path);
}

[[nodiscard]] inline bool is_write_denied(const domain::Policy& policy,
                                          const domain::Surroundings& around,
                                          const domain::AbsolutePath& path) {
  const domain::Variables& variables = around.variables;
  const domain::PathRules& allows = policy.filesystem.allow_write;
  // Start-up files stand below the two roots only.
  const auto is_startup_file = [&](std::string_view name) {
    return std::ranges::any_of(std::array{&variables.home, &variables.cwd}, [&](const auto* root) {
      const domain::AbsolutePath file = domain::normalise(*root, name);
      return path.is_within(file) && !is_opted_out(allows, variables, file);
    });
  };
  return any_covers_wide(policy.filesystem.deny_write, variables, path) ||
         holds_mandatory(domain::credential_names(), OptOut::by_exact_literal, policy, allows,
                         variables, path) ||
         holds_mandatory(kHooks, OptOut::never, policy, allows, variables, path) ||
         (policy.allow_git_config != domain::Toggle::on &&
          holds_mandatory(kGitConfigs, OptOut::by_exact_literal, policy, allows, variables,
                          path)) ||
         std::ranges::any_of(domain::startup_names(), is_startup_file);
}

[[nodiscard]] inline bool may_write(const domain::Policy& policy,
                                    const domain::Surroundings& around,
                                    const domain::AbsolutePath& path) {
  return any_covers_narrow(policy.filesystem.allow_write, around.variables, path) &&
         !is_write_denied(policy, around, path);
}

[[nodiscard]] inline bool may_read(const domain::Policy& policy, const domain::Surroundings& around,
                                   const domain::AbsolutePath& path) {
  return (any_covers_narrow(policy.filesystem.allow_read, around.variables, path) ||
          any_covers_narrow(policy.filesystem.allow_write, around.variables, path)) &&
         !is_read_denied(policy, around, path);
}

}  // namespace pmg::model
