#include "domain/path_set.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "glob.hpp"
#include "language.hpp"

namespace pmg::domain {
namespace {

/// Stands for any name, since no pattern names it.
constexpr std::string_view kSomeName = "\x01";

std::optional<Variable> variable_of(std::string_view text) noexcept {
  if (text.starts_with("${HOME}")) {
    return Variable::home;
  }
  if (text.starts_with("${CWD}")) {
    return Variable::cwd;
  }
  return text.starts_with("${TMPDIR}") ? std::optional(Variable::tmpdir) : std::nullopt;
}

/// A byte that a set has; empty where it has none.
std::string member_of(std::string_view set) {
  for (int byte = 1; byte < 256; ++byte) {
    std::string text(1, static_cast<char>(byte));
    if (byte != '/' && glob_matches(set, text)) {
      return text;
    }
  }
  return {};
}

/// A name that the glob matches; empty where there is none.
std::string name_of(std::string_view glob) {
  std::string name;
  for (std::size_t at = 0; at < glob.size(); ++at) {
    const auto close = glob[at] == '[' ? close_of_set(glob, at) : std::nullopt;
    if (close) {
      const std::string member = member_of(glob.substr(at, *close + 1 - at));
      if (member.empty()) {
        return {};
      }
      name += member;
      at = *close;
    } else if (glob[at] == '*' || glob[at] == '?') {
      name += kSomeName;
    } else {
      name += glob[at];
    }
  }
  return name;
}

/// One name for each segment; empty where some segment matches none.
std::vector<std::string> example_of(const std::vector<Segment>& segments) {
  std::vector<std::string> names;
  for (const Segment& segment : segments) {
    std::string name = segment.kind == SegmentKind::any_depth ? std::string(kSomeName)
                       : segment.kind == SegmentKind::literal ? segment.text
                                                              : name_of(segment.text);
    if (name.empty()) {
      return {};
    }
    names.push_back(std::move(name));
  }
  return names;
}

enum class Beneath : std::uint8_t { no, yes };

/// For each place between segments, whether one can be there after `name`.
std::vector<bool> after(const std::vector<Segment>& segments, const std::vector<bool>& at,
                        const std::string& name) {
  std::vector<bool> next(segments.size() + 1);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    const bool is_any_depth = segment.kind == SegmentKind::any_depth;
    const bool fits = segment.kind == SegmentKind::literal ? segment.text == name
                                                           : glob_matches(segment.text, name);
    next[i] = next[i] || (at[i] && is_any_depth);
    next[i + 1] = at[i] && !is_any_depth && fits;
  }
  return next;
}

/// Whether the segments match all the names, or some of the first ones.
bool matches(const std::vector<Segment>& segments, std::span<const std::string> names,
             Beneath beneath) {
  std::vector<bool> at(segments.size() + 1);
  const auto skip_any = [&] {
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (at[i] && segments[i].kind == SegmentKind::any_depth) {
        at[i + 1] = true;
      }
    }
  };
  at[0] = true;
  skip_any();
  for (const std::string& name : names) {
    if (beneath == Beneath::yes && at.back()) {
      return true;
    }
    at = after(segments, at, name);
    skip_any();
  }
  return at.back();
}

/// Without what repetitions of `**` add, and at the end, where it reaches beneath, a single one.
std::vector<Segment> without_repetition(const std::vector<Segment>& segments, Beneath beneath) {
  std::vector<Segment> kept;
  for (const Segment& segment : segments) {
    const bool is_repeated = segment.kind == SegmentKind::any_depth && !kept.empty() &&
                             kept.back().kind == SegmentKind::any_depth;
    if (!is_repeated) {
      kept.push_back(segment);
    }
  }
  if (beneath == Beneath::yes && !kept.empty() && kept.back().kind == SegmentKind::any_depth) {
    kept.pop_back();
  }
  return kept;
}

/// No name is matched by both.
bool differ(const Segment& a, const Segment& b) {
  if (a.kind == SegmentKind::literal && b.kind == SegmentKind::literal) {
    return a.text != b.text;
  }
  if (a.kind == SegmentKind::glob && b.kind == SegmentKind::literal) {
    return !glob_matches(a.text, b.text);
  }
  return a.kind == SegmentKind::literal && b.kind == SegmentKind::glob &&
         !glob_matches(b.text, a.text);
}

}  // namespace

PathSet::PathSet(const PatternTemplate& pattern, Extent extent)
    : variable_(variable_of(pattern.text())) {
  const AbsolutePath marker = normalise(AbsolutePath::root(), kSomeName);
  const PathPattern expanded = pattern.expand({marker, marker, marker});
  segments_ = expanded.segments();
  is_literal_ = expanded.is_literal();
  reaches_beneath_ =
      extent == Extent::denied || (extent == Extent::allowed && expanded.covers_subtree());
  if (variable_) {
    is_known_ = !segments_.empty() && segments_.front().text == kSomeName;
    segments_.erase(segments_.begin(), segments_.begin() + (is_known_ ? 1 : 0));
  }
  example_ = example_of(segments_);
}

std::optional<PathSet> PathSet::parse(std::string_view text, Extent extent) {
  const auto pattern = PatternTemplate::parse(text);
  return pattern ? std::optional(PathSet(*pattern, extent)) : std::nullopt;
}

bool PathSet::is_in_dev() const noexcept {
  return !variable_ && !segments_.empty() && segments_.front().kind == SegmentKind::literal &&
         segments_.front().text == "dev";
}

bool PathSet::is_floating() const noexcept {
  return !variable_ && !segments_.empty() && segments_.front().kind == SegmentKind::any_depth;
}

PathSet PathSet::start(std::size_t segments) const {
  PathSet set = *this;
  set.segments_.resize(std::min(segments, segments_.size()), Segment{SegmentKind::literal, {}});
  set.example_ = example_of(set.segments_);
  set.is_literal_ = true;
  set.reaches_beneath_ = false;
  return set;
}

PathSet PathSet::exactly() const {
  PathSet set = *this;
  set.reaches_beneath_ = false;
  return set;
}

std::size_t PathSet::depth() const noexcept {
  std::size_t depth = segments_.size();
  while (depth > 0 && segments_[depth - 1].kind == SegmentKind::any_depth) {
    --depth;
  }
  return depth;
}

std::size_t PathSet::literal_depth() const noexcept {
  const auto end = std::ranges::find_if(
      segments_, [](const Segment& segment) { return segment.kind != SegmentKind::literal; });
  return static_cast<std::size_t>(end - segments_.begin());
}

bool PathSet::is_same_pattern(const PathSet& other) const {
  const Beneath beneath = reaches_beneath_ ? Beneath::yes : Beneath::no;
  return is_known_ && other.is_known_ && variable_ == other.variable_ &&
         reaches_beneath_ == other.reaches_beneath_ &&
         without_repetition(segments_, beneath) == without_repetition(other.segments_, beneath);
}

AbsolutePath PathSet::example(const Variables& variables) const {
  std::string text = !variable_                     ? ""
                     : *variable_ == Variable::home ? variables.home.text()
                     : *variable_ == Variable::cwd  ? variables.cwd.text()
                                                    : variables.tmpdir.text();
  for (const std::string& name : example_) {
    text.append("/").append(name);
  }
  return normalise(AbsolutePath::root(), text);
}

void PathSet::add_to(Language& language, Form form) const {
  language.begin();
  if (variable_ && form == Form::from_root) {
    const Segment some_name{SegmentKind::glob, "*"};
    language.add_segments({&some_name, 1});  // never the root
    language.add_any_depth();
  }
  language.add_segments(segments_);
  if (reaches_beneath_) {
    language.add_any_depth();
  }
  language.end();
}

/// Quick: most pairs of rules have nothing to do with each other.
bool PathSet::has_example_in(const PathSet& all) const {
  if (example_.size() != segments_.size()) {
    return true;  // some segment matches nothing
  }
  std::vector<std::string> names = example_;
  if (variable_ && !all.variable_) {
    names.insert(names.begin(), 2, std::string(kSomeName));
  }
  return matches(all.segments_, names, all.reaches_beneath_ ? Beneath::yes : Beneath::no);
}

bool PathSet::may_lie_in(const PathSet& all) const {
  const bool is_of_another_variable = all.variable_ && all.variable_ != variable_;
  return all.is_known_ && !is_of_another_variable && !differs_from(all);
}

bool PathSet::holds_anywhere() const noexcept {
  return !variable_ && (is_floating() || (segments_.empty() && reaches_beneath_));
}

bool is_within(const PathSet& part, std::span<const PathSet* const> all) {
  if (!part.is_known_) {
    return false;
  }
  // Mostly a single one will do, which is quick to find out.
  if (all.size() > 1 &&
      std::ranges::any_of(all, [&part](const PathSet* set) { return is_within(part, *set); })) {
    return true;
  }
  // With the same variable in front, what follows it is compared. Patterns that hold beneath every
  // directory do so there as well.
  Language below(TextKind::path);
  Language from_root(TextKind::path);
  bool has_example_below = false;
  bool has_example_from_root = false;
  for (const PathSet* set : all) {
    if (!part.may_lie_in(*set)) {
      continue;
    }
    const bool is_found = part.has_example_in(*set);
    if (set->variable_ == part.variable_ || set->holds_anywhere()) {
      set->add_to(below, PathSet::Form::relative);
      has_example_below |= is_found;
    }
    if (!set->variable_) {
      set->add_to(from_root, PathSet::Form::from_root);
      has_example_from_root |= is_found;
    }
  }
  const auto is_within_form = [&part](const Language& language, PathSet::Form form) {
    Language own(TextKind::path);
    part.add_to(own, form);
    return is_within(own, language);
  };
  return (has_example_below && is_within_form(below, PathSet::Form::relative)) ||
         (part.variable_ && has_example_from_root &&
          is_within_form(from_root, PathSet::Form::from_root));
}

bool is_within(const PathSet& part, const PathSet& all) {
  const PathSet* const one = &all;
  return is_within(part, std::span(&one, 1));
}

/// Quick: some segment that both have in the same place is not the same.
bool PathSet::differs_from(const PathSet& other) const {
  if (segments_.empty() || other.segments_.empty()) {
    return false;
  }
  if (!reaches_beneath_ && !other.reaches_beneath_ &&
      differ(segments_.back(), other.segments_.back())) {
    return true;
  }
  if (variable_ != other.variable_) {
    return false;
  }
  for (std::size_t i = 0; i < std::min(segments_.size(), other.segments_.size()); ++i) {
    if (segments_[i].kind == SegmentKind::any_depth ||
        other.segments_[i].kind == SegmentKind::any_depth) {
      return false;
    }
    if (differ(segments_[i], other.segments_[i])) {
      return true;
    }
  }
  return false;
}

bool may_meet(const PathSet& one, const PathSet& other) {
  if (!one.is_known_ || !other.is_known_) {
    return true;
  }
  if (one.differs_from(other)) {
    return false;
  }
  const PathSet::Form form =
      one.variable_ == other.variable_ ? PathSet::Form::relative : PathSet::Form::from_root;
  Language first(TextKind::path);
  one.add_to(first, form);
  Language second(TextKind::path);
  other.add_to(second, form);
  return may_meet(first, second);
}

bool is_empty(const PathSet& set) { return !may_meet(set, set); }

namespace {

Language language_of(std::span<const EnvPattern* const> patterns) {
  Language language(TextKind::name);
  for (const EnvPattern* pattern : patterns) {
    language.begin();
    language.add_name(pattern->text());
    language.end();
  }
  return language;
}

Language language_of(const EnvPattern& pattern) {
  const EnvPattern* const one = &pattern;
  return language_of(std::span(&one, 1));
}

}  // namespace

bool is_within(const EnvPattern& part, std::span<const EnvPattern* const> all) {
  return is_within(language_of(part), language_of(all));
}

bool may_meet(const EnvPattern& one, const EnvPattern& other) {
  return may_meet(language_of(one), language_of(other));
}

bool is_empty(const EnvPattern& pattern) { return !may_meet(pattern, pattern); }

}  // namespace pmg::domain
