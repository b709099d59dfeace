/// Whose lifecycle script an environment belongs to.
///
///   script_owner(variables)      // {"npm_package_name=bufferutil", "npm_lifecycle_event=install"}
///   // ScriptOwner{"bufferutil", "4.0.8", "install"}
///
/// npm, pnpm and yarn set these for every script that they run (docs.npmjs.com, "scripts"; yarn and
/// pnpm keep the names). SO1: no package name, no owner. The tree sets them as it likes, so this is
/// a claim; each part is cut at 256 bytes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "domain/violation.hpp"

namespace pmg::domain {

/// `variables`: NAME=value each.
[[nodiscard]] std::optional<ScriptOwner> script_owner(std::span<const std::string_view> variables);

}  // namespace pmg::domain
