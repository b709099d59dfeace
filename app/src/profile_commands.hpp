/// `pmg sandbox profile list` and `profile show`.
#pragma once

#include "adapters/profile/registry.hpp"
#include "invocation.hpp"

namespace pmg::app {

/// Both return the exit code.
[[nodiscard]] int list_profiles(const adapters::ProfileRegistry& registry,
                                const ListProfiles& options);
[[nodiscard]] int show_profile(const adapters::ProfileRegistry& registry,
                               const ShowProfile& options);

}  // namespace pmg::app
