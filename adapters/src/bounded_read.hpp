/// Reading a file of unknown size without trusting it, and without a buffer for the largest one.
#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace pmg::adapters {

/// What `stream` has, at most `limit` bytes of it. The stream's state tells whether reading failed
/// (`bad`) and whether the end was reached (`eof`).
[[nodiscard]] std::string read_at_most(std::istream& stream, std::size_t limit);

}  // namespace pmg::adapters
