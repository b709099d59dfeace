#include "adapters/yaml/set_scalar.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "adapters/config.hpp"
#include "adapters/config/settings.hpp"
#include "adapters/yaml/yaml_node.hpp"

namespace pmg::adapters {

namespace {

using Path = std::vector<std::string>;

std::string set(std::string_view text, const Path& path, const std::string& value,
                ScalarText kind = ScalarText::literal) {
  const auto changed = set_scalar(text, path, {value, kind});
  return changed ? *changed : "error " + std::to_string(static_cast<int>(changed.error().code));
}

std::string refused(SetErrc code) { return "error " + std::to_string(static_cast<int>(code)); }

/// The lines that are comments and nothing else.
std::vector<std::string> comments(std::string_view text) {
  std::vector<std::string> found;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin != std::string::npos && line[begin] == '#') {
      found.push_back(line);
    }
  }
  return found;
}

/// "a.b=text" for every scalar, in order.
void flatten(const YamlNode& node, const std::string& prefix, std::vector<std::string>& out) {
  for (const YamlEntry& entry : node.entries) {
    flatten(entry.value, prefix + "." + entry.key, out);
  }
  for (const YamlNode& item : node.items) {
    flatten(item, prefix + "[]", out);
  }
  if (node.kind == YamlKind::scalar) {
    out.push_back(prefix + "=" + node.text);
  }
}

std::vector<std::string> without(std::string_view text, std::string_view key) {
  std::vector<std::string> all;
  if (const auto tree = parse_yaml(text)) {
    flatten(*tree, "", all);
  }
  std::erase_if(all, [key](const std::string& line) { return line.starts_with(key); });
  return all;
}

/// CE1, said again from the outside: the value is there, all others and all comments stay.
bool keeps_the_rest(std::string_view before, const Path& path, const NewScalar& value) {
  const auto after = set_scalar(before, path, value);
  if (!after) {
    return true;
  }
  std::string key;
  for (const std::string& word : path) {
    key += "." + word;
  }
  key += "=";
  const auto tree = parse_yaml(*after);
  if (!tree) {
    return false;
  }
  std::vector<std::string> all;
  flatten(*tree, "", all);
  return std::ranges::count(all, key + value.text) == 1 &&
         without(before, key) == without(*after, key) && comments(before) == comments(*after);
}

}  // namespace

TEST_CASE("CE1: a value changes where it stands") {
  struct Row {
    const char* before;
    const char* after;
    const char* why;
  };
  const Row rows[] = {
      {"s:\n  en: false\n", "s:\n  en: true\n", "plain"},
      {"s:\n  en: false   # why\n  x: 1\n", "s:\n  en: true   # why\n  x: 1\n",
       "a comment behind it"},
      {"s: {en: false, x: 1}\n", "s: {en: true, x: 1}\n", "in braces"},
      {"s: {x: [1, 2], en: 'no'}", "s: {x: [1, 2], en: true}", "quoted, no line end"},
      {"s:\n  en: \"a # b\" # c\n", "s:\n  en: true # c\n", "a hash in quotes"},
      {"s:\r\n  en: false\r\n", "s:\r\n  en: true\r\n", "line ends of Windows"},
      {"\xEF\xBB\xBFs:\n  en: false\n", "\xEF\xBB\xBFs:\n  en: true\n", "a byte order mark"},
      {"# \xC3\xA9\ns: {\"\xC3\xA9\": 1, en: false}\n",
       "# \xC3\xA9\ns: {\"\xC3\xA9\": 1, en: true}\n", "characters of two bytes"},
      {"s:\n  en:\n", "s:\n  en: true\n", "no value yet"},
      {"s:\n  en:   # none\n  x: 1\n", "s:\n  en: true   # none\n  x: 1\n", "none, and a comment"},
      {"s:\n  en: ~\n", "s:\n  en: true\n", "null"},
      {"s: {en: null, x: 1}\n", "s: {en: true, x: 1}\n", "null in braces"},
      {"s:\n  x: 1\n", "s:\n  x: 1\n  en: true\n", "a new key"},
      {"s:\n    x: 1  # y\n\n# t\nt: 2\n", "s:\n    x: 1  # y\n    en: true\n\n# t\nt: 2\n",
       "a new key, indented as its neighbours, before the comment of the next section"},
      {"s:\n  x:\n  - a\n  - b\nt: 2\n", "s:\n  x:\n  - a\n  - b\n  en: true\nt: 2\n",
       "behind a list at the indentation of its key"},
      {"s:\n  x: |\n    a\n    # b\nt: 2\n", "s:\n  x: |\n    a\n    # b\n  en: true\nt: 2\n",
       "behind text that ends with what looks like a comment"},
      {"s: {x: 1}\n", "s: {en: true, x: 1}\n", "a new key in braces"},
      {"s: {}\n", "s: {en: true}\n", "in empty braces"},
      {"s:\nt: 1\n", "s: {en: true}\nt: 1\n", "an empty section"},
      {"t: 1", "t: 1\ns:\n  en: true\n", "a new section, no line end"},
      {"t: 1\r\n", "t: 1\r\ns:\r\n  en: true\r\n", "a new section, line ends of Windows"},
      {"t: 1\r\n#\r", "t: 1\r\ns:\r\n  en: true\r\n#\r", "before the comments at the end"},
      {"#\r\n#\r", "#\r\n#\r\ns:\r\n  en: true\r\n", "half a line end (found by fuzzing)"},
      {"", "s:\n  en: true\n", "an empty file"},
      {"# only this\n", "# only this\ns:\n  en: true\n", "a file of comments"},
      {"{t: 1}\n", "{s: {en: true}, t: 1}\n", "all in braces"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    CHECK(set(row.before, {"s", "en"}, "true") == row.after);
  }
}

TEST_CASE("CE1: text is quoted where it could be taken for something else") {
  const std::vector<std::string> plain{"npm", "./a.yml", "/etc/x.yml", "npm-strict_2"};
  const std::vector<std::string> quoted{
      "true", "No", "null", "~/x", "12", "a: b", "a #b", "",     " a",       "*x",  "- a", "&a",
      "!t",   "{a", "'",    "\"",  "\\", "a\tb", "a\nb", "\x7f", "\xC3\xA9", "---", "...", ".5"};
  for (const std::string& value : plain) {
    CHECK(set("p: x\n", {"p"}, value, ScalarText::text) == "p: " + value + "\n");
  }
  for (const std::string& value : quoted) {
    CAPTURE(value);
    const std::string text = set("p: x  # c\n", {"p"}, value, ScalarText::text);
    CHECK(text.starts_with("p: \""));
    CHECK(text.ends_with("\"  # c\n"));
    const auto tree = parse_yaml(text);
    REQUIRE(tree.has_value());
    CHECK(tree->find("p")->text == value);
  }
}

TEST_CASE("CE1: what cannot be changed in place is an error") {
  struct Row {
    const char* text;
    SetErrc code;
    const char* why;
  };
  const Row rows[] = {
      {"s:\n  en: [1]\n", SetErrc::not_a_scalar, "a list"},
      {"s:\n  en: {a: 1}\n", SetErrc::not_a_scalar, "a mapping"},
      {"s: 1\n", SetErrc::not_a_mapping, "no section"},
      {"s: [en]\n", SetErrc::not_a_mapping, "a list for a section"},
      {"s:\n  en: |\n    a\n", SetErrc::not_in_place, "a block of text"},
      {"s:\n  en: >-\n    a\n", SetErrc::not_in_place, "a folded block"},
      {"s:\n  en: a\n    b\n", SetErrc::not_in_place, "two lines"},
      {"s:\n  en: \"a\n    b\"\n", SetErrc::not_in_place, "quotes over two lines"},
      {"s:\n  ? en\n", SetErrc::not_in_place, "an explicit key"},
      {"t: 1\n...\n", SetErrc::not_in_place, "behind the end of the document"},
      {"s: [\n", SetErrc::bad_yaml, "not YAML"},
      {"\xEF\xBB\xBF\xEF\xBB\xBFs: 1\n", SetErrc::not_in_place,
       "two byte order marks (found by fuzzing)"},
      {"s: &a {en: 1}\n", SetErrc::bad_yaml, "an anchor"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    CHECK(set(row.text, {"s", "en"}, "true") == refused(row.code));
  }
  CHECK(set("p: x\n", {"p"}, "\xFF", ScalarText::text) == refused(SetErrc::not_in_place));
  CHECK(set("p: x\n", {"p"}, std::string("\0", 1), ScalarText::text) ==
        refused(SetErrc::not_in_place));
}

TEST_CASE("CE1: on damaged files, all other values and all comments stay") {
  const std::array<Path, 5> paths{{{"sandbox", "enabled"},
                                   {"sandbox", "policies", "npm", "profile"},
                                   {"sandbox", "policies", "uv", "enabled"},
                                   {"sandbox", "policy_templates", "mine", "path"},
                                   {"new", "key"}}};
  const std::array<NewScalar, 4> values{{{"true", ScalarText::literal},
                                         {"x", ScalarText::text},
                                         {"a: # \"b", ScalarText::text},
                                         {"null", ScalarText::text}}};
  constexpr std::string_view kAlphabet = "ab:-?[]{}#&*!|>'\"%@`,\\ \n\n \t~.\r";
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same run every time
  const auto below = [&random](std::size_t count) { return random() % count; };
  std::size_t changed = 0;
  constexpr std::size_t kRounds = 20'000;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::string text(config_template());
    if (round % 2 == 0) {
      text =
          "# a\nsandbox: # b\n  enabled: false # c\n  policies: {npm: {profile: x}, go: }\n# d\n"
          "proxy:\n- 1\n";
    }
    text.resize(std::min<std::size_t>(text.size(), below(1200) + 1));
    for (std::size_t edits = below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size() + 1);
      if (below(2) == 0) {
        text.insert(at, 1, kAlphabet[below(kAlphabet.size())]);
      } else {
        text.erase(at, below(10));
      }
    }
    const Path& path = paths.at(below(paths.size()));
    const NewScalar& value = values.at(below(values.size()));
    if (!keeps_the_rest(text, path, value)) {
      FAIL("does not hold for:\n" << text);
    }
    changed += set_scalar(text, path, value).has_value() ? 1U : 0U;
  }
  CHECK(changed > kRounds / 4);
}

}  // namespace pmg::adapters
