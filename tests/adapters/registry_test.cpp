#include "adapters/profile/registry.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "adapters/profile/embedded_profiles.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/origin.hpp"
#include "domain/policy.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {

namespace {

constexpr std::string_view kMinimal =
    "name: other\npackage_managers: [npm]\nfilesystem: {allow_read: [/a]}\n";

}  // namespace

TEST_CASE("N1: built-in, then NAME.yml, then NAME.yaml, then a path") {
  const tests::TempDir dir;
  const ProfileRegistry registry(dir.path("profiles"));
  CHECK(registry.load("mine").error().code == LoadErrc::unknown_profile);
  dir.write("profiles/mine.yaml", kMinimal);
  CHECK(registry.load("mine")->path.ends_with("mine.yaml"));
  dir.write("profiles/mine.yml", kMinimal);
  CHECK(registry.load("mine")->path.ends_with("mine.yml"));
  CHECK(registry.load("mine")->name == "mine");
  CHECK(registry.load("mine")->source == ProfileSource::user);
  dir.write("profiles/npm.yml", kMinimal);
  CHECK(registry.load("npm")->source == ProfileSource::built_in);
  CHECK(registry.load(dir.path("profiles/npm.yml"))->source == ProfileSource::file);
}

TEST_CASE("N1: what does not load says why and never falls back") {
  const tests::TempDir dir;
  dir.make("profiles");
  const ProfileRegistry registry(dir.path("profiles"));
  dir.write("empty.yml", "");
  dir.write("nothing.yml", "name: x\npackage_managers: [npm]\n");
  dir.link("nowhere", "profiles/lost.yml");
  struct Row {
    std::string reference;
    LoadErrc code;
    const char* why;
  };
  const Row rows[] = {
      {dir.path("none.yml"), LoadErrc::missing, "no file"},
      {dir.root(), LoadErrc::directory, "a directory"},
      {".", LoadErrc::directory, "the working directory"},
      {dir.path("empty.yml"), LoadErrc::bad_yaml, "an empty file"},
      {dir.path("nothing.yml"), LoadErrc::grants_nothing, "no rule"},
      {"no-such-name", LoadErrc::unknown_profile, "no such name"},
      {"", LoadErrc::unknown_profile, "no name"},
      {"tests", LoadErrc::unknown_profile, "a bare word is no path, whatever is current"},
      {"none.yml", LoadErrc::missing, "a file of the working directory"},
      {"lost", LoadErrc::missing, "a dangling link"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    const auto policy = registry.resolve(row.reference);
    REQUIRE_FALSE(policy.has_value());
    CHECK(policy.error().code == row.code);
  }
  CHECK(to_message(registry.resolve("npn").error()) ==
        "no profile is called `npn`; did you mean `npm`?");
}

TEST_CASE("N2: a parent is built-in, and its own parent is resolved first") {
  const tests::TempDir dir;
  const ProfileRegistry registry(dir.path("profiles"));
  dir.write("profiles/child.yml",
            "name: child\npackage_managers: [npm]\ninherits: npm\nallow_pty: false\n"
            "filesystem: {deny_read: [/x]}\n");
  dir.write("profiles/grandchild.yml",
            "name: x\npackage_managers: [npm]\ninherits: child\nfilesystem: {allow_read: [/]}\n");
  const auto child = registry.resolve("child");
  REQUIRE(child.has_value());
  CHECK(child->inherits.empty());
  CHECK(child->name == "child");
  CHECK(child->allow_pty == domain::Toggle::off);
  CHECK(child->filesystem.deny_read.back().value.text() == "/x");
  CHECK(child->filesystem.deny_read.back().origin.layer == domain::Layer::profile);
  CHECK(child->filesystem.deny_read.front().origin ==
        domain::Origin{domain::Layer::parent_profile, "npm-restrictive",
                       child->filesystem.deny_read.front().origin.line, 7});
  const auto has_token = [](const auto& rule) { return rule.value.text() == "NPM_TOKEN"; };
  CHECK(std::ranges::any_of(child->environment.allow, has_token));
  const auto error = registry.resolve("grandchild").error();
  CHECK(error.code == LoadErrc::parent_not_built_in);
  CHECK(error.mark == Mark{3, 11});
}

TEST_CASE("N2: the chains of the built-in profiles end, and every one resolves") {
  const ProfileRegistry registry("/nonexistent");
  std::string names;
  for (const EmbeddedProfile& profile : embedded_profiles()) {
    CAPTURE(std::string(profile.name));
    names.append(profile.name).append(" ");
    const auto loaded = registry.load(profile.name);
    REQUIRE_MESSAGE(loaded.has_value(), to_message(loaded.error()));
    CHECK(loaded->policy.name == profile.name);
    CHECK(loaded->text == profile.text);
    const auto parent = loaded->policy.inherits;
    CHECK((parent.empty() || built_in_profile(parent)->policy.inherits.empty()));
    CHECK(registry.resolve(profile.name).has_value());
  }
  CHECK(names ==
        "bun exec go npm npm-restrictive npx pip pipx pnpm poetry pypi-restrictive uv uvx yarn ");
}

TEST_CASE("the list shows built-in, user, shadowed and broken profiles") {
  const tests::TempDir dir;
  const ProfileRegistry registry(dir.path("profiles"));
  const std::size_t built_in = registry.list().size();
  CHECK(built_in == embedded_profiles().size());
  dir.write("profiles/npm.yml", kMinimal);
  dir.write("profiles/broken.yml", "nmae: x\n");
  dir.write("profiles/README.md", "not a profile");
  const auto rows = registry.list();
  REQUIRE(rows.size() == built_in + 2);
  CHECK(rows[built_in].name == "broken");
  CHECK(rows[built_in].error.has_value());
  CHECK(rows[built_in + 1].name == "npm");
  CHECK(rows[built_in + 1].shadowing == Shadowing::by_built_in);
  CHECK(rows[3].name == "npm");
  CHECK(rows[3].inherits == "npm-restrictive");
}

}  // namespace pmg::adapters
