/// Character devices that mean something else for the caller than for the broker.
#pragma once

#include "broker/call.hpp"

namespace pmg::adapters::broker {

/// Opens a character device that was judged already. `/dev/tty` is the caller's terminal (ENXIO
/// when it has none); a new pseudo terminal is remembered, so that the tree may open its other end.
[[nodiscard]] Result<platform::UniqueFd> open_device(const Call& call, const Object& object,
                                                     int flags);

}  // namespace pmg::adapters::broker
