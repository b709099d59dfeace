/// The names of the machine's unix sockets, looked up at most once a second.
///
/// Reading them takes milliseconds where there are a thousand, and some programs rename directories
/// all the time. A socket that is younger than the list is missed, which gives a program no more
/// than it has: it can move a directory away before somebody binds a socket there.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"

namespace pmg::adapters::broker {

class BoundNames {
 public:
  /// Those beneath a directory, as they were spelled. An error where they cannot be read now.
  [[nodiscard]] tl::expected<std::vector<std::string>, platform::Errno> beneath(
      std::string_view directory);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kAge{1};
  std::mutex mutex_;
  std::vector<std::string> names_;
  std::optional<Clock::time_point> read_;
};

}  // namespace pmg::adapters::broker
