/// Package managers and which of their commands install something.
///
///   auto pm = parse_package_manager("npm");
///   classify(*pm, {"ci"})            // CommandKind::may_download
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pmg::domain {

enum class PackageManager : std::uint8_t {
  npm,
  pnpm,
  yarn,
  bun,
  npx,
  pnpx,
  pip,
  pip3,
  pipx,
  poetry,
  uv,
  uvx,
  go,
};

[[nodiscard]] std::optional<PackageManager> parse_package_manager(std::string_view word) noexcept;
[[nodiscard]] std::string_view name_of(PackageManager manager) noexcept;
[[nodiscard]] std::span<const PackageManager> all_package_managers() noexcept;

enum class CommandKind : std::uint8_t {
  install,       ///< names an install word
  may_download,  ///< not known to be harmless
  local,         ///< on the manager's list of commands that do not download
};

/// `arguments` are those after the manager's name.
[[nodiscard]] CommandKind classify(PackageManager manager,
                                   std::span<const std::string_view> arguments) noexcept;

}  // namespace pmg::domain
