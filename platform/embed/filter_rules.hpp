/// The rules of the static filter, from the lists of platform/calls.hpp. Runs while pmg is built.
#pragma once

#include <vector>

#include <linux/filter.h>

#include <tl/expected.hpp>

#include "platform/filter.hpp"
#include "platform/os_error.hpp"
#include "platform/syscalls.hpp"

namespace pmg::platform {

/// An error of libseccomp, or a call that it does not know.
[[nodiscard]] tl::expected<std::vector<sock_filter>, OsError> build_filter(Signals signals);

/// The numbers that this architecture has, sorted.
[[nodiscard]] tl::expected<std::vector<NumberedCall>, OsError> number_trapped_calls();

}  // namespace pmg::platform
