/// Every text of a small alphabet, for tests that try them all.
///
///   words("ab", 2)        // "", "a", "b", "aa", "ab", "ba", "bb"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pmg::tests {

inline std::vector<std::string> words(std::string_view alphabet, std::size_t longest) {
  std::vector<std::string> all{""};
  for (std::size_t begin = 0, length = 0; length < longest; ++length) {
    const std::size_t end = all.size();
    for (; begin < end; ++begin) {
      for (const char c : alphabet) {
        all.push_back(all[begin] + c);
      }
    }
  }
  return all;
}

}  // namespace pmg::tests
