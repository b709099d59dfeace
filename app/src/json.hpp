/// JSON on standard output, two spaces deep.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace pmg::app {

/// The exit code. What is not UTF-8 is replaced.
[[nodiscard]] int print_json(const nlohmann::ordered_json& value);

}  // namespace pmg::app
