#include "adapters/overlay/overlay.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "adapters/overlay/project.hpp"
#include "adapters/overlay/store.hpp"
#include "adapters/surroundings.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/compiled.hpp"
#include "domain/overrides.hpp"
#include "domain/path.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {

namespace {

constexpr std::string_view kHead = "schema_version: 1\nrepo_root: /p\n";

std::string with(std::string_view text) { return std::string(kHead) + std::string(text); }

domain::AbsolutePath path(std::string_view text) {
  return domain::normalise(domain::AbsolutePath::root(), text);
}

domain::Surroundings around() {
  return {.variables = {path("/home/u"), path("/p"), path("/tmp")},
          .canonical = {},
          .own_state = {path("/home/u/.config/safedep/pmg")},
          .git_directories = {},
          .hook_directories = {},
          .search_path = {}};
}

std::vector<domain::OverrideText> texts(const Overlay& overlay) {
  std::vector<domain::OverrideText> all;
  std::ranges::transform(overlay.allow, std::back_inserter(all), &SavedAllowance::text);
  return all;
}

}  // namespace

TEST_CASE("OV1: entries are checked as if they were typed") {
  struct {
    std::string text;
    LoadErrc code;
    const char* why;
  } const table[] = {
      {"allow: []\n", LoadErrc::missing_key, "no repository"},
      {with("allowed: []\n"), LoadErrc::unknown_key, "a mistyped key"},
      {"schema_version: 2\nrepo_root: /p\n", LoadErrc::wrong_type, "a later schema"},
      {with("allow: x\n"), LoadErrc::wrong_type, "no list"},
      {with("allow: [x]\n"), LoadErrc::wrong_type, "no mapping"},
      {with("allow: [{type: read}]\n"), LoadErrc::missing_key, "no value"},
      {with("allow: [{value: /x}]\n"), LoadErrc::missing_key, "no type"},
      {with("allow: [{type: read, value: /x, note: y}]\n"), LoadErrc::unknown_key, "one too many"},
      {with("allow: [{type: raed, value: /x}]\n"), LoadErrc::bad_allowance, "no such type"},
      {with("allow: [{type: exec, value: /x/*}]\n"), LoadErrc::bad_allowance, "a glob"},
      {with("allow: [{type: read, value: x}]\n"), LoadErrc::relative_allowance, "relative"},
      {with("allow: [{type: unix, value: '${CWD}/x'}]\n"), LoadErrc::relative_allowance, "too"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    const auto overlay = parse_overlay(row.text, "o.yml");
    REQUIRE_FALSE(overlay.has_value());
    CHECK(overlay.error().code == row.code);
    CHECK(to_message(overlay.error()).find("o.yml") == 0);
  }
}

TEST_CASE("OV2: what was printed reads back as the same, whatever was saved") {
  std::mt19937 random(3);  // NOLINT(cert-msc51-cpp): the same run every time
  constexpr std::array<std::string_view, 12> kPieces{"a", "/", "*", "\"",      "\\",  "\n",
                                                     "ä", ":", "#", "${HOME}", "- x", "'"};
  const auto types = domain::override_types();
  for (int round = 0; round < 3000; ++round) {
    Overlay overlay{"/p\n\"x", "now", "later", {}};
    std::string value = "/";
    for (std::size_t i = random() % 6; i > 0; --i) {
      value += kPieces.at(random() % kPieces.size());
    }
    const std::string_view type = types[random() % types.size()];
    auto rule = domain::parse_override(std::string(type) + "=" + value);
    if (!rule) {
      continue;
    }
    overlay.allow.push_back({{type, value}, *rule, {}});
    CAPTURE(value);
    const auto again = parse_overlay(to_yaml(overlay), "o.yml");
    REQUIRE(again.has_value());
    CHECK(again->repo_root == overlay.repo_root);
    CHECK(texts(*again) == texts(overlay));
  }
}

TEST_CASE("OV2: equal entries count once") {
  const auto overlay =
      parse_overlay(with("allow:\n  - {type: read, value: /x}\n  - {type: write, value: /x}\n"
                         "  - {type: read, value: /x}\n"),
                    "o.yml");
  REQUIRE(overlay.has_value());
  CHECK(overlay->allow.size() == 2);
  CHECK(overlay->rules()[1].origin == domain::Origin{domain::Layer::overlay, "o.yml", 5, 5});
}

TEST_CASE("OV3: add, load, list, remove") {
  const tests::TempDir dir;
  const OverlayStore store(dir.path("overlays"));
  const auto project = path("/p");
  CHECK(store.load(project, around()) == std::nullopt);
  CHECK(store.list().empty());
  CHECK(store.remove(project) == false);
  const std::vector<domain::OverrideText> first{{"read", "/x"}, {"env", "A"}};
  auto added = store.add(project, first, around(), "t1");
  REQUIRE(added.has_value());
  CHECK(added->entries == first);
  added = store.add(project, {{"env", "A"}, {"env", "B"}, {"env", "B"}}, around(), "t2");
  REQUIRE(added.has_value());
  CHECK(added->entries == std::vector<domain::OverrideText>{{"env", "B"}});
  const auto loaded = store.load(project, around());
  REQUIRE(loaded.has_value());
  REQUIRE(loaded->has_value());
  CHECK((*loaded)->created_at == "t1");
  CHECK((*loaded)->updated_at == "t2");
  CHECK(texts(**loaded).size() == 3);
  CHECK(store.list().size() == 1);
  // Another repository's file under this name, and one that does not load.
  dir.write("overlays/" + store.file_of(path("/q")).substr(dir.path("overlays/").size()),
            with("allow: []\n"));
  CHECK(store.load(path("/q"), around()).error().code == LoadErrc::other_repository);
  dir.write("overlays/x.yml", "[");
  CHECK(std::ranges::count_if(store.list(),
                              [](const OverlayRow& row) { return row.error.has_value(); }) == 1);
  CHECK(store.remove(project) == true);
  CHECK(store.load(project, around()) == std::nullopt);
}

TEST_CASE("OV4: a file that opens hooks or files of ours does not load, and nothing is added") {
  const tests::TempDir dir;
  const OverlayStore store(dir.path("overlays"));
  const auto project = path("/p");
  for (const std::string_view entry :
       {"{type: write, value: /p/.git/hooks/x}", "{type: read, value: '**/.git/hooks/**'}",
        "{type: write, value: '${HOME}/.config/safedep/pmg/config.yml'}"}) {
    CAPTURE(entry);
    dir.write("overlays/" + store.file_of(project).substr(dir.path("overlays/").size()),
              with("allow: [" + std::string(entry) + "]\n"));
    const auto loaded = store.load(project, around());
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().code == LoadErrc::never_allowed);
    const auto added = store.add(project, {{"env", "A"}}, around(), "t");
    REQUIRE_FALSE(added.has_value());
    CHECK(std::holds_alternative<LoadError>(added.error()));
  }
}

TEST_CASE("OV5: without a repository the working directory is the project; home is none") {
  const tests::TempDir dir;
  dir.make("home");
  dir.make("plain/sub");
  const auto find = [&dir](std::string_view where) {
    const Caller caller{{{"HOME", dir.path("home")}}, dir.at(where), 0, {}, std::nullopt};
    return project_of(caller, {dir.at("home"), dir.at(where), path("/tmp")});
  };
  CHECK(find("plain/sub") == dir.at("plain/sub"));
  CHECK(find("home").error() == WorkingDirectoryErrc::home);
  CHECK(find(".").error() == WorkingDirectoryErrc::above_home);
}

}  // namespace pmg::adapters
