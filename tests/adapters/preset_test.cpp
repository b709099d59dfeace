#include "domain/preset.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "adapters/preset/embedded_presets.hpp"
#include "adapters/preset/parse_preset.hpp"
#include "adapters/preset/registry.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/origin.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {

namespace {

constexpr std::string_view kHead = "kind: preset\nname: tool\n";
constexpr std::string_view kBody = "filesystem:\n  allow_read:\n    - ${HOME}/.tool\n";

std::string with(std::string_view text) { return std::string(kHead) + std::string(text); }

tl::expected<domain::Preset, LoadError> parse(const std::string& text,
                                              PresetSource source = PresetSource::user) {
  return parse_preset(text, {"tool.yml", source});
}

}  // namespace

TEST_CASE("PS1: a preset with everything") {
  const auto preset = parse(
      "schema_version: 1\nkind: preset\nname: tool\ndescription: mine\n"
      "metadata:\n  author: me\n  labels: [a, b]\nthreats:\n  - it may\n"
      "filesystem:\n  allow_read: ['${HOME}/.tool']\n  allow_write: ['${CWD}/out/**']\n"
      "process:\n  allow_exec: ['${HOME}/.tool/bin']\n"
      "network:\n  allow_bind: ['localhost:80', '::1:80']\nenvironment:\n  allow: [TOOL]\n");
  REQUIRE(preset.has_value());
  CHECK(preset->name == "tool");
  CHECK(preset->author == "me");
  CHECK(preset->labels == std::vector<std::string>{"a", "b"});
  CHECK(preset->threats == std::vector<std::string>{"it may"});
  REQUIRE(preset->allow_read.size() == 1);
  CHECK(preset->allow_read[0].origin == domain::Origin{domain::Layer::preset, "tool.yml", 11, 16});
  CHECK(preset->allow_bind.size() == 2);
  CHECK(preset->allow_env.size() == 1);
}

TEST_CASE("PS1: what is wrong is named with its place") {
  struct {
    std::string text;
    LoadErrc code;
    std::uint32_t line;
    const char* why;
  } const table[] = {
      {"name: tool\n" + std::string(kBody), LoadErrc::missing_key, 1, "no kind"},
      {"kind: profile\nname: tool\n" + std::string(kBody), LoadErrc::wrong_type, 1, "another kind"},
      {"kind: preset\n" + std::string(kBody), LoadErrc::missing_key, 1, "no name"},
      {"kind: preset\nname: Tool\n" + std::string(kBody), LoadErrc::wrong_type, 2, "a bad name"},
      {with("schema_version: 2\n" + std::string(kBody)), LoadErrc::wrong_type, 3, "a later schema"},
      {with("inherits: npm\n" + std::string(kBody)), LoadErrc::unknown_key, 3, "of profiles"},
      {with("filesystem:\n  deny_write: [/x]\n"), LoadErrc::unknown_key, 4, "a deny"},
      {with("filesystem:\n  allow_read: [/etc]\n"), LoadErrc::bad_preset_entry, 4, "no anchor"},
      {with("filesystem:\n  allow_read: x\n"), LoadErrc::wrong_type, 4, "no list"},
      {with("network:\n  allow_bind: ['*:1']\n"), LoadErrc::bad_preset_entry, 4, "every address"},
      {with("environment:\n  allow: ['*']\n"), LoadErrc::bad_preset_entry, 4, "every variable"},
      {with("environment:\n  deny: [X]\n"), LoadErrc::unknown_key, 4, "a deny"},
      {with("metadata:\n  version: 1\n"), LoadErrc::unknown_key, 4, "no such key"},
      {with("description: nothing\n"), LoadErrc::preset_gives_nothing, 0, "gives nothing"},
      {"[]", LoadErrc::wrong_type, 1, "no mapping"},
      {"", LoadErrc::bad_yaml, 0, "empty"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    const auto preset = parse(row.text);
    REQUIRE_FALSE(preset.has_value());
    CHECK(preset.error().code == row.code);
    CHECK(preset.error().mark.line == row.line);
    CHECK(to_message(preset.error()).find("tool.yml") == 0);
  }
}

TEST_CASE("PS2: only a built-in preset names hosts") {
  const std::string text = with("network:\n  allow_outbound: ['api.example.com:443']\n");
  CHECK(parse(text).error().code == LoadErrc::unknown_key);
  REQUIRE(parse(text, PresetSource::built_in).has_value());
  CHECK(parse(text, PresetSource::built_in)->allow_outbound.size() == 1);
  CHECK_FALSE(
      parse(with("network:\n  allow_outbound: ['*.example.com:443']\n"), PresetSource::built_in)
          .has_value());
}

TEST_CASE("PS3: built-in presets load and say what they cost") {
  const PresetRegistry registry("");
  CHECK(embedded_presets().size() == 10);
  for (const EmbeddedPreset& embedded : embedded_presets()) {
    CAPTURE(embedded.name);
    const auto loaded = registry.load(embedded.name);
    REQUIRE(loaded.has_value());
    CHECK(loaded->preset.name == embedded.name);
    CHECK(loaded->text == embedded.text);
    CHECK_FALSE(loaded->preset.threats.empty());
    const auto& labels = loaded->preset.labels;
    const bool is_agent = std::ranges::find(labels, "agent") != labels.end();
    CHECK(loaded->preset.allow_outbound.empty() != is_agent);
  }
}

TEST_CASE("PS3: the first of a name is used; what does not load hides nothing") {
  const tests::TempDir dir;
  dir.write("a.yml", with(kBody));
  dir.write("b.yaml", with("environment:\n  allow: [LATER]\n"));
  dir.write("git.yml", "kind: preset\nname: git\nenvironment:\n  allow: [MINE]\n");
  dir.write("bad.yml", "kind: preset\n");
  dir.write(".draft-1-a.yml", "kind: preset\n");
  dir.write("other.txt", "x");
  const PresetRegistry registry(dir.root());
  CHECK(registry.load("tool")->path == dir.path("a.yml"));
  CHECK(registry.load("git")->source == PresetSource::built_in);
  CHECK(registry.load("bad").error().code == LoadErrc::missing_key);
  CHECK(registry.load("toll").error().nearest == "tool");
  CHECK(registry.load("vitte").error().nearest == "vite");
  std::vector<std::pair<std::string, bool>> rows;
  for (const PresetRow& row : registry.list()) {
    if (row.source == PresetSource::user) {
      rows.emplace_back(row.preset.name, row.use == PresetUse::shadowed);
      CHECK(row.error.has_value() == (row.preset.name == "bad"));
    }
  }
  const std::vector<std::pair<std::string, bool>> expected{
      {"tool", false}, {"tool", true}, {"bad", false}, {"git", true}};
  CHECK(rows == expected);
}

TEST_CASE("PS3: a profile gets its presets, and an unknown one is an error with its line") {
  const tests::TempDir dir;
  dir.write("presets/tool.yml", with("environment:\n  allow: [TOOL]\n"));
  dir.write("profiles/p.yml", "name: p\npackage_managers: [npm]\npresets:\n  - tool\n");
  dir.write("profiles/q.yml", "name: q\npackage_managers: [npm]\npresets:\n  - tool\n  - toool\n");
  const ProfileRegistry registry(dir.path("profiles"), PresetRegistry(dir.path("presets")));
  const auto policy = registry.resolve("p");
  REQUIRE(policy.has_value());  // nothing but the preset grants something
  REQUIRE(policy->environment.allow.size() == 1);
  CHECK(policy->environment.allow[0].origin.layer == domain::Layer::preset);
  const auto unknown = registry.resolve("q");
  REQUIRE_FALSE(unknown.has_value());
  CHECK(to_message(unknown.error()) ==
        dir.path("profiles/q.yml") + ":5: no preset is called `toool`; did you mean `tool`?");
}

}  // namespace pmg::adapters
