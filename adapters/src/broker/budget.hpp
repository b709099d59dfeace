/// How many descriptors the broker may keep for later, so that it never runs out of those that it
/// needs for a call.
///
///   const auto budget = Budget::of(limit - open_now);
///
/// Not for: the descriptors of a call in progress; each broker thread has a few of its own reserve.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

namespace pmg::adapters::broker {

struct Budget {
  std::size_t cached_callers;  ///< of each broker thread; two descriptors each
  std::size_t held_objects;    ///< of each kind; one descriptor each
  std::size_t blocking_calls;  ///< two descriptors and a thread each

  static constexpr std::size_t kThreads = 3;  ///< broker threads
  static constexpr std::size_t kKinds = 3;    ///< of held objects: terminals, sockets, loaders

  /// The budget of a process that may open `free` more descriptors. Nothing: too few to work.
  [[nodiscard]] static constexpr std::optional<Budget> of(std::size_t free) {
    if (free < kReserve + kLeast.descriptors()) {
      return std::nullopt;
    }
    const std::size_t room = free - kReserve;
    const auto share = [room](std::size_t least, std::size_t most) {
      return std::clamp(most * room / kMost.descriptors(), least, most);
    };
    const Budget budget{share(kLeast.cached_callers, kMost.cached_callers),
                        share(kLeast.held_objects, kMost.held_objects),
                        share(kLeast.blocking_calls, kMost.blocking_calls)};
    // Where what is raised to the least is too much together, everything is the least.
    return budget.descriptors() <= room ? budget : kLeast;
  }

  /// All of it together.
  [[nodiscard]] constexpr std::size_t descriptors() const {
    return 2 * kThreads * cached_callers + kKinds * held_objects + 2 * blocking_calls;
  }

 private:
  static const Budget kMost;
  static const Budget kLeast;
  // For calls in progress: a rename holds about eight descriptors at once.
  static constexpr std::size_t kReserve = 10 * kThreads;
};

inline constexpr Budget Budget::kMost{64, 1024, 256};
inline constexpr Budget Budget::kLeast{1, 4, 4};

}  // namespace pmg::adapters::broker
