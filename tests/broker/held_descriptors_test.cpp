#include <atomic>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "broker/shared.hpp"

using pmg::adapters::broker::HeldDescriptors;

TEST_CASE("B6: an exec waits for the descriptors of its moment, and only for them") {
  HeldDescriptors held;
  held.wait_for_all();  // nothing is held: returns at once
  held.slot(1).begin();
  std::atomic<bool> closed{false};
  std::thread closer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    closed = true;
    held.slot(1).end();
  });
  held.wait_for_all();
  CHECK(closed.load());
  closer.join();
}

TEST_CASE("B6: one that is never closed delays an exec, and does not stop it") {
  HeldDescriptors held;
  held.slot(0).begin();
  const auto start = std::chrono::steady_clock::now();
  held.wait_for_all();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}
