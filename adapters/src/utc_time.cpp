#include "adapters/utc_time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>

namespace pmg::adapters {
namespace {

constexpr std::int64_t kPerSecond = 1'000'000;

std::string formatted(std::int64_t microseconds, const char* format) {
  const std::time_t time = microseconds / kPerSecond;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), format, &parts);
  return {text.data(), size};
}

}  // namespace

std::int64_t time_now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string time_text(std::int64_t microseconds) {
  return formatted(microseconds, "%Y-%m-%dT%H:%M:%SZ");
}

std::string compact_time_text(std::int64_t microseconds) {
  const std::string fraction = std::to_string(kPerSecond + microseconds % kPerSecond);
  return formatted(microseconds, "%Y%m%dT%H%M%S.") + fraction.substr(1) + "Z";
}

}  // namespace pmg::adapters
