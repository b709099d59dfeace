/// The time, as it is kept and as it is written. No time zone is looked at.
#pragma once

#include <cstdint>
#include <string>

namespace pmg::adapters {

/// Microseconds since 1970, UTC.
[[nodiscard]] std::int64_t time_now();

/// RFC 3339, in whole seconds: "2026-12-01T04:05:06Z".
[[nodiscard]] std::string time_text(std::int64_t microseconds);

/// The same for names of files, to the microsecond: "20261201T040506.000007Z". It sorts as the time
/// does.
[[nodiscard]] std::string compact_time_text(std::int64_t microseconds);

}  // namespace pmg::adapters
