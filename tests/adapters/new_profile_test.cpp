#include "adapters/profile/new_profile.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "adapters/profile/embedded_profiles.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/lint.hpp"
#include "domain/policy.hpp"
#include "domain/policy_diff.hpp"

namespace pmg::adapters {

namespace {

/// Without the `#` of lines that are examples.
std::string with_examples(std::string text) {
  for (std::size_t at = text.find("\n#"); at != std::string::npos; at = text.find("\n#", at + 1)) {
    if (text.compare(at + 2, 1, " ") != 0 || text.compare(at + 2, 2, "  ") == 0) {
      const bool is_command = text.compare(at + 5, 3, "pmg") == 0;
      if (!is_command) {
        text.erase(at + 1, 1);
      }
    }
  }
  return text;
}

std::vector<domain::Finding> lint_of(const LoadedProfile& profile) {
  const auto parent = resolve_parent(profile);
  REQUIRE(parent.has_value());
  return domain::lint(profile.policy, *parent);
}

}  // namespace

TEST_CASE("LT2: the built-in profiles lint clean") {
  for (const EmbeddedProfile& built_in : embedded_profiles()) {
    CAPTURE(std::string(built_in.name));
    CHECK(lint_of(*built_in_profile(built_in.name)).empty());
  }
}

TEST_CASE("NP1: a new profile inherits any built-in one, loads and lints clean") {
  for (const EmbeddedProfile& built_in : embedded_profiles()) {
    CAPTURE(std::string(built_in.name));
    const auto parent = built_in_profile(built_in.name);
    const NewProfile wanted{"mine", "of \"mine\": # \\ *x\t", std::string(built_in.name),
                            parent->policy.package_managers};
    const std::string text = new_profile_text(wanted);
    const auto profile = load_text(text, "/p/mine.yml");
    REQUIRE_MESSAGE(profile.has_value(), to_message(profile.error()));
    CHECK(profile->policy.name == wanted.name);
    CHECK(profile->policy.description == wanted.description);
    CHECK(profile->policy.inherits == built_in.name);
    CHECK(profile->policy.package_managers == wanted.package_managers);
    CHECK(lint_of(*profile).empty());
    CHECK(domain::diff(*resolve_profile(*parent), *resolve_profile(*profile)).is_empty());

    const auto more = load_text(with_examples(text), "/p/mine.yml");
    REQUIRE_MESSAGE(more.has_value(), to_message(more.error()));
    CHECK(more->policy.filesystem.allow_read.size() == 1);
    CHECK(more->policy.filesystem.deny_write.size() == 1);
    CHECK(more->policy.process.allow_exec.size() == 1);
    CHECK(more->policy.environment.allow.size() == 1);
    for (const domain::Finding& finding : lint_of(*more)) {
      CHECK(finding.level == domain::LintLevel::note);  // the parent may allow it already
    }
  }
}

TEST_CASE("NP1: a new profile that inherits nothing reads the project") {
  const std::string text = new_profile_text({"alone", "", "", {"npm", "go"}});
  const auto profile = load_text(text, "/p/alone.yml");
  REQUIRE_MESSAGE(profile.has_value(), to_message(profile.error()));
  CHECK(profile->policy.inherits.empty());
  CHECK(profile->policy.package_managers == std::vector<std::string>{"npm", "go"});
  CHECK(profile->policy.filesystem.allow_read.size() == 1);
  CHECK(lint_of(*profile).empty());
  CHECK(load_text(with_examples(text), "/p/alone.yml").has_value());
}

TEST_CASE("NP1: what cannot be text of YAML does not load, instead of loading to something else") {
  const std::string text = new_profile_text({"x", "\xff", "npm", {"npm"}});
  CHECK(load_text(text, "/p/x.yml").error().code == LoadErrc::bad_yaml);
}

TEST_CASE("N1: names, files and keys") {
  const ProfileRegistry registry("/nonexistent");
  CHECK_FALSE(registry.file_of("mine").has_value());
  CHECK(registry.new_file_of("mine") == "/nonexistent/mine.yml");
  CHECK(registry.names().size() == embedded_profiles().size());
  CHECK(mark_of_key("a: 1\n  \nb: 2\n", "b") == Mark{3, 1});
  CHECK(mark_of_key("a: 1\n", "b") == Mark{});
  CHECK(mark_of_key("\"", "b") == Mark{});
}

}  // namespace pmg::adapters
