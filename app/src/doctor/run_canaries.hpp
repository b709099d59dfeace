/// Trying the canaries, each in a run of this very binary.
///
///   const HeldSignals signals;                  // outlives the world
///   auto results = run_canaries(world, signals);
///
/// Not for: what an outcome means; canary.hpp says it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/config.hpp"
#include "doctor/pure/report.hpp"
#include "doctor/world.hpp"
#include "platform/spawn.hpp"

namespace pmg::app {

/// Nothing where this process was asked to end meanwhile. Under lockdown no flag may choose a
/// profile, so `exec` holds, and the world must not be in a temporary directory.
[[nodiscard]] std::optional<std::vector<ProbeResult>> run_canaries(
    const World& world, const platform::HeldSignals& signals, adapters::Lockdown lockdown);

/// The file of this binary; "/proc/self/exe" where its name is not known.
[[nodiscard]] std::string own_binary();

/// "exit code 1", "no end within 20 s"; empty for success.
[[nodiscard]] std::string to_text(const platform::Ended& end);

}  // namespace pmg::app
