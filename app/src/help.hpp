/// The help texts.
#pragma once

#include <string_view>

#include "invocation.hpp"

namespace pmg::app {

[[nodiscard]] std::string_view help_text(HelpTopic topic) noexcept;

}  // namespace pmg::app
