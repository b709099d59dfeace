/// The help texts, made from the catalogue.
#pragma once

#include <string>
#include <string_view>

namespace pmg::app {

/// Of a command, of a group of commands, or of pmg where `words` is empty.
[[nodiscard]] std::string help_text(std::string_view words);

}  // namespace pmg::app
