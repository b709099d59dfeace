// G1 and G2: one matcher, two ways of comparing a byte.
#include "glob.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/automaton_builder.hpp"
#include "domain/pattern.hpp"

namespace pmg::domain {
namespace {

struct ExactCase {
  static unsigned char fold(char c) noexcept { return static_cast<unsigned char>(c); }
};

struct AsciiCaseless {
  static unsigned char fold(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 'A' && byte <= 'Z' ? static_cast<unsigned char>(byte + ('a' - 'A')) : byte;
  }
};

/// `set` is what stands between the brackets.
template <class Case>
bool set_has(std::string_view set, char c) noexcept {
  const bool negated = set.front() == '!' || set.front() == '^';
  const unsigned char byte = Case::fold(c);
  std::size_t at = negated ? 1 : 0;
  while (at < set.size()) {
    const unsigned char low = Case::fold(set[at]);
    unsigned char high = low;
    if (at + 2 < set.size() && set[at + 1] == '-') {
      high = Case::fold(set[at + 2]);
      at += 2;
    }
    ++at;
    if (low <= byte && byte <= high) {
      return !negated;
    }
  }
  return negated;
}

/// The end of the one-byte element of `glob` at `at` if it matches `c`; empty otherwise.
template <class Case>
std::optional<std::size_t> match_one(std::string_view glob, std::size_t at, char c) noexcept {
  if (glob[at] == '?') {
    return at + 1;
  }
  if (glob[at] == '[') {
    if (const auto close = close_of_set(glob, at)) {
      if (!set_has<Case>(glob.substr(at + 1, *close - at - 1), c)) {
        return std::nullopt;
      }
      return *close + 1;
    }
  }
  if (Case::fold(glob[at]) != Case::fold(c)) {
    return std::nullopt;
  }
  return at + 1;
}

/// Only the last `*` is ever retried: an earlier one that matched can only have matched less.
template <class Case>
bool matches(std::string_view glob, std::string_view text) noexcept {
  constexpr std::size_t kNoStar = std::string_view::npos;
  std::size_t at = 0;
  std::size_t read = 0;
  std::size_t after_star = kNoStar;
  std::size_t retry = 0;
  while (read < text.size()) {
    if (at < glob.size() && glob[at] == '*') {
      after_star = ++at;
      retry = read;
      continue;
    }
    if (at < glob.size()) {
      if (const auto next = match_one<Case>(glob, at, text[read])) {
        at = *next;
        ++read;
        continue;
      }
    }
    if (after_star == kNoStar) {
      return false;
    }
    at = after_star;
    read = ++retry;
  }
  while (at < glob.size() && glob[at] == '*') {
    ++at;
  }
  return at == glob.size();
}

}  // namespace

std::optional<std::size_t> close_of_set(std::string_view glob, std::size_t open) noexcept {
  std::size_t first = open + 1;
  if (first < glob.size() && (glob[first] == '!' || glob[first] == '^')) {
    ++first;
  }
  const std::size_t close = glob.find(']', first + 1);
  return close == std::string_view::npos ? std::nullopt : std::optional(close);
}

bool has_glob(std::string_view segment) noexcept {
  for (std::size_t at = 0; at < segment.size(); ++at) {
    const char c = segment[at];
    if (c == '*' || c == '?' || (c == '[' && close_of_set(segment, at).has_value())) {
      return true;
    }
  }
  return false;
}

GlobAffixes affixes_of(std::string_view glob) noexcept {
  GlobAffixes affixes{static_cast<std::uint32_t>(glob.size()), 0, 0};
  std::size_t end = 0;  // of the last wildcard
  for (std::size_t at = 0; at < glob.size(); ++at) {
    const auto close = glob[at] == '[' ? close_of_set(glob, at) : std::nullopt;
    if (glob[at] != '*' && glob[at] != '?' && !close) {
      continue;
    }
    if (affixes.wildcards++ == 0) {
      affixes.head = static_cast<std::uint32_t>(at);
    }
    at = close.value_or(at);
    end = at + 1;
  }
  affixes.tail = static_cast<std::uint32_t>(glob.size() - end);
  return affixes;
}

bool glob_matches(std::string_view glob, std::string_view text) noexcept {
  return matches<ExactCase>(glob, text);
}

bool glob_matches_ignoring_case(std::string_view glob, std::string_view text) noexcept {
  return matches<AsciiCaseless>(glob, text);
}

}  // namespace pmg::domain
