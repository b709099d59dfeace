#include "domain/overrides.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "domain/origin.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/preset.hpp"
#include "domain/rules.hpp"

using namespace pmg::domain;
using pmg::tests::parsed;
using pmg::tests::rules;
using pmg::tests::texts;
using pmg::tests::variables;

namespace {

using Texts = std::vector<std::string>;

Override allow(std::string_view text) {
  auto rule = parse_override(text);
  REQUIRE(rule.has_value());
  return *rule;
}

PathPattern expanded(std::string_view text) {
  return parsed<PatternTemplate>(text).expand(variables());
}

}  // namespace

TEST_CASE("O4: an override is TYPE=VALUE, split at the first =") {
  struct {
    std::string_view text;
    std::size_t index;
    std::string_view means;
    const char* why;
  } const table[] = {
      {"read=/a", 0, "/a", "absolute"},
      {"read=/a=b", 0, "/a=b", "only the first = splits"},
      {"read=a/b", 0, "${CWD}/a/b", "relative to the working directory"},
      {"read=./.env", 0, "${CWD}/.env", "as the shell completes it"},
      {"read=../x", 0, "/home/u/app/x", "normalised after expansion"},
      {"write=${HOME}/.cache/**", 1, "${HOME}/.cache/**", "variables and globs"},
      {"write=**/dist", 1, "**/dist", "floating"},
      {"exec=/usr/bin/curl", 2, "/usr/bin/curl", "a program"},
      {"exec=./run.sh", 2, "${CWD}/run.sh", "a relative program"},
      {"unix=/run/docker.sock", 4, "/run/docker.sock", "a socket"},
      {"exec=/a[b", 2, "/a[b", "an unclosed [ is itself, so this is no glob"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    const auto rule = parse_override(row.text);
    REQUIRE(rule.has_value());
    CHECK(rule->index() == row.index);
    const PatternTemplate* pattern = nullptr;
    if (const auto* read = std::get_if<AllowRead>(&*rule)) {
      pattern = &read->pattern;
    } else if (const auto* write = std::get_if<AllowWrite>(&*rule)) {
      pattern = &write->pattern;
    } else if (const auto* exec = std::get_if<AllowExec>(&*rule)) {
      pattern = &exec->pattern;
    } else if (const auto* socket = std::get_if<AllowUnix>(&*rule)) {
      pattern = &socket->pattern;
    }
    REQUIRE(pattern != nullptr);
    CHECK(pattern->expand(variables()) == expanded(row.means));
  }
}

TEST_CASE("O4: env takes a name or a glob over names, kept verbatim") {
  for (const std::string_view name : {"GH_TOKEN", "npm_config_*", "a.b"}) {
    CAPTURE(name);
    const auto rule = parse_override("env=" + std::string(name));
    REQUIRE(rule.has_value());
    const auto* env = std::get_if<AllowEnv>(&*rule);
    REQUIRE(env != nullptr);
    CHECK(env->pattern.text() == name);
  }
}

TEST_CASE("O4: what is not an override is refused with its reason") {
  struct {
    std::string_view text;
    OverrideErrc code;
    const char* why;
  } const table[] = {
      {"", OverrideErrc::no_equals, "empty"},
      {"read", OverrideErrc::no_equals, "no value at all"},
      {"=", OverrideErrc::empty_type, "the type is looked at first"},
      {"=/a", OverrideErrc::empty_type, "no type"},
      {"read=", OverrideErrc::empty_value, "no value"},
      {"nonsense=", OverrideErrc::empty_value, "empty before unknown"},
      {"net=a:1", OverrideErrc::type_is_two, "ambiguous: connect or bind"},
      {"READ=/a", OverrideErrc::unknown_type, "types are lower case"},
      {" read=/a", OverrideErrc::unknown_type, "spaces are not skipped"},
      {"net-connect=a", OverrideErrc::bad_endpoint, "no port"},
      {"net-connect=:1", OverrideErrc::bad_endpoint, "no host"},
      {"net-connect=https://a:1", OverrideErrc::bad_endpoint, "a scheme"},
      {"net-connect=a:0", OverrideErrc::bad_endpoint, "no port of TCP"},
      {"net-connect=*:1", OverrideErrc::wildcard_in_host, "every host"},
      {"net-connect=*.a.b:1", OverrideErrc::wildcard_in_host, "hosts of a domain"},
      {"net-connect=a:*", OverrideErrc::wildcard_in_port, "every port"},
      {"net-bind=*:80", OverrideErrc::wildcard_in_host, "every address"},
      {"net-bind=80", OverrideErrc::bad_endpoint, "no host"},
      {"preset=Git", OverrideErrc::bad_preset_name, "names are lower case"},
      {"preset=-x", OverrideErrc::bad_preset_name, "a flag, most likely"},
      {"preset=../x", OverrideErrc::bad_preset_name, "a path"},
      {"env=*", OverrideErrc::every_variable, "would pass on every secret"},
      {"env=?*", OverrideErrc::every_variable, "the same in other words"},
      {"env=a\\b", OverrideErrc::bad_env_name, "a backslash"},
      {"unix=/run/*.sock", OverrideErrc::glob_in_unix, "a glob"},
      {"unix=~/x", OverrideErrc::tilde, "the shell does not expand after ="},
      {"read=~/x", OverrideErrc::tilde, "the shell does not expand after ="},
      {"write=~", OverrideErrc::tilde, "alone"},
      {"exec=~u/x", OverrideErrc::tilde, "of another user"},
      {"exec=/usr/bin/*", OverrideErrc::glob_in_exec, "a glob"},
      {"exec=/usr/**", OverrideErrc::glob_in_exec, "a tree"},
      {"exec=/a/[bc]", OverrideErrc::glob_in_exec, "a set"},
      {"exec=**/curl", OverrideErrc::glob_in_exec, "floating"},
      {"read=${FOO}/a", OverrideErrc::bad_pattern, "unknown variable"},
      {"write=${HOME", OverrideErrc::bad_pattern, "unclosed variable"},
      {"env=A=B", OverrideErrc::bad_env_name, "a value was given"},
      {"env=a b", OverrideErrc::bad_env_name, "a space"},
      {"env=a/b", OverrideErrc::bad_env_name, "a path"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    const auto rule = parse_override(row.text);
    REQUIRE_FALSE(rule.has_value());
    CHECK(rule.error().code == row.code);
    CHECK(rule.error().text == row.text);
  }
}

TEST_CASE("O1: an opt-out removes the deny that is the same pattern, however it is spelled") {
  struct {
    std::string_view deny;
    std::string_view value;
    bool removed;
    const char* why;
  } const table[] = {
      {"${CWD}/.env", "./.env", true, "variable against relative"},
      {"${CWD}/.env", ".env", true, "variable against bare name"},
      {"${CWD}/.env", "${CWD}/.env", true, "equal text"},
      {"/home/u/.npmrc", "${HOME}/.npmrc", true, "absolute against variable"},
      {"${HOME}/.npmrc", "/home/u//.npmrc", true, "doubled slash"},
      {"${HOME}/x", "../../x", true, "dot-dot is taken away by text"},
      {"${CWD}/.env", "/home/u/.env", false, "another file of the same name"},
      {"${CWD}/.env", "./.envrc", false, "a longer name"},
      {"${CWD}/a/b", "./a", false, "a parent lifts nothing"},
      {"${CWD}/a", "./a/b", false, "nor does a child"},
      {"**/.env", "**/.env", false, "a glob deny stays"},
      {"${CWD}/*.pem", "./*.pem", false, "a glob deny stays"},
      {"${CWD}/s/**", "./s/**", false, "so does a tree"},
      {"**/.env", "./.env", false, "the floating one stays; `compile` narrows it"},
  };
  for (const auto& row : table) {
    CAPTURE(row.deny);
    CAPTURE(row.value);
    CAPTURE(row.why);
    Policy policy;
    policy.filesystem.deny_read = rules<PatternTemplate>({"/keep", row.deny, "/also"});
    policy.filesystem.deny_write = rules<PatternTemplate>({row.deny});
    policy.process.deny_exec = rules<PatternTemplate>({row.deny});
    const Policy after =
        with_overrides(policy, {allow("read=" + std::string(row.value))}, variables());
    CHECK(after.filesystem.deny_read.size() == (row.removed ? 2U : 3U));
    CHECK(after.filesystem.deny_read.front().value.text() == "/keep");
    CHECK(after.filesystem.deny_read.back().value.text() == "/also");
    CHECK(after.filesystem.deny_write == policy.filesystem.deny_write);
    CHECK(after.process == policy.process);
    REQUIRE(after.filesystem.allow_read.size() == 1);
    CHECK(after.filesystem.allow_read[0].origin.layer == Layer::command_line);
  }
}

TEST_CASE("O1: each direction lifts its own list alone") {
  Policy policy;
  policy.filesystem.deny_read = rules<PatternTemplate>({"/a"});
  policy.filesystem.deny_write = rules<PatternTemplate>({"/a", "/a"});
  policy.process.deny_exec = rules<PatternTemplate>({"/a"});

  Policy after = with_overrides(policy, {allow("write=/a")}, variables());
  CHECK(after.filesystem.deny_read.size() == 1);
  CHECK(after.filesystem.deny_write.empty());  // said twice, lifted at once
  CHECK(after.process.deny_exec.size() == 1);
  CHECK(texts(after.filesystem.allow_write) == Texts{"/a"});
  CHECK(after.filesystem.allow_read.empty());

  after = with_overrides(policy, {allow("exec=/a"), allow("read=/b")}, variables());
  CHECK(after.filesystem.deny_read.size() == 1);
  CHECK(after.process.deny_exec.empty());
  CHECK(texts(after.process.allow_exec) == Texts{"/a"});
  CHECK(texts(after.filesystem.allow_read) == Texts{"/b"});
}

TEST_CASE("O1: a directory whose name looks like a set is lifted as a name") {
  // ${CWD} is /home/u/app/[slug]; the override must not become a set of one byte.
  Policy policy;
  policy.filesystem.deny_read = rules<PatternTemplate>({"${CWD}/k", "/home/u/app/s/k"});
  const Policy after = with_overrides(policy, {allow("read=./k")}, variables());
  CHECK(texts(after.filesystem.deny_read) == Texts{"/home/u/app/s/k"});
}

TEST_CASE("O1: env removes the deny of that name; globs stay; nothing else moves") {
  Policy policy;
  policy.environment.deny = rules<EnvPattern>({"gh_token", "GH_*", "OTHER"});
  policy.network.deny_outbound = rules<HostPortPattern>({"*:*"});
  const Policy after = with_overrides(policy, {allow("env=GH_TOKEN")}, variables());
  CHECK(texts(after.environment.deny) == Texts{"GH_*", "OTHER"});
  CHECK(texts(after.environment.allow) == Texts{"GH_TOKEN"});
  CHECK(after.network == policy.network);
  CHECK(after.filesystem == policy.filesystem);
}

TEST_CASE("O1: a glob over names removes no deny, but E1 lets it pass") {
  Policy policy;
  policy.environment.deny = rules<EnvPattern>({"GH_TOKEN", "GH_*"});
  const Policy after = with_overrides(policy, {allow("env=GH_*")}, variables());
  CHECK(texts(after.environment.deny) == Texts{"GH_TOKEN", "GH_*"});
}

TEST_CASE("O1: no overrides, no change") {
  Policy policy;
  policy.filesystem.deny_read = rules<PatternTemplate>({"/a"});
  CHECK(with_overrides(policy, {}, variables()) == policy);
}

TEST_CASE("O4: network endpoints and presets") {
  struct {
    std::string_view text;
    std::size_t index;
    std::string_view value;
  } const table[] = {
      {"net-connect=example.com:443", 5, "example.com:443"},
      {"net-connect=${NPM_REGISTRY}:443", 5, "${NPM_REGISTRY}:443"},
      {"net-connect=[::1]:1", 5, "[::1]:1"},
      {"net-bind=localhost:*", 6, "localhost:*"},
      {"net-bind=0.0.0.0:80", 6, "0.0.0.0:80"},
      {"preset=next-js", 7, "next-js"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    const Override rule = allow(row.text);
    CHECK(rule.index() == row.index);
    const auto text = text_of(rule, variables());
    REQUIRE(text.has_value());
    CHECK(text->value == row.value);
  }
  CHECK(override_types().size() == std::variant_size_v<Override>);
}

TEST_CASE("O1: a host lifts the deny that is the same text; a bind switches binding on") {
  Policy policy;
  policy.network.deny_outbound = rules<HostPortPattern>({"*:*", "a.example:443", "a.example:80"});
  policy.allow_network_bind = Toggle::off;
  const Policy after = with_overrides(
      policy, {allow("net-connect=a.example:443"), allow("net-bind=localhost:80")}, variables());
  CHECK(texts(after.network.deny_outbound) == Texts{"*:*", "a.example:80"});
  CHECK(texts(after.network.allow_outbound) == Texts{"a.example:443"});
  CHECK(texts(after.network.allow_bind) == Texts{"localhost:80"});
  CHECK(after.allow_network_bind == Toggle::on);
}

TEST_CASE("O1: an allowance keeps its origin") {
  const Origin overlay{Layer::overlay, "o.yml", 9};
  const Policy after = with_allowances(Policy{}, {{allow("write=/a"), overlay}}, variables());
  REQUIRE(after.filesystem.allow_write.size() == 1);
  CHECK(after.filesystem.allow_write[0].origin == overlay);
}

TEST_CASE("O5: what is saved means the same from every directory") {
  const Variables here{pmg::tests::path("/home/u"), pmg::tests::path("/home/u/p/sub"),
                       pmg::tests::path("/tmp")};
  struct {
    std::string_view text;
    std::string_view value;
    const char* why;
  } const table[] = {
      {"write=./dist", "/home/u/p/sub/dist", "relative"},
      {"write=../dist/**", "/home/u/p/dist/**", "upwards"},
      {"write=${CWD}", "/home/u/p/sub", "the directory itself"},
      {"write=../../../../..", "/", "the root"},
      {"write=${HOME}/x", "${HOME}/x", "a variable that stays"},
      {"write=**/dist", "**/dist", "everywhere"},
      {"read=./a*b", "/home/u/p/sub/a*b", "a glob"},
      {"unix=./s", "/home/u/p/sub/s", "a socket"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    const auto text = text_of(allow(row.text), here);
    REQUIRE(text.has_value());
    CHECK(text->value == row.value);
  }
  // CWD holds a set, and there is no way to write a bracket that is none.
  CHECK_FALSE(text_of(allow("write=./x"), variables()).has_value());
  CHECK(text_of(allow("write=../x"), variables())->value == "/home/u/app/x");
}
