/// Short spellings of rules for the tables of this folder.
///
///   policy.filesystem.deny_read = rules<PatternTemplate>({"${CWD}/a", "/b"});
///
/// Not for: text that may be malformed; a bad literal fails the test at once.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/origin.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::tests {

inline domain::AbsolutePath path(std::string_view text) {
  auto parsed = domain::AbsolutePath::parse(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

template <class T>
T parsed(std::string_view text) {
  auto value = T::parse(text);
  REQUIRE(value.has_value());
  return *value;
}

template <class T>
std::vector<domain::Sourced<T>> rules(std::initializer_list<std::string_view> texts,
                                      domain::Layer layer = domain::Layer::profile) {
  std::vector<domain::Sourced<T>> list;
  std::uint32_t line = 0;
  for (const std::string_view text : texts) {
    list.push_back({parsed<T>(text), domain::Origin{layer, "p.yml", ++line}});
  }
  return list;
}

template <class T>
std::vector<std::string> texts(const std::vector<domain::Sourced<T>>& list) {
  std::vector<std::string> all;
  for (const auto& entry : list) {
    all.push_back(entry.value.text());
  }
  return all;
}

/// HOME and CWD hold bytes that would be special in a pattern, on purpose.
inline domain::Variables variables() {
  return {path("/home/u"), path("/home/u/app/[slug]"), path("/tmp")};
}

}  // namespace pmg::tests
