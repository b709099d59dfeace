// What reaches a program through its environment.
#include "domain/environment.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/mandatory.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;
using std::string_view_literals::operator""sv;

namespace {

std::string changed_case(gen::Choices& c, std::string_view text) {
  std::string changed(text);
  for (char& letter : changed) {
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    if (is_letter && c.one_in(2)) {
      letter = static_cast<char>(letter ^ 0x20);
    }
  }
  return changed;
}

/// A listed name, a name near one, or a short one that the globs below meet.
std::string env_name(gen::Choices& c) {
  constexpr std::array kPlain{"A"sv, "AB"sv, "PATH"sv, "LC_ALL"sv, "HOME"sv, "NPM_CONFIG_X"sv};
  const auto secrets = secret_variables();
  std::string name(c.one_in(2) ? secrets[c.below(std::min<std::size_t>(secrets.size(), 256))]
                               : c.pick(kPlain));
  if (c.one_in(4)) {
    name += 'X';
  }
  return changed_case(c, name);
}

EnvRules env_rules(gen::Choices& c) {
  constexpr std::array kGlobs{"*"sv, "A*"sv, "?"sv, "NPM_*"sv, "*_TOKEN"sv, "[A-C]*"sv, "LC_*"sv};
  EnvRules rules;
  while (rules.size() < 3 && c.one_in(2)) {
    const std::string text = c.one_in(2) ? std::string(c.pick(kGlobs)) : env_name(c);
    if (auto pattern = EnvPattern::parse(text)) {
      rules.push_back({*std::move(pattern), Origin{Layer::profile, "p.yml", 1}});
    }
  }
  return rules;
}

bool any_matches(const EnvRules& rules, std::string_view name) {
  return std::ranges::any_of(rules, [name](const auto& rule) { return rule.value.matches(name); });
}

bool any_glob_matches(std::span<const std::string_view> globs, std::string_view name) {
  return std::ranges::any_of(
      globs, [name](std::string_view glob) { return glob_matches_ignoring_case(glob, name); });
}

std::vector<std::string_view> removed_names(const std::vector<ScrubbedName>& scrubbed) {
  std::vector<std::string_view> names;
  for (const ScrubbedName& removed : scrubbed) {
    names.push_back(removed.name);
  }
  return names;
}

}  // namespace

/// scrub == (built-in + deny) - allow - protected, and `is_scrubbed` says the same of each name.
bool scrub_leaks_no_denied_name(gen::Choices& c) {
  const EnvironmentRules rules{env_rules(c), env_rules(c)};
  std::vector<std::string> names;
  while (names.size() < 6 && (names.empty() || c.one_in(2))) {
    names.push_back(env_name(c));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::vector<std::string_view> expected;
  for (const std::string_view name : views) {
    c.note("name", [&] { return std::string(name); });
    const bool is_denied =
        any_glob_matches(secret_variables(), name) || any_matches(rules.deny, name);
    const bool is_kept =
        any_matches(rules.allow, name) || any_glob_matches(protected_variables(), name);
    if (is_denied && !is_kept) {
      expected.push_back(name);
    }
    if (is_scrubbed(rules, name) != (is_denied && !is_kept)) {
      return false;
    }
  }
  return std::ranges::equal(removed_names(scrub(rules, views)), expected);
}

bool scrub_ignores_case(gen::Choices& c) {
  const EnvironmentRules rules{env_rules(c), env_rules(c)};
  const std::string name = env_name(c);
  const std::string other = changed_case(c, name);
  c.note("names", [&] { return name + " " + other; });
  return is_scrubbed(rules, name) == is_scrubbed(rules, other);
}

bool scrub_keeps_protected_names(gen::Choices& c) {
  const EnvironmentRules rules{env_rules(c), env_rules(c)};
  const auto globs = protected_variables();
  std::string name(globs[c.below(globs.size())]);
  if (name.ends_with('*')) {
    name.pop_back();
    name += c.one_in(2) ? "ALL" : "";
  }
  name = changed_case(c, name);
  c.note("name", [&] { return name; });
  return !is_scrubbed(rules, name);
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("E1: scrub leaks no denied name") { CHECK_HOLDS_OFTEN(scrub_leaks_no_denied_name); }
TEST_CASE("E2: scrub ignores case") { CHECK_HOLDS_OFTEN(scrub_ignores_case); }
TEST_CASE("E4: scrub keeps protected names") { CHECK_HOLDS_OFTEN(scrub_keeps_protected_names); }
