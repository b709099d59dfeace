#include "domain/preset.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/decisions.hpp"
#include "domain/operation.hpp"
#include "domain/origin.hpp"
#include "domain/overrides.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/rules.hpp"

using namespace pmg::domain;
using pmg::tests::path;
using pmg::tests::rules;
using pmg::tests::texts;
using pmg::tests::variables;

namespace {

using Texts = std::vector<std::string>;

static_assert(!std::is_constructible_v<PresetPath, PatternTemplate>);
static_assert(!std::is_constructible_v<LoopbackEndpoint, HostPortPattern>);
static_assert(!std::is_constructible_v<ExactEndpoint, HostPortPattern>);
static_assert(!std::is_constructible_v<VariableName, EnvPattern>);

Origin origin() { return {Layer::preset, "tool.yml", 7}; }

Preset tool() {
  Preset preset;
  preset.name = "tool";
  preset.allow_read.push_back({*PresetPath::parse("${HOME}/.tool", PresetAccess::read), origin()});
  preset.allow_write.push_back(
      {*PresetPath::parse("${HOME}/.tool/state/**", PresetAccess::write), origin()});
  preset.allow_exec.push_back(
      {*PresetPath::parse("${HOME}/.tool/bin", PresetAccess::exec), origin()});
  preset.allow_bind.push_back({*LoopbackEndpoint::parse("localhost:5173"), origin()});
  preset.allow_env.push_back({*VariableName::parse("TOOL_KEY"), origin()});
  preset.allow_outbound.push_back({*ExactEndpoint::parse("api.tool.example:443"), origin()});
  return preset;
}

Surroundings around() {
  return {.variables = variables(),
          .canonical = [](const AbsolutePath& each) { return each; },
          .own_state = {},
          .git_directories = {},
          .hook_directories = {},
          .search_path = {}};
}

}  // namespace

TEST_CASE("PR3: a path is beneath an anchor and names nothing that is protected") {
  struct {
    std::string_view text;
    PresetAccess access;
    PresetErrc code;
    const char* why;
  } const table[] = {
      {"/etc/hosts", PresetAccess::read, PresetErrc::not_anchored, "absolute"},
      {"**/x", PresetAccess::read, PresetErrc::not_anchored, "everywhere"},
      {"x", PresetAccess::read, PresetErrc::bad_pattern, "relative"},
      {"${HOME}/../x", PresetAccess::read, PresetErrc::bad_pattern, "leaves the anchor"},
      {"${FOO}/x", PresetAccess::read, PresetErrc::bad_pattern, "no such variable"},
      {"${HOMER}/x", PresetAccess::read, PresetErrc::bad_pattern, "no such variable"},
      {"${HOME}", PresetAccess::read, PresetErrc::whole_anchor, "the home directory"},
      {"${CWD}", PresetAccess::write, PresetErrc::whole_anchor, "the project"},
      {"${HOME}/", PresetAccess::read, PresetErrc::whole_anchor, "the same with a slash"},
      {"${HOME}/**", PresetAccess::write, PresetErrc::whole_anchor, "everything in it"},
      {"${HOME}/*", PresetAccess::read, PresetErrc::whole_anchor, "every name in it"},
      {"${HOME}/**/x", PresetAccess::read, PresetErrc::whole_anchor, "any depth of it"},
      {"${HOME}/.*", PresetAccess::read, PresetErrc::whole_anchor, "every hidden name"},
      {"${HOME}/.??*/x", PresetAccess::read, PresetErrc::whole_anchor, "no name at all"},
      {"${CWD}/.env", PresetAccess::read, PresetErrc::credential, "a credential"},
      {"${CWD}/.env.local", PresetAccess::read, PresetErrc::credential, "by its glob"},
      {"${CWD}/.envrc", PresetAccess::read, PresetErrc::credential, "starts so"},
      {"${CWD}/a/.en?", PresetAccess::read, PresetErrc::credential, "a glob that means it"},
      {"${HOME}/.ssh/config", PresetAccess::read, PresetErrc::credential, "beneath one"},
      {"${HOME}/.config/gh/hosts.yml", PresetAccess::read, PresetErrc::credential, "two segments"},
      {"${HOME}/.docker/config.json", PresetAccess::write, PresetErrc::credential, "a file"},
      {"${HOME}/.npmrc", PresetAccess::read, PresetErrc::credential, "holds tokens"},
      {"${TMPDIR}/x/.aws", PresetAccess::read, PresetErrc::credential, "at any depth"},
      {"${CWD}/.git/hooks", PresetAccess::read, PresetErrc::git_internals, "hooks, to read too"},
      {"${CWD}/sub/.git/hooks/**", PresetAccess::write, PresetErrc::git_internals, "at any depth"},
      {"${CWD}/.git/modules/a/hooks", PresetAccess::write, PresetErrc::git_internals,
       "of a module"},
      {"${CWD}/.git/config", PresetAccess::write, PresetErrc::git_internals, "names programs"},
      {"${CWD}/.git/config.worktree", PresetAccess::exec, PresetErrc::git_internals, "as well"},
      {"${HOME}/.bashrc", PresetAccess::write, PresetErrc::startup_file, "runs later"},
      {"${HOME}/.claude/settings.json", PresetAccess::write, PresetErrc::startup_file, "hooks"},
      {"${CWD}/.claude/hooks/x.sh", PresetAccess::write, PresetErrc::startup_file, "beneath"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    const auto parsed = PresetPath::parse(row.text, row.access);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error() == row.code);
  }
}

TEST_CASE("PR3: paths that a tool needs") {
  struct {
    std::string_view text;
    PresetAccess access;
  } const table[] = {
      {"${CWD}/.git/**", PresetAccess::write},
      {"${CWD}/.git/config", PresetAccess::read},
      {"${CWD}/**", PresetAccess::write},
      {"${CWD}/*/dist", PresetAccess::write},
      {"${HOME}/.claude.json.tmp.*", PresetAccess::write},
      {"${HOME}/.config/tool", PresetAccess::read},
      {"${HOME}/.bashrc", PresetAccess::read},
      {"${HOME}/[a-z]*/x", PresetAccess::read},
      {"${TMPDIR}/**", PresetAccess::write},
      {"${HOME}/.codex/*.sqlite*", PresetAccess::write},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    // A set is no name by itself.
    CHECK(PresetPath::parse(row.text, row.access).has_value() == (row.text != "${HOME}/[a-z]*/x"));
  }
}

TEST_CASE("PR3: binds stay on this machine; hosts and variables are exact") {
  for (const std::string_view text : {"localhost:80", "127.0.0.1:*", "[::1]:5173"}) {
    CAPTURE(text);
    CHECK(LoopbackEndpoint::parse(text).has_value());
  }
  CHECK(LoopbackEndpoint::parse("::1:80")->text() == "[::1]:80");
  for (const std::string_view text :
       {"0.0.0.0:80", "*:80", "[::]:80", "example.com:80", "127.0.0.2:1"}) {
    CAPTURE(text);
    CHECK(LoopbackEndpoint::parse(text).error() == PresetErrc::not_loopback);
  }
  for (const std::string_view text : {"localhost", "localhost:99999", ":80", "localhost:"}) {
    CAPTURE(text);
    CHECK(LoopbackEndpoint::parse(text).error() == PresetErrc::bad_endpoint);
  }
  CHECK(ExactEndpoint::parse("api.example.com:443").has_value());
  for (const std::string_view text :
       {"*.example.com:443", "*:443", "example.com:*", "${NPM_REGISTRY}:443"}) {
    CAPTURE(text);
    CHECK(ExactEndpoint::parse(text).error() == PresetErrc::not_exact_host);
  }
  CHECK(ExactEndpoint::parse("https://example.com").error() == PresetErrc::bad_endpoint);
  CHECK(VariableName::parse("API_KEY").has_value());
  for (const std::string_view text : {"API_*", "*", "A?", "[AB]", "", "A=B", "a b", "a\\b"}) {
    CAPTURE(text);
    CHECK(VariableName::parse(text).error() == PresetErrc::not_exact_name);
  }
}

TEST_CASE("PR3: names of presets") {
  for (const std::string_view text : {"git", "a", "0", "next-js", "a--b-"}) {
    CAPTURE(text);
    CHECK(is_preset_name(text));
  }
  for (const std::string_view text : {"", "-git", "Git", "a_b", "a/b", "a.b", " a", "ä"}) {
    CAPTURE(text);
    CHECK_FALSE(is_preset_name(text));
  }
}

TEST_CASE("PR1: a preset is the union of its lists and those of the policy") {
  Policy policy;
  policy.filesystem.allow_read = rules<PatternTemplate>({"/", "${HOME}/.tool"});
  policy.filesystem.deny_read = rules<PatternTemplate>({"${HOME}/.tool/x"});
  const Policy after = with_preset(policy, tool());
  CHECK(texts(after.filesystem.allow_read) == Texts{"/", "${HOME}/.tool"});
  CHECK(after.filesystem.allow_read[1].origin.layer == Layer::profile);  // it was there first
  CHECK(texts(after.filesystem.allow_write) == Texts{"${HOME}/.tool/state/**"});
  CHECK(after.filesystem.allow_write[0].origin == origin());
  CHECK(texts(after.process.allow_exec) == Texts{"${HOME}/.tool/bin"});
  CHECK(texts(after.network.allow_bind) == Texts{"localhost:5173"});
  CHECK(texts(after.network.allow_outbound) == Texts{"api.tool.example:443"});
  CHECK(texts(after.environment.allow) == Texts{"TOOL_KEY"});
  CHECK(after.allow_network_bind == Toggle::on);
  CHECK(after.filesystem.deny_read == policy.filesystem.deny_read);
  CHECK(with_preset(after, tool()) == after);  // again changes nothing
  CHECK(with_preset(policy, Preset{}) == policy);
  CHECK(grants_nothing(Preset{}));
  CHECK_FALSE(grants_nothing(tool()));
}

TEST_CASE("PR2: a bind does not switch on what the policy switched off") {
  Policy policy;
  policy.allow_network_bind = Toggle::off;
  CHECK(with_preset(policy, tool()).allow_network_bind == Toggle::off);
}

TEST_CASE("PR2: a variable that the policy denies stays away, and is told") {
  for (const std::string_view deny : {"TOOL_KEY", "tool_key", "TOOL_*"}) {
    CAPTURE(deny);
    Policy policy;
    policy.environment.deny = rules<EnvPattern>({deny});
    CHECK(with_preset(policy, tool()).environment == policy.environment);
    CHECK(withheld_variables(policy, tool()) == Texts{"TOOL_KEY"});
  }
  CHECK(withheld_variables(Policy{}, tool()).empty());
}

TEST_CASE("PR2: a rule of a preset is no opt-out, even where it is the very path of a deny") {
  // Such a path does not parse; but `${HOME}/x` may be a symlink to it, so compiling must not care.
  Policy policy;
  policy.filesystem.allow_read = rules<PatternTemplate>({"/"});
  policy.filesystem.allow_read.push_back({*PatternTemplate::parse("${HOME}/.ssh"), origin()});
  const auto of_preset = compile(policy, around());
  policy.filesystem.allow_read.back().origin.layer = Layer::command_line;
  const auto of_operator = compile(policy, around());
  REQUIRE(of_preset.has_value());
  REQUIRE(of_operator.has_value());
  const AbsolutePath key = path("/home/u/.ssh");
  CHECK_FALSE(decide(*of_preset, Read{PathUse{PathView(key)}}).allowed());
  CHECK(decide(*of_operator, Read{PathUse{PathView(key)}}).allowed());
}

TEST_CASE("O1: an override names a preset, and one that nobody knows adds nothing") {
  const Policy after =
      with_overrides(Policy{}, {AllowPreset{"tool"}, AllowPreset{"other"}}, variables(), {tool()});
  CHECK(after == with_preset(Policy{}, tool()));
}
