#include "adapters/yaml/compact_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "adapters/profile/embedded_profiles.hpp"
#include "adapters/yaml/yaml_node.hpp"

namespace pmg::adapters {

namespace {

using std::string_view_literals::operator""sv;

bool same(const YamlNode& one, const YamlNode& other);

bool same_entry(const YamlEntry& one, const YamlEntry& other) {
  return one.key == other.key && one.key_mark == other.key_mark && same(one.value, other.value);
}

bool same(const YamlNode& one, const YamlNode& other) {
  return one.kind == other.kind && one.style == other.style && one.mark == other.mark &&
         one.text == other.text && std::ranges::equal(one.items, other.items, same) &&
         std::ranges::equal(one.entries, other.entries, same_entry);
}

bool survives(const YamlNode& tree) {
  const auto again = from_compact(to_compact(tree));
  return again && same(tree, *again);
}

std::size_t below(std::mt19937& random, std::size_t count) { return random() % count; }

/// Small numbers mostly, and those where the encoding changes its length.
std::uint32_t number(std::mt19937& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  return bits >> below(random, 32);
}

std::string text(std::mt19937& random) {
  std::string out(below(random, 8) == 0 ? below(random, 300) : below(random, 6), '\0');
  std::ranges::generate(out, [&random] { return static_cast<char>(random()); });
  return out;
}

YamlNode tree(std::mt19937& random, std::size_t levels) {
  YamlNode node;
  node.kind = static_cast<YamlKind>(below(random, levels == 0 ? 2 : 4));
  node.style = static_cast<ScalarStyle>(below(random, 3));
  node.mark = {number(random), number(random)};
  if (node.kind == YamlKind::scalar) {
    node.text = text(random);
  }
  for (std::size_t i = below(random, 5); i > 0 && node.kind == YamlKind::sequence; --i) {
    node.items.push_back(tree(random, levels - 1));
  }
  for (std::size_t i = below(random, 5); i > 0 && node.kind == YamlKind::mapping; --i) {
    const Mark mark{number(random), number(random)};
    // Distinct, as parse_yaml has them.
    node.entries.push_back({std::to_string(i) + text(random), mark, tree(random, levels - 1)});
  }
  return node;
}

YamlNode nested(std::size_t levels) {
  YamlNode node;
  for (; levels > 0; --levels) {
    YamlNode outer;
    outer.kind = YamlKind::sequence;
    outer.items.push_back(std::move(node));
    node = std::move(outer);
  }
  return node;
}

}  // namespace

TEST_CASE("a built-in profile's tree is that of its text") {
  for (const EmbeddedProfile& profile : embedded_profiles()) {
    CAPTURE(std::string(profile.name));
    const auto parsed = parse_yaml(profile.text);
    const auto embedded = from_compact(profile.tree);
    REQUIRE(parsed.has_value());
    REQUIRE(embedded.has_value());
    CHECK(same(*parsed, *embedded));
    CHECK(to_compact(*parsed) == profile.tree);
  }
}

TEST_CASE("a tree survives as bytes, whatever it holds") {
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): always the same
  for (std::size_t round = 0; round < 3000; ++round) {
    CAPTURE(round);
    CHECK(survives(tree(random, below(random, 5))));
  }
}

TEST_CASE("Y2: a tree of bytes is as bounded as one of text") {
  CHECK(survives(nested(kMaxYamlDepth)));
  const auto deep = from_compact(to_compact(nested(kMaxYamlDepth + 1)));
  REQUIRE_FALSE(deep.has_value());
  CHECK(deep.error().code == CompactErrc::too_deep);

  YamlNode wide;
  wide.kind = YamlKind::sequence;
  wide.items.resize(kMaxYamlNodes - 1);
  CHECK(survives(wide));
  wide.items.emplace_back();
  const auto many = from_compact(to_compact(wide));
  REQUIRE_FALSE(many.has_value());
  CHECK(many.error().code == CompactErrc::too_many);
}

TEST_CASE("bytes that are no tree are refused") {
  struct Row {
    std::string_view bytes;
    CompactErrc code;
    const char* why;
  };
  const Row rows[] = {
      {""sv, CompactErrc::cut_off, "nothing"},
      {"\0\0\1"sv, CompactErrc::cut_off, "no column"},
      {"\4\0\1\1"sv, CompactErrc::bad_kind, "a kind that is none"},
      {"\0\3\1\1"sv, CompactErrc::bad_kind, "a style that is none"},
      {"\0\0\1\1\0"sv, CompactErrc::trailing, "a byte too many"},
      {"\1\0\1\1\2a"sv, CompactErrc::cut_off, "text that ends early"},
      {"\1\0\1\1\xff\xff\xff\xff\x0f"sv, CompactErrc::cut_off, "text of 4 GiB"},
      {"\0\0\xff\xff\xff\xff\x1f\1"sv, CompactErrc::bad_number, "a line of 33 bits"},
      {"\0\0\x80\x80\x80\x80\x80\x80\1"sv, CompactErrc::bad_number, "a number without an end"},
      {"\2\0\1\1\xff\xff\xff\xff\x0f"sv, CompactErrc::cut_off, "a list of 4 billion"},
      {"\3\0\1\1\2\1a\1\1\0\0\1\1\1a\1\1\0\0\1\1"sv, CompactErrc::duplicate_key, "one key twice"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    const auto read = from_compact(row.bytes);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == row.code);
    CHECK(read.error().offset <= row.bytes.size());
  }
}

TEST_CASE("bytes that were cut off are refused") {
  for (const EmbeddedProfile& profile : embedded_profiles()) {
    for (std::size_t size = 0; size < profile.tree.size(); ++size) {
      if (from_compact(profile.tree.substr(0, size)).has_value()) {
        FAIL("the first ", size, " bytes of ", std::string(profile.name));
      }
    }
  }
}

TEST_CASE("bytes that were changed are refused, or a tree that survives") {
  std::mt19937 random(2);  // NOLINT(cert-msc32-c,cert-msc51-cpp): always the same
  const auto profiles = embedded_profiles();
  std::size_t refused = 0;
  for (std::size_t round = 0; round < 4000; ++round) {
    std::string bytes(profiles[round % profiles.size()].tree);
    for (std::size_t edits = below(random, 3) + 1; edits > 0; --edits) {
      bytes[below(random, bytes.size())] = static_cast<char>(random());
    }
    const auto read = from_compact(bytes);
    refused += read ? 0U : 1U;
    if (read && !survives(*read)) {
      FAIL("does not survive in round ", round);
    }
  }
  CHECK(refused > 100);  // else the changes hit nothing but text
  for (std::size_t round = 0; round < 20'000; ++round) {
    std::string bytes(below(random, 40), '\0');
    std::ranges::generate(bytes,
                          [&random] { return static_cast<char>(random() >> below(random, 32)); });
    const auto read = from_compact(bytes);
    if (read && !survives(*read)) {
      FAIL("does not survive in round ", round);
    }
  }
}

}  // namespace pmg::adapters
