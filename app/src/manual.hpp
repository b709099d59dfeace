/// pmg(1), made from the catalogue.
#pragma once

#include <string>

namespace pmg::app {

/// In the format of man(7).
[[nodiscard]] std::string manual_page();

}  // namespace pmg::app
