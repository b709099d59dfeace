#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "broker/shared.hpp"

namespace pmg::adapters::broker {

void HeldDescriptors::Slot::wait() const noexcept {
  constexpr std::chrono::seconds kLongest{1};
  const std::uint64_t seen = turns_.load(std::memory_order_acquire);
  if (seen % 2 == 0) {
    return;
  }
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (turns_.load(std::memory_order_acquire) == seen && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
}

void HeldDescriptors::wait_for_all() const noexcept {
  for (const Slot& slot : slots_) {
    slot.wait();
  }
}

}  // namespace pmg::adapters::broker
