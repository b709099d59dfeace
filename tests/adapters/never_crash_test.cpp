// Whatever the bytes: a value or an error, in bounded time, and what loads survives printing.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "adapters/git/config_file.hpp"
#include "adapters/profile/embedded_profiles.hpp"
#include "adapters/profile/parse_policy.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/origin.hpp"
#include "policies.hpp"

namespace pmg::adapters {

namespace {

/// True where the text is refused, or is the same policy after printing.
bool holds(std::string_view text) {
  const auto policy = parse_policy(text, {"fuzz", domain::Layer::profile});
  if (!policy) {
    return !to_message(policy.error()).empty();
  }
  const auto again = parse_policy(to_yaml(*policy), {"again", domain::Layer::profile});
  return again && tests::without_origins(*again) == tests::without_origins(*policy);
}

std::size_t below(std::mt19937& random, std::size_t count) { return random() % count; }

/// One small edit: a byte, a deletion, a copied piece, or a token that means something to YAML.
void mutate(std::string& text, std::mt19937& random) {
  constexpr std::array<std::string_view, 24> kTokens{
      "*", "&x ", "!t ",   "\t",  "\n",   ": ", "- ",    "\"", "'",      "[",  "]",       "{",
      "}", "#",   "---\n", "|\n", ">-\n", "? ", "%TAG ", "~",  "${CWD}", "..", "\\u0000", "\r\n"};
  const std::size_t at = below(random, text.size() + 1);
  const std::size_t length = std::min(below(random, 40), text.size() - at);
  switch (below(random, 4)) {
    case 0:
      text.insert(at, 1, static_cast<char>(random()));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(below(random, text.size() + 1), text.substr(at, length));
      break;
    default:
      text.insert(at, kTokens.at(below(random, kTokens.size())));
      break;
  }
}

}  // namespace

TEST_CASE("S1, S2: mutated profiles are refused or keep their meaning") {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same run every time
  std::size_t loaded = 0;
  const auto profiles = embedded_profiles();
  constexpr std::size_t kRounds = 1500;
  for (std::size_t round = 0; round < kRounds; ++round) {
    // The short leaves: mutations of the long bases mostly hit comments.
    std::string text(profiles[round % profiles.size()].text);
    text.resize(std::min<std::size_t>(text.size(), 1500));
    for (std::size_t edits = below(random, 4) + 1; edits > 0; --edits) {
      mutate(text, random);
    }
    if (!holds(text)) {
      FAIL("does not hold for:\n" << text);
    }
    loaded += parse_policy(text, {"fuzz", domain::Layer::profile}).has_value() ? 1U : 0U;
  }
  CHECK(loaded > kRounds / 10);  // else the mutations test nothing but errors
}

TEST_CASE("Y1: random bytes are refused") {
  std::mt19937 random(2);  // NOLINT(cert-msc51-cpp): the same run every time
  for (std::size_t round = 0; round < 5000; ++round) {
    std::string text(below(random, 60), '\0');
    constexpr std::string_view kAlphabet = "ab:-?[]{}#&*!|>'\"%@`,\\ \n\t~.\xc3\xa9";
    for (char& byte : text) {
      byte = below(random, 8) == 0 ? static_cast<char>(random())
                                   : kAlphabet[below(random, kAlphabet.size())];
    }
    static_cast<void>(parse_yaml(text));
    static_cast<void>(git_value(text, "core", "hooksPath"));
    static_cast<void>(git_includes(text));
    CHECK(holds(text));
  }
}

TEST_CASE("Y1: every beginning of a profile is refused or holds: a file may be cut off") {
  const std::string_view text = embedded_profiles().front().text;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    CAPTURE(length);
    CHECK(holds(text.substr(0, length)));
  }
}

}  // namespace pmg::adapters
