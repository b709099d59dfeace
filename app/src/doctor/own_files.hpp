/// Whether pmg's own files load.
///
///   auto results = check_configuration(context);
///
/// Not for: whether what they say is wise; `profile lint` tells that.
#pragma once

#include <vector>

#include "doctor/pure/report.hpp"
#include "session.hpp"

namespace pmg::app {

/// The configuration, and every profile of the user.
[[nodiscard]] std::vector<ProbeResult> check_configuration(const Context& context);

}  // namespace pmg::app
