/// Options and arguments of one command, read by CLI11 into what the command declared.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "catalogue.hpp"
#include "options.hpp"

namespace pmg::app {

enum class Help { not_asked, asked };

/// All of `words`. `--help` and `-h` are known everywhere; where they are given, nothing that is
/// missing is an error. `command` is for messages.
[[nodiscard]] tl::expected<Help, UsageError> read_options(const Options& options, Words words,
                                                          std::string_view command);

/// The number of leading words that are options with their values: up to the first other word or
/// `--`. L1: what follows is never looked at.
[[nodiscard]] std::size_t count_options(const Options& options, Words words);

}  // namespace pmg::app
