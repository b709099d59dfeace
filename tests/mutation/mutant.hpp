/// What the rewritten conditions call (schemata.py).
///
///   mutant::flip(17, a < b)        // a < b, and its opposite where mutant 17 is chosen
///
/// PMG_MUTANT in the environment names the mutant that runs, PMG_MUTANT_TRACE a file that gets the
/// numbers of all that were come across. The compiler's own evaluations never change.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

#pragma GCC diagnostic ignored "-Wtype-limits"  // `size > 0` as `size >= 0`

namespace mutant {

constexpr int kMost = 1 << 14;  // schemata.py refuses more
inline bool reached[kMost + 1];

inline void write_trace() {
  std::FILE* const file = std::fopen(std::getenv("PMG_MUTANT_TRACE"), "w");
  for (int id = 1; file != nullptr && id <= kMost; ++id) {
    if (reached[id]) {
      std::fprintf(file, "%d\n", id);
    }
  }
  if (file == nullptr || std::fclose(file) != 0) {
    std::abort();
  }
}

inline int read_chosen() {
  if (std::getenv("PMG_MUTANT_TRACE") != nullptr) {
    std::atexit(write_trace);
  }
  const char* const text = std::getenv("PMG_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}

inline int chosen() {
  static const int value = read_chosen();
  return value;
}

constexpr bool is(int id) noexcept {
  if (std::is_constant_evaluated()) {
    return false;
  }
  reached[id] = true;
  return chosen() == id;
}

template <class T>
constexpr bool flip(int id, const T& condition) noexcept {
  return static_cast<bool>(condition) != is(id);
}

/// `value`, or one that converts to false.
template <class T>
constexpr std::remove_cvref_t<T> none(int id, T&& value) noexcept {
  return is(id) ? std::remove_cvref_t<T>{} : std::forward<T>(value);
}

}  // namespace mutant
