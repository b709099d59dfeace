/// A small world in which rules and requests collide: few names, short paths, some of them odd.
///
///   const Policy policy = gen::policy(c);
///   const AbsolutePath path = gen::path_near(c, some_pattern.expand(variables));
///
/// Every generator is total: any bytes give a value.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "gen/choices.hpp"

namespace pmg::gen {

using std::string_view_literals::operator""sv;

/// Names that rules speak about, and their near misses.
inline constexpr std::array kNames{"a"sv,      "b"sv,     "ab"sv,     ".env"sv,         ".ssh"sv,
                                   ".git"sv,   "hooks"sv, "config"sv, "node_modules"sv, ".bashrc"sv,
                                   ".env.x"sv, ".envx"sv};
/// Names of directories that would mean something else if they were read as patterns.
inline constexpr std::array kOddNames{"w"sv,  "[ab]"sv, "*"sv,    "**"sv,
                                      "a*"sv, "?"sv,    "a\nb"sv, "${CWD}"sv};
inline constexpr std::array kGlobs{"*"sv, "**"sv, "a*"sv, "?"sv, "[ab]"sv, "*b"sv, ".env*"sv};

[[nodiscard]] inline domain::AbsolutePath as_path(std::string_view text) {
  return domain::normalise(domain::AbsolutePath::root(), text);
}

[[nodiscard]] inline domain::AbsolutePath child(const domain::AbsolutePath& dir,
                                                std::string_view name) {
  return as_path(dir.text() + "/" + std::string(name));
}

/// HOME is never the root, CWD never holds HOME: `compile` refuses the first, the app the second.
[[nodiscard]] inline domain::Variables variables(Choices& c) {
  const auto home = child(as_path("/h"), c.one_in(4) ? c.pick(kOddNames) : "u"sv);
  const auto cwd =
      child(c.one_in(4) ? as_path("/p") : home, c.one_in(4) ? c.pick(kOddNames) : "w"sv);
  return {home, cwd, as_path("/t")};
}

/// No symlinks.
[[nodiscard]] inline domain::Surroundings surroundings(Choices& c) {
  domain::Surroundings around{.variables = variables(c),
                              .canonical = [](const domain::AbsolutePath& path) { return path; },
                              .own_state = {},
                              .git_directories = {},
                              .hook_directories = {},
                              .search_path = {}};
  return around;
}

[[nodiscard]] inline std::string literal_text(Choices& c, std::size_t longest) {
  std::string text(c.pick(kNames));
  for (std::size_t i = 1; i < longest && c.one_in(2); ++i) {
    text.append("/").append(c.pick(kNames));
  }
  return text;
}

inline constexpr std::array kRoots{"/"sv, "${CWD}/"sv, "${HOME}/"sv};

[[nodiscard]] inline domain::PatternTemplate template_of(const std::string& text) {
  auto pattern = domain::PatternTemplate::parse(text);
  return pattern ? *pattern : *domain::PatternTemplate::parse("/a");
}

/// `/a/b`, `${CWD}/.env`: one path.
[[nodiscard]] inline domain::PatternTemplate literal_pattern(Choices& c) {
  const std::string root(c.pick(kRoots));
  return template_of(root + literal_text(c, 3));
}

/// Any pattern; half of them are literal.
[[nodiscard]] inline domain::PatternTemplate pattern(Choices& c) {
  if (!c.one_in(2)) {
    return literal_pattern(c);
  }
  constexpr std::array kStarts{"/"sv, "${CWD}/"sv, "${HOME}/"sv, "**/"sv};
  std::string text(c.pick(kStarts));
  constexpr std::size_t kLongest = 4;  // an automaton has met every kind of edge by then
  for (std::size_t i = 0; i < kLongest; ++i) {
    text += c.one_in(2) ? c.pick(kGlobs) : c.pick(kNames);
    if (!c.one_in(2)) {
      break;
    }
    text += '/';
  }
  if (c.one_in(3)) {
    text += "/**";
  }
  return template_of(text);
}

/// A segment that `segment` matches, or nearly.
[[nodiscard]] inline std::string name_near(Choices& c, const domain::Segment& segment) {
  if (segment.kind == domain::SegmentKind::literal) {
    return segment.text;
  }
  std::string name;
  for (std::size_t i = 0; i < segment.text.size(); ++i) {
    switch (segment.text[i]) {
      case '*':
        name += c.one_in(2) ? c.pick(kNames) : ""sv;
        break;
      case '?':
        name += c.pick(kNames).back();
        break;
      case '[':
        name += i + 1 < segment.text.size() ? segment.text[i + 1] : 'a';
        i = segment.text.find(']', i);
        break;
      default:
        name += segment.text[i];
    }
    if (i == std::string::npos) {
      break;
    }
  }
  return name.empty() ? std::string(c.pick(kNames)) : name;
}

/// A path that the pattern matches.
[[nodiscard]] inline domain::AbsolutePath path_in(Choices& c, const domain::PathPattern& pattern) {
  std::string text;
  for (const domain::Segment& segment : pattern.segments()) {
    if (segment.kind != domain::SegmentKind::any_depth) {
      text.append("/").append(name_near(c, segment));
      continue;
    }
    while (c.one_in(3)) {
      text.append("/").append(c.pick(kNames));
    }
  }
  return as_path(text);
}

/// A path that the pattern matches, or one segment or byte away from it.
[[nodiscard]] inline domain::AbsolutePath path_near(Choices& c,
                                                    const domain::PathPattern& pattern) {
  domain::AbsolutePath exact = path_in(c, pattern);
  switch (c.below(8)) {
    case 1:
      return exact.parent();
    case 2:
      return child(exact, c.pick(kNames));
    case 3:
      return child(child(exact, c.pick(kNames)), c.pick(kNames));
    case 4:
      return child(exact.parent(), c.pick(kNames));
    case 5:
      return as_path(exact.text() + "b");
    case 6:
      return child(child(exact.parent(), c.pick(kNames)), exact.filename());
    default:
      return exact;
  }
}

template <class Make>
[[nodiscard]] auto list_of(Choices& c, std::size_t longest, Make make) {
  std::vector<domain::Sourced<decltype(make(c))>> list;
  while (list.size() < longest && c.one_in(2)) {
    const auto line = static_cast<std::uint32_t>(list.size() + 1);
    list.push_back({make(c), domain::Origin{domain::Layer::profile, "p.yml", line}});
  }
  return list;
}

/// The path rules of a policy; never empty, so that it compiles.
[[nodiscard]] inline domain::Policy policy(Choices& c) {
  constexpr std::size_t kLongest = 3;
  domain::Policy made;
  made.name = "p";
  made.filesystem.allow_read = list_of(c, kLongest, pattern);
  made.filesystem.allow_write = list_of(c, kLongest, pattern);
  made.filesystem.deny_read = list_of(c, kLongest, pattern);
  made.filesystem.deny_write = list_of(c, kLongest, pattern);
  made.filesystem.package_content = list_of(c, 1, pattern);
  made.process.allow_exec = list_of(c, kLongest, pattern);
  made.process.deny_exec = list_of(c, kLongest, pattern);
  if (c.one_in(4)) {
    made.allow_git_config = domain::Toggle::on;
  }
  if (domain::grants_nothing(made)) {
    made.filesystem.allow_read.push_back({template_of("/a"), {}});
  }
  return made;
}

/// A pattern that some rule of the policy has, or one that the mandatory lists have.
[[nodiscard]] inline domain::PatternTemplate pattern_of(Choices& c, const domain::Policy& policy) {
  std::vector<domain::PatternTemplate> all;
  for (const auto* list :
       {&policy.filesystem.allow_read, &policy.filesystem.allow_write, &policy.filesystem.deny_read,
        &policy.filesystem.deny_write, &policy.process.allow_exec, &policy.process.deny_exec}) {
    for (const auto& entry : *list) {
      all.push_back(entry.value);
    }
  }
  const std::size_t index = c.below(all.size() + 2);
  return index < all.size() ? all[index] : literal_pattern(c);
}

[[nodiscard]] inline domain::AbsolutePath path_near(Choices& c, const domain::Policy& policy,
                                                    const domain::Variables& variables) {
  return path_near(c, pattern_of(c, policy).expand(variables));
}

/// A world of two names in which grants end at different depths, so that moves cross their borders.
[[nodiscard]] inline domain::Policy policy_of_borders(Choices& c) {
  constexpr std::array kGrants{"/**"sv,   "/a/**"sv, "/a/*"sv, "/b/*"sv,
                               "/b/**"sv, "/*"sv,    "/a"sv,   "/a/*/a"sv};
  constexpr std::array kDenies{"/a/a/a"sv, "**/a"sv, "/b/*/a"sv, "/a/**/b"sv, "/b"sv, "**/b/a"sv};
  const auto from = [&c](const auto& texts) {
    return list_of(c, 3, [&texts](Choices& d) { return template_of(std::string(d.pick(texts))); });
  };
  domain::Policy made;
  made.filesystem.allow_write = from(kGrants);
  made.filesystem.allow_write.push_back({template_of(std::string(c.pick(kGrants))), {}});
  made.filesystem.allow_read = from(kGrants);
  made.filesystem.deny_read = from(kDenies);
  made.filesystem.deny_write = from(kDenies);
  made.filesystem.package_content = list_of(c, 1, [](Choices&) { return template_of("/b/**"); });
  return made;
}

/// `from` becomes `to`, and so `inside` becomes `moved`.
struct Move {
  domain::AbsolutePath from;
  domain::AbsolutePath to;
  domain::AbsolutePath inside;
  domain::AbsolutePath moved;
};

[[nodiscard]] inline Move move_across_borders(Choices& c) {
  constexpr std::array kTwo{"a"sv, "b"sv};
  constexpr std::array kBelow{"a"sv, "b"sv, ".env"sv, ".git/hooks"sv, "a/a"sv, "b/a"sv, ".git"sv};
  const auto directory = [&] {
    domain::AbsolutePath at = child(domain::AbsolutePath::root(), c.pick(kTwo));
    while (c.one_in(2)) {
      at = child(at, c.pick(kTwo));
    }
    return c.one_in(8) ? child(at, ".git") : at;
  };
  const domain::AbsolutePath from = directory();
  const domain::AbsolutePath to = directory();
  const std::string_view below = c.pick(kBelow);
  return {from, to, child(from, below), child(to, below)};
}

/// A list of path rules of a policy, and the access it is about.
struct RuleList {
  domain::Access access;
  domain::PathRules& (*of)(domain::Policy&);
};
inline constexpr std::array kDenyLists{
    RuleList{domain::Access::read,
             [](domain::Policy& p) -> domain::PathRules& { return p.filesystem.deny_read; }},
    RuleList{domain::Access::write,
             [](domain::Policy& p) -> domain::PathRules& { return p.filesystem.deny_write; }},
    RuleList{domain::Access::exec,
             [](domain::Policy& p) -> domain::PathRules& { return p.process.deny_exec; }},
};
inline constexpr std::array kAllowLists{
    RuleList{domain::Access::read,
             [](domain::Policy& p) -> domain::PathRules& { return p.filesystem.allow_read; }},
    RuleList{domain::Access::write,
             [](domain::Policy& p) -> domain::PathRules& { return p.filesystem.allow_write; }},
    RuleList{domain::Access::exec,
             [](domain::Policy& p) -> domain::PathRules& { return p.process.allow_exec; }},
};

}  // namespace pmg::gen
