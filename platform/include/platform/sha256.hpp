/// SHA-256, by libnettle.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pmg::platform {

using Sha256 = std::array<std::uint8_t, 32>;

[[nodiscard]] Sha256 sha256(std::string_view bytes) noexcept;

}  // namespace pmg::platform
