/// Tables for people.
///
///   print(table({{"NAME", "SOURCE"}, {"npm", "builtin"}}))
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pmg::app {

/// Columns as wide as their widest cell, and two spaces. The cells are printed as they are: make
/// them `visible` first.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

/// At most `length` bytes, cut between characters.
[[nodiscard]] std::string shortened(std::string text, std::size_t length);

/// "a, b"
[[nodiscard]] std::string joined(const std::vector<std::string>& words);

}  // namespace pmg::app
