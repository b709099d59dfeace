#include "rule_assembly.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pmg::domain {
namespace {

AbsolutePath join(const AbsolutePath& directory, std::string_view below) {
  return normalise(directory, below);
}

/// The prefixes of a path from the root's child to the path itself.
std::vector<AbsolutePath> prefixes_of(const AbsolutePath& path) {
  std::vector<AbsolutePath> prefixes;
  for (AbsolutePath at = path; !at.is_root(); at = at.parent()) {
    prefixes.push_back(at);
  }
  std::ranges::reverse(prefixes);
  return prefixes;
}

/// What `path` has beneath `directory`, as relative text.
std::string_view beneath(const AbsolutePath& path, const AbsolutePath& directory) {
  const std::size_t skipped = directory.is_root() ? 1 : directory.text().size() + 1;
  const std::string_view text = path.text();
  return skipped >= text.size() ? std::string_view() : text.substr(skipped);
}

}  // namespace

void RuleAssembly::add(const Terms& terms, std::string_view text, const PathPattern& pattern,
                       const Origin& origin) {
  const RuleId id{static_cast<std::uint32_t>(rules_.size())};
  rules_.push_back({terms.effect, terms.access, std::string(text), pattern, origin});
  builder_.add({pattern, terms.effect, terms.access, id, terms.strength, terms.reach});
}

void RuleAssembly::allow(Access access, std::string_view text, const PathPattern& pattern,
                         const Origin& origin) {
  const Terms terms{Effect::allow, access, Strength::absolute, Reach::everywhere};
  add(terms, text, pattern, origin);
  for (const PathPattern& twin : allow_twins(pattern)) {
    add(terms, text, twin, origin);
  }
}

void RuleAssembly::deny(Access access, std::string_view text, const PathPattern& pattern,
                        const Origin& origin, Strength strength, Reach reach) {
  const Terms terms{Effect::deny, access, strength, reach};
  add(terms, text, pattern, origin);
  for (const PathPattern& twin : deny_twins(pattern)) {
    add(terms, text, twin, origin);
  }
}

void RuleAssembly::package_content(const PathPattern& pattern) {
  builder_.add_package_content(pattern);
  for (const PathPattern& twin : allow_twins(pattern)) {
    builder_.add_package_content(twin);
  }
}

void RuleAssembly::opt_out(Access access, const AbsolutePath& path) {
  auto& opt_outs = access == Access::read ? read_opt_outs_ : write_opt_outs_;
  const PathPattern pattern = PathPattern::literal(path);
  std::vector<PathPattern> forms = allow_twins(pattern);
  forms.push_back(pattern);
  for (const PathPattern& form : forms) {
    const AbsolutePath literal = form.literal_prefix();
    opt_outs.insert(literal.text());
    builder_.add_opt_out(literal, access);
  }
}

bool RuleAssembly::is_opted_out(Access access, const AbsolutePath& path) {
  const auto& opt_outs = access == Access::read ? read_opt_outs_ : write_opt_outs_;
  return opt_outs.contains(path.text()) ||
         opt_outs.contains(join(canonical(path.parent()), path.filename()).text());
}

const AbsolutePath& RuleAssembly::canonical(const AbsolutePath& path) {
  const auto found = canonical_.find(path.text());
  if (found != canonical_.end()) {
    return found->second;
  }
  return canonical_
      .emplace(path.text(), surroundings_.canonical ? surroundings_.canonical(path) : path)
      .first->second;
}

/// A symlink that the sandbox, or the project itself, could have planted must not carry a grant
/// somewhere else: the next run would follow it. Only the way to HOME and to the working directory
/// is trusted as such; what is in the project may lead within it.
bool RuleAssembly::is_trusted(const AbsolutePath& prefix) {
  const Variables& variables = surroundings_.variables;
  if (variables.cwd.is_within(prefix) || variables.home.is_within(prefix)) {
    return true;
  }
  Walk walk;
  writable_.walk(prefix.text(), walk);
  if (!walk.is_well_formed || walk.allow.has(Access::write)) {
    return false;
  }
  return !prefix.is_within(variables.cwd) || canonical(prefix).is_within(canonical(variables.cwd));
}

std::vector<PathPattern> RuleAssembly::deny_twins(const PathPattern& pattern) {
  const AbsolutePath written = pattern.literal_prefix();
  std::vector<PathPattern> twins;
  const auto add_twin = [&](const AbsolutePath& place) {
    if (place == written) {
      return;
    }
    PathPattern twin = pattern.with_literal_prefix(place);
    if (std::ranges::find(twins, twin) == twins.end()) {
      twins.push_back(std::move(twin));
    }
  };
  for (const AbsolutePath& part : prefixes_of(written)) {
    add_twin(join(canonical(part), beneath(written, part)));
  }
  return twins;
}

std::vector<PathPattern> RuleAssembly::allow_twins(const PathPattern& pattern) {
  const AbsolutePath written = pattern.literal_prefix();
  AbsolutePath place = written;
  for (const AbsolutePath& part : prefixes_of(written)) {
    if (!is_trusted(part)) {
      break;
    }
    place = join(canonical(part), beneath(written, part));
  }
  if (place == written || place.is_root()) {
    return {};
  }
  return {pattern.with_literal_prefix(place)};
}

std::pair<std::vector<Rule>, std::unique_ptr<const Automaton>> RuleAssembly::finish() && {
  return {std::move(rules_), std::move(builder_).build()};
}

}  // namespace pmg::domain
