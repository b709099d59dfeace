/// The comparison must be able to fail: the broker is given another policy than the oracle asks.
///
///   const std::string failed = self_test(sites);    // empty: every wrong policy was noticed
#pragma once

#include <string>

#include "model/world.hpp"

namespace pmg::model {

[[nodiscard]] std::string self_test(const Sites& sites);

}  // namespace pmg::model
