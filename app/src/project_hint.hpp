/// Why a manager may have failed in a folder of a project.
///
///   if (auto hint = project_hint(session, PackageManager::npm)) complain(*hint);
///
/// Managers walk up to the nearest project, and the policy allows writing below the working
/// directory. What they then report is a refused write far from here.
#pragma once

#include <optional>
#include <string>

#include "domain/package_manager.hpp"
#include "session.hpp"

namespace pmg::app {

/// A sentence with the way out, where the manager would write above the working directory and may
/// not.
[[nodiscard]] std::optional<std::string> project_hint(const Session& session,
                                                      domain::PackageManager manager);

}  // namespace pmg::app
