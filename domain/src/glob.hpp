/// The parts of a glob, for those that read it without matching.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace pmg::domain {

/// The index of the `]` that closes the set opened at `open`. A `]` right after `[`, `[!` or `[^`
/// is a member.
[[nodiscard]] std::optional<std::size_t> close_of_set(std::string_view glob,
                                                      std::size_t open) noexcept;

}  // namespace pmg::domain
