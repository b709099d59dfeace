/// argv → Invocation.
///
///   auto invocation = parse_command_line({"--debug", "npm", "ci"});
///
/// L1: the arguments of the wrapped program arrive byte for byte. Options of pmg end at the first
/// word that is not one, or at `--`; everything behind it is never looked at.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "catalogue.hpp"
#include "invocation.hpp"

namespace pmg::app {

/// `arguments` are those after the name of the program.
[[nodiscard]] tl::expected<Invocation, UsageError> parse_command_line(
    const std::vector<std::string>& arguments);

}  // namespace pmg::app
