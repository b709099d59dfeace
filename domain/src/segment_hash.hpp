/// The hash by which the automaton finds a segment, head or tail below one node. Not for: anything
/// that needs unpredictable values; only the rules, never a path, decide how full a chain gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pmg::domain {

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio
  hash = (hash ^ word) * kOdd;
  return hash ^ (hash >> 32U);
}

inline std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t word = 0;
  while (left >= sizeof word) {
    std::memcpy(&word, at, sizeof word);
    hash = mix(hash, word);
    at += sizeof word;
    left -= sizeof word;
  }
  if (left >= sizeof(std::uint32_t)) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, at, sizeof first);
    std::memcpy(&last, at + left - sizeof last, sizeof last);
    return mix(hash, (static_cast<std::uint64_t>(first) << 32U) | last);
  }
  if (left > 0) {
    const auto byte = [at](std::size_t i) {
      return static_cast<std::uint64_t>(static_cast<unsigned char>(at[i]));
    };
    return mix(hash, byte(0) | (byte(left / 2) << 8U) | (byte(left - 1) << 16U));
  }
  return hash;
}

inline std::uint64_t hash_below(std::uint32_t parent, std::uint64_t hash) noexcept {
  return mix(hash, parent);
}

}  // namespace pmg::domain
