/// Another way to say what rules mean: no automaton, no segments, recursion over the pattern's
/// text.
///
///   reference::Rules rules{{"/a/*", Effect::allow, Access::read}};
///   rules.may_read("/a/b")
///
/// For absolute and floating patterns without variables, and for paths outside /dev, HOME and CWD.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/compiled.hpp"

namespace pmg::reference {

using domain::Access;
using domain::Effect;

/// The whole of `pattern` matches the whole of `path`. Both are "" for the root, else "/x/y".
inline bool matches(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) {
    return path.empty();
  }
  if (pattern == "/**" || pattern.substr(0, 4) == "/**/") {
    if (!path.empty() && path[0] != '/') {
      return false;  // in the middle of a segment
    }
    return matches(pattern.substr(3), path) ||
           (!path.empty() &&
            matches(pattern, path.substr(std::min(path.find('/', 1), path.size()))));
  }
  if (pattern[0] == '*') {
    return matches(pattern.substr(1), path) ||
           (!path.empty() && path[0] != '/' && matches(pattern, path.substr(1)));
  }
  if (path.empty()) {
    return false;
  }
  const bool is_same = pattern[0] == '?' ? path[0] != '/' : pattern[0] == path[0];
  return is_same && matches(pattern.substr(1), path.substr(1));
}

struct Rule {
  std::string pattern;  ///< "/…", or "/**…" for a floating one
  Effect effect;
  Access access;

  [[nodiscard]] bool is_literal() const { return pattern.find_first_of("*?") == std::string::npos; }
  /// Without a trailing "/**".
  [[nodiscard]] std::string node() const {
    std::string text = pattern == "/" ? "" : pattern;
    while (text.ends_with("/**")) {
      text.resize(text.size() - 3);
    }
    return text;
  }
  [[nodiscard]] bool covers_beneath(std::string_view path) const {
    if (effect == Effect::allow && !is_literal() && !pattern.ends_with("/**")) {
      return false;
    }
    for (std::size_t end = path.size();; end = path.rfind('/', end - 1)) {
      if (matches(node(), path.substr(0, end))) {
        return true;
      }
      if (end == 0) {
        return false;
      }
    }
  }
  [[nodiscard]] bool covers(std::string_view path) const {
    return covers_beneath(path) || matches(node(), path);
  }
  /// R6: a proper part of the pattern that ends in a literal segment is exactly `path`.
  [[nodiscard]] bool guards(std::string_view path) const {
    const std::string whole = node();
    for (std::size_t end = whole.find('/', 1); end < whole.size(); end = whole.find('/', end + 1)) {
      const std::string part = whole.substr(0, end);
      const std::string last = part.substr(part.rfind('/'));
      if (last.find_first_of("*?") == std::string::npos && matches(part, path)) {
        return true;
      }
    }
    return false;
  }
  /// R4: `path` is a literal parent.
  [[nodiscard]] bool is_beneath_literal(std::string_view path) const {
    const std::string whole = node();
    return whole.size() > path.size() && whole.starts_with(path) && whole[path.size()] == '/';
  }
};

struct Rules {
  std::vector<Rule> all;

  template <class Question>
  [[nodiscard]] bool any(Effect effect, Access access, Question question) const {
    return std::ranges::any_of(all, [&](const Rule& rule) {
      return rule.effect == effect && rule.access == access && question(rule);
    });
  }
  [[nodiscard]] bool is_covered(Effect effect, Access access, std::string_view path) const {
    return any(effect, access, [&](const Rule& rule) { return rule.covers(path); });
  }
  [[nodiscard]] bool may_read(std::string_view path) const {
    return (is_covered(Effect::allow, Access::read, path) ||
            is_covered(Effect::allow, Access::write, path)) &&
           !is_covered(Effect::deny, Access::read, path) &&
           !is_covered(Effect::deny, Access::exec, path);
  }
  [[nodiscard]] bool may_write(std::string_view path) const {
    return is_covered(Effect::allow, Access::write, path) &&
           !is_covered(Effect::deny, Access::write, path);
  }
  [[nodiscard]] bool may_execute(std::string_view path) const {
    return is_covered(Effect::allow, Access::exec, path) &&
           !is_covered(Effect::deny, Access::exec, path) &&
           !is_covered(Effect::deny, Access::read, path);
  }
  [[nodiscard]] bool may_make_directory(std::string_view path) const {
    const bool is_parent = any(Effect::allow, Access::write,
                               [&](const Rule& rule) { return rule.is_beneath_literal(path); });
    return may_write(path) || (is_parent && !is_covered(Effect::deny, Access::write, path));
  }
  [[nodiscard]] bool is_guard(std::string_view path) const {
    const auto guards = [&](const Rule& rule) { return rule.guards(path); };
    return any(Effect::deny, Access::read, guards) || any(Effect::deny, Access::write, guards);
  }
  [[nodiscard]] bool may_put(std::string_view path) const {
    return may_write(path) && !is_guard(path);
  }
  [[nodiscard]] bool may_take(std::string_view path) const {
    return may_write(path) && may_read(path);
  }
};

}  // namespace pmg::reference
