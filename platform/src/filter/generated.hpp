/// What platform/embed writes while pmg is built: the filters, and the numbers of this
/// architecture.
#pragma once

#include <span>

#include <linux/filter.h>

#include "platform/syscalls.hpp"

namespace pmg::platform::generated {

[[nodiscard]] std::span<const sock_filter> filter_with_scoped_signals() noexcept;
[[nodiscard]] std::span<const sock_filter> filter_with_brokered_signals() noexcept;

/// Sorted by number.
[[nodiscard]] std::span<const NumberedCall> trapped_calls() noexcept;

}  // namespace pmg::platform::generated
