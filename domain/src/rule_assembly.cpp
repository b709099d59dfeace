#include "rule_assembly.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pmg::domain {
namespace {

/// The prefixes of a path by whole segments, from the root's child to the path itself.
class Prefixes {
 public:
  explicit Prefixes(const AbsolutePath& path) noexcept
      : path_(path.is_root() ? std::string_view() : path.text()) {}

  /// Empty after the last one.
  std::string_view next() noexcept {
    if (size_ == path_.size()) {
      return {};
    }
    size_ = std::min(path_.find('/', size_ + 1), path_.size());
    return path_.substr(0, size_);
  }

 private:
  std::string_view path_;
  std::size_t size_ = 0;
};

/// `path`, with its prefix `from` replaced by `to`.
AbsolutePath moved(const AbsolutePath& path, std::string_view from, const AbsolutePath& to) {
  const std::string_view text = path.text();
  return normalise(to, text.substr(std::min(from.size() + 1, text.size())));
}

}  // namespace

void RuleAssembly::add(const Terms& terms, std::string_view text, PathPattern pattern,
                       const Origin& origin) {
  made_.rules.push_back(
      {terms.effect, terms.access, std::string(text), std::move(pattern), origin});
  made_.terms.push_back({terms.strength, terms.reach});
}

void RuleAssembly::allow(Access access, std::string_view text, PathPattern pattern,
                         const Origin& origin) {
  const Terms terms{Effect::allow, access, Strength::absolute, Reach::everywhere};
  std::optional<PathPattern> twin = allow_twin(pattern);
  add(terms, text, std::move(pattern), origin);
  if (twin) {
    add(terms, text, std::move(*twin), origin);
  }
}

void RuleAssembly::deny(Access access, std::string_view text, PathPattern pattern,
                        const Origin& origin, Strength strength, Reach reach) {
  const Terms terms{Effect::deny, access, strength, reach};
  std::vector<PathPattern> twins = deny_twins(pattern);
  add(terms, text, std::move(pattern), origin);
  for (PathPattern& twin : twins) {
    add(terms, text, std::move(twin), origin);
  }
}

void RuleAssembly::connect(std::string_view text, PathPattern pattern, const Origin& origin) {
  allow(Access::connect, text, std::move(pattern), origin);
}

void RuleAssembly::package_content(const PathPattern& pattern) {
  made_.package_content.push_back(pattern);
  if (auto twin = allow_twin(pattern)) {
    made_.package_content.push_back(std::move(*twin));
  }
}

void RuleAssembly::project(const AbsolutePath& path) {
  made_.projects.push_back(path);
  made_.projects.push_back(canonical(place_of(path.text())));
}

void RuleAssembly::opt_out(Access access, const AbsolutePath& path) {
  auto& opt_outs = access == Access::read ? read_opt_outs_ : write_opt_outs_;
  const auto add_form = [&](const AbsolutePath& form) {
    opt_outs.insert(form.text());
    made_.opt_outs.push_back({form, access});
  };
  add_form(path);
  if (const auto twin = allow_twin(PathPattern::literal(path))) {
    add_form(twin->literal_prefix());
  }
}

bool RuleAssembly::is_opted_out(Access access, const AbsolutePath& path) {
  const auto& opt_outs = access == Access::read ? read_opt_outs_ : write_opt_outs_;
  if (opt_outs.empty()) {
    return false;
  }
  if (opt_outs.contains(path.text())) {
    return true;
  }
  const AbsolutePath& real_parent = canonical(place_of(path.parent().text()));
  return opt_outs.contains(normalise(real_parent, path.filename()).text());
}

RuleAssembly::Place& RuleAssembly::place_of(std::string_view path) {
  const auto found = place_of_.find(path);
  if (found != place_of_.end()) {
    return *found->second;
  }
  Place& place = places_.emplace_back(
      Place{normalise(AbsolutePath::root(), path), std::nullopt, std::nullopt, {}, {}});
  place_of_.emplace(place.path.text(), &place);
  return place;
}

const AbsolutePath& RuleAssembly::canonical(Place& place) {
  if (!place.canonical) {
    place.canonical = surroundings_.canonical ? surroundings_.canonical(place.path) : place.path;
  }
  return *place.canonical;
}

const std::vector<AbsolutePath>& RuleAssembly::links(Place& place) {
  if (!place.links) {
    place.links =
        surroundings_.links ? surroundings_.links(place.path) : std::vector<AbsolutePath>();
  }
  return *place.links;
}

bool RuleAssembly::is_trusted(Place& place) {
  if (place.trust == Trust::unknown) {
    place.trust = find_trust(place) ? Trust::yes : Trust::no;
  }
  return place.trust == Trust::yes;
}

/// A symlink that the sandbox, or the project itself, could have planted must not carry a grant
/// somewhere else: the next run would follow it. Only the way to HOME and to the working directory
/// is trusted as such; what is in the project may lead within it.
bool RuleAssembly::find_trust(Place& place) {
  const Variables& variables = surroundings_.variables;
  if (variables.cwd.is_within(place.path) || variables.home.is_within(place.path)) {
    return true;
  }
  Walk walk;
  writable_.walk(place.path.text(), walk);
  if (!walk.is_well_formed || walk.allow.has(Access::write)) {
    return false;
  }
  return !place.path.is_within(variables.cwd) ||
         canonical(place).is_within(canonical(place_of(variables.cwd.text())));
}

bool RuleAssembly::is_plain(Place& place) {
  if (place.shape == Shape::unknown) {
    // What lies below a dangling symlink is its own canonical path: ask all the way up.
    const auto above = place.path.parent();
    const bool plain = canonical(place) == place.path && links(place).empty() &&
                       (above.is_root() || is_plain(place_of(above.text())));
    place.shape = plain ? Shape::plain : Shape::linked;
  }
  return place.shape == Shape::plain;
}

std::vector<PathPattern> RuleAssembly::deny_twins(const PathPattern& pattern) {
  const AbsolutePath written = pattern.literal_prefix();
  std::vector<PathPattern> twins;
  if (written.is_root() || is_plain(place_of(written.text()))) {
    return twins;
  }
  const auto add_twin = [&](std::string_view part, const AbsolutePath& at) {
    PathPattern twin = pattern.with_literal_prefix(moved(written, part, at));
    if (std::ranges::find(twins, twin) == twins.end()) {
      twins.push_back(std::move(twin));
    }
  };
  Prefixes prefixes(written);
  for (std::string_view part = prefixes.next(); !part.empty(); part = prefixes.next()) {
    Place& place = place_of(part);
    if (canonical(place).text() != part) {
      add_twin(part, canonical(place));
    }
    for (const AbsolutePath& at : links(place)) {
      add_twin(part, at);
    }
  }
  return twins;
}

std::optional<PathPattern> RuleAssembly::allow_twin(const PathPattern& pattern) {
  const AbsolutePath written = pattern.literal_prefix();
  Place* last = nullptr;
  Prefixes prefixes(written);
  for (std::string_view part = prefixes.next(); !part.empty(); part = prefixes.next()) {
    Place& place = place_of(part);
    if (!is_trusted(place)) {
      break;
    }
    last = &place;
  }
  if (last == nullptr || canonical(*last) == last->path) {
    return std::nullopt;
  }
  const AbsolutePath twin = moved(written, last->path.text(), canonical(*last));
  return twin.is_root() ? std::nullopt : std::optional(pattern.with_literal_prefix(twin));
}

}  // namespace pmg::domain
