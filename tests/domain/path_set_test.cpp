#include "domain/path_set.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/pattern.hpp"
#include "rules.hpp"

namespace pmg::domain {

namespace {

PathSet set(std::string_view text, Extent extent = Extent::allowed) {
  return PathSet(tests::parsed<PatternTemplate>(text), extent);
}

}  // namespace

TEST_CASE("V1: one set of paths within another") {
  struct Row {
    std::string_view part;
    std::string_view all;
    bool is_within;
    const char* why;
  };
  const Row rows[] = {
      {"/a/b", "/a", true, "beneath"},
      {"/ab", "/a", false, "by segments"},
      {"/a/*", "/a/**", true, "one segment"},
      {"/a/**", "/a/*", false, "many segments"},
      {"/a/*/c", "/a/**", true, "glob in between"},
      {"/a/[abc]", "/a/[a-c]", true, "a range"},
      {"/a/[!a]", "/a/?", true, "one byte"},
      {"/a/??", "/a/?*", true, "two bytes are one and more"},
      {"/a/?*", "/a/??", false, "or one"},
      {"/a/x*y", "/a/*", true, "affixes"},
      {"/a/b/**", "/**/b/**", true, "any depth"},
      {"**/b/**", "/a/**", false, "a floating one is everywhere"},
      {"${HOME}/x", "${HOME}", true, "the same variable"},
      {"${HOME}/x", "${CWD}", false, "another one"},
      {"${HOME}/x", "/home/**", false, "HOME may be anywhere"},
      {"/home/u/x", "${HOME}", false, "likewise"},
      {"${HOME}/x", "/**", true, "but not outside the root"},
      {"${HOME}/*.c", "**/*.c", true, "nor of a floating pattern"},
      {"${HOME}/x", "/*/**", true, "HOME is not the root"},
      {"${HOME}/x/**", "/*/*/**", true, "so this has two segments"},
      {"/a/[b-a]", "/a/c*", true, "nothing is within anything"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.part));
    CAPTURE(std::string(row.all));
    CAPTURE(std::string(row.why));
    CHECK(is_within(set(row.part), set(row.all)) == row.is_within);
  }
}

TEST_CASE("V1: within several together") {
  const PathSet one = set("/a/[a-m]*");
  const PathSet other = set("/a/[!a-m]*");
  const std::vector<const PathSet*> both{&one, &other};
  CHECK(is_within(set("/a/*"), both));
  CHECK_FALSE(is_within(set("/a/*"), one));
  const PathSet home = set("${HOME}/x");
  const PathSet floating = set("**/y/**");
  const std::vector<const PathSet*> mixed{&home, &floating};
  CHECK(is_within(set("${HOME}/x/q"), mixed));
  CHECK(is_within(set("${HOME}/y/**"), mixed));
  CHECK_FALSE(is_within(set("${HOME}/z"), mixed));
  CHECK_FALSE(is_within(set("/a"), std::vector<const PathSet*>{}));
}

TEST_CASE("V1: two sets that meet") {
  CHECK(may_meet(set("/a/*"), set("/*/b")));
  CHECK_FALSE(may_meet(set("/a/x*"), set("/a/y*")));
  CHECK_FALSE(may_meet(set("/a/*"), set("/a/b/c")));
  CHECK(may_meet(set("/a/**"), set("/a/b/c")));
  CHECK(may_meet(set("${HOME}/x"), set("/srv/q/x")));
  CHECK(may_meet(set("${HOME}/p/x"), set("${CWD}/x")));
  CHECK_FALSE(may_meet(set("${HOME}/x", Extent::exactly), set("${CWD}/y", Extent::exactly)));
  CHECK(is_empty(set("/a/[.]")));
  CHECK_FALSE(is_empty(set("/")));
}

TEST_CASE("V1: what is too hard is not said") {
  // A set of states for each of 2^n positions of the `a`.
  std::string hard = "/*a";
  for (int i = 0; i < 60; ++i) {
    hard += "[ab]";
  }
  std::string harder = "/*a";
  for (int i = 0; i < 59; ++i) {
    harder += "[ab]";
  }
  CHECK_FALSE(is_within(set("/[ab]*" + hard.substr(2)), set(harder + "?")));
  // Above a variable: only the command line can say so, and nothing is known of it.
  const PathSet above(*PatternTemplate::parse_from_cwd("../x"), Extent::allowed);
  CHECK_FALSE(is_within(above, set("${CWD}")));
  CHECK(may_meet(above, set("/q")));
}

TEST_CASE("V1: names of variables") {
  const auto name = [](std::string_view text) { return tests::parsed<EnvPattern>(text); };
  const EnvPattern all = name("npm_*");
  const std::vector<const EnvPattern*> one{&all};
  CHECK(is_within(name("NPM_CONFIG_X"), one));
  CHECK(is_within(name("NPM_C*"), one));
  CHECK_FALSE(is_within(name("N*"), one));
  CHECK(may_meet(name("*_TOKEN"), name("npm_*")));
  CHECK_FALSE(may_meet(name("GH_*"), name("npm_*")));
  CHECK(is_empty(name("[b-a]x")));
}

}  // namespace pmg::domain
