#include "broker/budget.hpp"

#include <cstddef>

#include <doctest/doctest.h>

using pmg::adapters::broker::Budget;

TEST_CASE("B11: what is kept for later leaves room for calls, whatever the limit") {
  constexpr std::size_t kForCalls = 30;
  constexpr std::size_t kUsual = 1 << 20;
  std::size_t least = 0;
  for (std::size_t free = 0; free < 5000; ++free) {
    CAPTURE(free);
    const auto budget = Budget::of(free);
    if (!budget) {
      CHECK(least == 0);  // from one limit on there is always enough
      continue;
    }
    least = least == 0 ? free : least;
    REQUIRE(budget->descriptors() + kForCalls <= free);
    REQUIRE(budget->cached_callers > 0);
    REQUIRE(budget->held_objects > 0);
    REQUIRE(budget->blocking_calls > 0);
  }
  CHECK(least < 64);
  const auto usual = Budget::of(kUsual);
  REQUIRE(usual.has_value());
  CHECK(usual->cached_callers == 64);
  CHECK(usual->held_objects == 1024);
  CHECK(usual->blocking_calls == 256);
}
