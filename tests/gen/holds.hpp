/// Runs a property on many byte strings and shrinks the first that breaks it.
///
///   TEST_CASE("D2: deny is monotone") { CHECK_HOLDS(deny_is_monotone); }
///
/// A property is `bool(gen::Choices&)`. The byte strings depend on nothing but the property's name,
/// so a failure repeats; PMG_PROPERTY_RUNS in the environment asks for more of them, and
/// PMG_PROPERTY_SHRINKS for fewer tries at a smaller failure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "gen/choices.hpp"

namespace pmg::gen {

using Bytes = std::vector<std::uint8_t>;
using Property = std::function<bool(Choices&)>;

struct Failure {
  Bytes bytes;
  std::string notes;
};

/// The smallest input found that breaks the property, if any of `runs` inputs does.
[[nodiscard]] inline std::optional<Failure> find_failure(const Property& property,
                                                         std::string_view name, std::size_t runs);

/// "1f 00 a2": to be pasted into a corpus file with xxd -r -p.
[[nodiscard]] inline std::string to_hex(const Bytes& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
    text += ' ';
  }
  return text;
}

/// The number in the environment, or `otherwise`.
[[nodiscard]] inline std::size_t asked_for(const char* variable, std::size_t otherwise) {
  const char* const asked = std::getenv(variable);
  return asked == nullptr ? otherwise : static_cast<std::size_t>(std::strtoull(asked, nullptr, 10));
}

[[nodiscard]] inline std::size_t property_runs() {
  constexpr std::size_t kRuns = 300;  // compiling a policy is slow; fuzz/ goes deeper
  return asked_for("PMG_PROPERTY_RUNS", kRuns);
}

// implementation

/// splitmix64 (Steele, Lea, Flood 2014): a few lines, the same on every machine.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t operator()() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

inline bool breaks(const Property& property, const Bytes& bytes) {
  Choices choices(bytes);
  return !property(choices);
}

/// Deletes runs of bytes, longest first, then lowers single bytes, until neither helps. Bounded,
/// because a slow property must not hang a failing test.
class Shrinker {
 public:
  Shrinker(Property property, Bytes bytes)
      : property_(std::move(property)), bytes_(std::move(bytes)) {}

  [[nodiscard]] Bytes run() && {
    while (delete_runs() || lower_bytes()) {
    }
    return std::move(bytes_);
  }

 private:
  bool accept(Bytes candidate) {
    if (tries_left_ == 0) {
      return false;
    }
    --tries_left_;
    if (!breaks(property_, candidate)) {
      return false;
    }
    bytes_ = std::move(candidate);
    return true;
  }

  bool delete_runs() {
    bool progressed = false;
    // Small lengths one by one: they are those of single rules and names.
    for (std::size_t length = bytes_.size(); length > 0;
         length = length > 16 ? length / 2 : length - 1) {
      for (std::size_t at = 0; at + length <= bytes_.size();) {
        Bytes shorter = bytes_;
        const auto begin = shorter.begin() + static_cast<std::ptrdiff_t>(at);
        shorter.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
        const bool accepted = accept(std::move(shorter));
        progressed = progressed || accepted;
        at += accepted ? 0 : length;
      }
    }
    return progressed;
  }

  bool lower_bytes() {
    bool progressed = false;
    for (std::size_t at = 0; at < bytes_.size(); ++at) {
      const unsigned value = bytes_[at];
      for (const unsigned lower : {0U, value / 16U, value / 2U, value - 1U}) {
        Bytes lowered = bytes_;
        lowered[at] = static_cast<std::uint8_t>(lower);
        if (lower < value && accept(std::move(lowered))) {
          progressed = true;
          break;
        }
      }
    }
    return progressed;
  }

  Property property_;
  Bytes bytes_;
  std::size_t tries_left_ = asked_for("PMG_PROPERTY_SHRINKS", 20000);
};

inline std::optional<Failure> find_failure(const Property& property, std::string_view name,
                                           std::size_t runs) {
  std::uint64_t seed = 14695981039346656037U;  // FNV-1a
  for (const char c : name) {
    seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  SplitMix random(seed);
  for (std::size_t run = 0; run < runs; ++run) {
    constexpr std::size_t kLongest = 160;  // what the largest generator here reads
    Bytes bytes(random() % (1 + std::min(run, kLongest)));
    std::ranges::generate(bytes, [&random] { return static_cast<std::uint8_t>(random()); });
    if (breaks(property, bytes)) {
      Failure failure{Shrinker(property, std::move(bytes)).run(), {}};
      Choices choices(failure.bytes);
      choices.collect_into(failure.notes);
      (void)property(choices);
      return failure;
    }
  }
  return std::nullopt;
}

}  // namespace pmg::gen

#define CHECK_HOLDS_RUNS(property, runs)                                                 \
  do {                                                                                   \
    const auto failure_ = pmg::gen::find_failure(property, #property, runs);             \
    if (failure_) {                                                                      \
      FAIL_CHECK(#property " is broken by " << pmg::gen::to_hex(failure_->bytes) << "\n" \
                                            << failure_->notes);                         \
    }                                                                                    \
    CHECK_FALSE(failure_.has_value());                                                   \
  } while (false)
#define CHECK_HOLDS(property) CHECK_HOLDS_RUNS(property, pmg::gen::property_runs())
/// For properties that compile no policy.
#define CHECK_HOLDS_OFTEN(property) CHECK_HOLDS_RUNS(property, 100 * pmg::gen::property_runs())
