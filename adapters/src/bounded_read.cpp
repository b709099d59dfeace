#include "bounded_read.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <istream>
#include <string>

namespace pmg::adapters {

std::string read_at_most(std::istream& stream, std::size_t limit) {
  constexpr std::size_t kChunk = 4096;
  std::array<char, kChunk> chunk{};
  std::string text;
  while (text.size() < limit && stream) {
    const std::size_t want = std::min(chunk.size(), limit - text.size());
    stream.read(chunk.data(), static_cast<std::streamsize>(want));
    text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

}  // namespace pmg::adapters
