#include "sensitive.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/mandatory.hpp"
#include "domain/pattern.hpp"

namespace pmg::domain {
namespace {

using std::string_view_literals::operator""sv;

/// Not denied by themselves, since package managers read them, but they hold tokens.
constexpr std::array kTokenFiles{".npmrc"sv, ".pypirc"sv};
constexpr std::array kGitConfigs{"config"sv, "config.worktree"sv};

std::vector<std::string_view> split(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto slash = name.find('/');
    parts.push_back(name.substr(0, slash));
    if (slash == std::string_view::npos) {
      return parts;
    }
    name.remove_prefix(slash + 1);
  }
}

/// `name` may be a glob, the segment too: then it counts if it is about such names, as `.en?` is
/// and `*` is not.
bool is_named(const Segment& segment, std::string_view name) {
  switch (segment.kind) {
    case SegmentKind::any_depth:
      return false;
    case SegmentKind::literal:
      return glob_matches(name, segment.text);
    case SegmentKind::glob:
      break;
  }
  std::string example(name);
  std::ranges::replace(example, '*', 'x');
  return segment.text == name ||
         (glob_matches(segment.text, example) && !glob_matches(segment.text, "x"));
}

/// The segments begin with the parts of `name`.
bool begin_with(std::span<const Segment> segments, std::string_view name) {
  const auto parts = split(name);
  return segments.size() >= parts.size() &&
         std::ranges::equal(
             parts, segments.first(parts.size()),
             [](std::string_view part, const Segment& segment) { return is_named(segment, part); });
}

template <class Names>
bool any_begins(std::span<const Segment> segments, const Names& names) {
  return std::ranges::any_of(
      names, [segments](std::string_view name) { return begin_with(segments, name); });
}

template <class Holds>
bool somewhere(std::span<const Segment> segments, const Holds& holds) {
  for (; !segments.empty(); segments = segments.subspan(1)) {
    if (holds(segments)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool names_credential(std::span<const Segment> segments) {
  if (!segments.empty() && segments.back().text.starts_with(".env")) {
    return true;
  }
  return somewhere(segments, [](std::span<const Segment> rest) {
    return any_begins(rest, credential_names()) || any_begins(rest, kTokenFiles);
  });
}

bool names_git_hooks(std::span<const Segment> segments) {
  return somewhere(segments, [](std::span<const Segment> rest) {
    if (!begin_with(rest, ".git")) {
      return false;
    }
    const auto inside = rest.subspan(1);
    return begin_with(inside, "hooks") || (begin_with(inside, "modules") &&
                                           std::ranges::any_of(inside, [](const Segment& segment) {
                                             return is_named(segment, "hooks");
                                           }));
  });
}

bool names_git_config(std::span<const Segment> segments) {
  return somewhere(segments, [](std::span<const Segment> rest) {
    return begin_with(rest, ".git") && any_begins(rest.subspan(1), kGitConfigs);
  });
}

bool names_startup_file(std::span<const Segment> segments) {
  return any_begins(segments, startup_names());
}

}  // namespace pmg::domain
