#include <atomic>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "broker/shared.hpp"

using pmg::adapters::broker::HeldWriters;

TEST_CASE("B6: an exec waits for the writers of its moment, and only for them") {
  HeldWriters writers;
  writers.wait_for_all();  // nothing is held: returns at once
  writers.slot(1).begin();
  std::atomic<bool> closed{false};
  std::thread closer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    closed = true;
    writers.slot(1).end();
  });
  writers.wait_for_all();
  CHECK(closed.load());
  closer.join();
}

TEST_CASE("B6: a writer that never ends delays an exec, and does not stop it") {
  HeldWriters writers;
  writers.slot(0).begin();
  const auto start = std::chrono::steady_clock::now();
  writers.wait_for_all();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}
