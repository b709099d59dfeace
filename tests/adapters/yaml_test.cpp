#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {

using std::string_view_literals::operator""sv;

namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

struct Refused {
  std::string text;
  YamlErrc code;
  Mark mark;
  const char* why;
};

}  // namespace

TEST_CASE("Y1: what is not plainly scalars, lists and mappings is refused, with its place") {
  const Refused rows[] = {
      {"", YamlErrc::empty, {}, "nothing"},
      {"# only a comment\n\n", YamlErrc::empty, {}, "nothing but a comment"},
      {"---\n", YamlErrc::empty, {}, "a document without content"},
      {"~\n", YamlErrc::empty, {}, "null"},
      {"a: 1\n---\nb: 2\n", YamlErrc::several_documents, {2, 1}, "two documents"},
      {"a: &x 1\n", YamlErrc::anchor, {1, 4}, "an anchor on a scalar"},
      {"&x a: 1\n", YamlErrc::anchor, {1, 1}, "an anchor on a key"},
      {"a: &x [1]\n", YamlErrc::anchor, {1, 4}, "an anchor on a list"},
      {"a: &x\n", YamlErrc::anchor, {1, 4}, "an anchor on null"},
      {"a: &x {b: *x}\n", YamlErrc::anchor, {1, 4}, "a loop of anchors"},
      {"a: *x\n", YamlErrc::alias, {1, 4}, "an alias to nothing"},
      {"a:\n  - **/x\n", YamlErrc::alias, {2, 5}, "a pattern that should have been quoted"},
      {"a: [*:*]\n", YamlErrc::alias, {1, 5}, "an address that should have been quoted"},
      {"a: !foo 1\n", YamlErrc::tag, {1, 4}, "a local tag"},
      {"a: !!str 1\n", YamlErrc::tag, {1, 4}, "a global tag"},
      {"a: ! 1\n", YamlErrc::tag, {1, 4}, "the tag that yaml-cpp also gives to quotes"},
      {"é: 1\nà: ! 1\n", YamlErrc::tag, {2, 5}, "the same behind text of several bytes"},
      {"a: !!seq [1]\n", YamlErrc::tag, {1, 4}, "a tag on a list"},
      {"? [a]\n: b\n", YamlErrc::key_not_text, {1, 3}, "a list as a key"},
      {"? {a: b}\n: c\n", YamlErrc::key_not_text, {1, 3}, "a mapping as a key"},
      {"~: 1\n", YamlErrc::key_not_text, {1, 1}, "null as a key"},
      {"a: 1\nb: 2\na: 3\n", YamlErrc::duplicate_key, {3, 1}, "a key twice"},
      {"a: {b: 1, \"b\": 2}\n", YamlErrc::duplicate_key, {1, 11}, "twice, once quoted"},
      {"a:\n\t- x\n", YamlErrc::tab_indentation, {2, 1}, "a tab"},
      {"a:\n  \t- x\n", YamlErrc::tab_indentation, {2, 3}, "spaces, then a tab"},
      {std::string("a: \0b\n"sv), YamlErrc::nul_byte, {1, 4}, "a NUL byte"},
      {"a: \"\\0\"\n", YamlErrc::nul_byte, {1, 4}, "an escaped NUL"},
      {"\xff\xfe"
       "a",
       YamlErrc::not_utf8,
       {1, 1},
       "a byte-order mark of UTF-16"},
      {"a: \x80\n", YamlErrc::not_utf8, {1, 4}, "a continuation byte alone"},
      {"a: \xc0\xaf\n", YamlErrc::not_utf8, {1, 4}, "an overlong slash"},
      {"a: \xe0\x80\xaf\n", YamlErrc::not_utf8, {1, 4}, "overlong in three bytes"},
      {"a: \xed\xa0\x80\n", YamlErrc::not_utf8, {1, 4}, "a surrogate"},
      {"a: \xf4\x90\x80\x80\n", YamlErrc::not_utf8, {1, 4}, "above U+10FFFF"},
      {"a: b\xe2\x82", YamlErrc::not_utf8, {1, 5}, "cut in the middle"},
      {"a: \"b\nc: d\n", YamlErrc::syntax, {}, "an unclosed quote that would swallow a key"},
      {"a: 'it''s\nc: d\n", YamlErrc::syntax, {}, "the same with single quotes"},
      {"a: [x\n", YamlErrc::syntax, {}, "an unclosed list"},
      {"a: \"b\n", YamlErrc::syntax, {}, "an unclosed quote"},
      {"a: b: c\n", YamlErrc::syntax, {}, "two colons"},
      {"}\n", YamlErrc::syntax, {}, "a stray brace"},
  };
  for (const Refused& row : rows) {
    CAPTURE(std::string(row.why));
    CAPTURE(row.text);
    const auto tree = parse_yaml(row.text);
    REQUIRE_FALSE(tree.has_value());
    CHECK(tree.error().code == row.code);
    if (row.code != YamlErrc::syntax) {
      CHECK(tree.error().mark.line == row.mark.line);
      CHECK(tree.error().mark.column == row.mark.column);
    }
  }
}

TEST_CASE("Y2: size, depth and the number of nodes are bounded") {
  const auto code = [](const std::string& text) {
    const auto tree = parse_yaml(text);
    REQUIRE_FALSE(tree.has_value());
    return tree.error().code;
  };
  CHECK(code("a: " + repeated("x", kMaxYamlBytes)) == YamlErrc::too_large);
  CHECK(code("a: " + repeated("[", kMaxYamlDepth) + repeated("]", kMaxYamlDepth)) ==
        YamlErrc::too_deep);
  CHECK_FALSE(parse_yaml("a: " + repeated("[", 100'000)).has_value());
  CHECK_FALSE(parse_yaml("a: " + repeated("{b: ", 50'000)).has_value());
  CHECK(code(repeated("- ", 100'000)) == YamlErrc::too_deep);
  CHECK(code("a: [" + repeated("x,", kMaxYamlNodes) + "]") == YamlErrc::too_many_nodes);
  const auto deepest = repeated("[", kMaxYamlDepth - 1) + repeated("]", kMaxYamlDepth - 1);
  CHECK(parse_yaml("a: " + deepest).has_value());
}

TEST_CASE("a document is a tree with marks") {
  const auto tree = parse_yaml(
      "\xEF\xBB\xBF"
      "name: x   # why\n"
      "flags: {a: true, b: \"true\"}\n"
      "list:\n"
      "  - ${CWD}/[slug]/**\n"
      "  - '**/.env'\n"
      "empty:\n"
      "\t# a comment may be indented by a tab\n");
  REQUIRE(tree.has_value());
  CHECK(tree->kind == YamlKind::mapping);
  REQUIRE(tree->entries.size() == 4);
  CHECK(tree->entries[1].key_mark == Mark{2, 1});
  const YamlNode* list = tree->find("list");
  REQUIRE(list != nullptr);
  REQUIRE(list->items.size() == 2);
  CHECK(list->items[0].text == "${CWD}/[slug]/**");
  CHECK(list->items[0].mark == Mark{4, 5});
  CHECK(list->items[1].text == "**/.env");
  CHECK(list->items[1].style == ScalarStyle::quoted);
  CHECK(tree->find("empty")->kind == YamlKind::null);
  CHECK(tree->find("absent") == nullptr);
  CHECK(as_boolean(*tree->find("flags")->find("a")) == true);
  CHECK_FALSE(as_boolean(*tree->find("flags")->find("b")).has_value());
}

TEST_CASE("plain text over several lines is told apart from one line") {
  const auto style = [](std::string_view text) { return parse_yaml(text)->items[0].style; };
  CHECK(style("- /a\n") == ScalarStyle::plain);
  CHECK(style("- /a b  # why\n") == ScalarStyle::plain);
  CHECK(style("- /a\r\n- /b\r\n") == ScalarStyle::plain);
  CHECK(parse_yaml("x: é\r\ny: /b\r\n")->find("y")->style == ScalarStyle::plain);
  CHECK(style("- /a\n  /b\n") == ScalarStyle::folded);
  CHECK(style("- \"/a\n  /b\"\n") == ScalarStyle::quoted);
  CHECK(style("- |\n  /a\n") == ScalarStyle::quoted);
  CHECK(style("- >-\n  it's /a\n") == ScalarStyle::quoted);
}

TEST_CASE("a typing mistake has a nearest word, a different word has none") {
  const std::vector<std::string_view> words{"name", "deny_read", "deny_write", "npm", "go"};
  CHECK(nearest_of("deny_wirte", words) == "deny_write");
  CHECK(nearest_of("deny_raed", words) == "deny_read");
  CHECK(nearest_of("naem", words) == "name");
  CHECK(nearest_of("Name", words) == "name");
  CHECK(nearest_of("nope", words).empty());
  CHECK(nearest_of("filesystem", words).empty());
  CHECK(nearest_of(repeated("x", 100'000), words).empty());
}

TEST_CASE("files that cannot be read are told apart") {
  const tests::TempDir dir;
  dir.write("big.yml", repeated("x", kMaxYamlBytes + 10));
  const auto code = [](const std::string& path) { return read_text(path).error().code; };
  CHECK(code(dir.path("none.yml")) == LoadErrc::missing);
  CHECK(code(dir.root()) == LoadErrc::directory);
  dir.link("nowhere", "dangling.yml");
  CHECK(code(dir.path("dangling.yml")) == LoadErrc::missing);
  const auto big = read_text(dir.path("big.yml"));
  REQUIRE(big.has_value());
  CHECK(parse_document(*big, "big.yml").error().code == LoadErrc::bad_yaml);
  CHECK(read_text("/dev/zero")->size() == kMaxYamlBytes + 1);
}

}  // namespace pmg::adapters
