/// Running the shipped attacks, each without pmg and under it.
///
///   auto programs = find_attack_programs(own_binary());     // expected<std::string, std::string>
///   auto results = run_attacks(*programs, world, signals);
///
/// Not for: what an answer means; pure/attack.hpp says it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "doctor/pure/attack.hpp"
#include "doctor/world.hpp"
#include "platform/spawn.hpp"

namespace pmg::app {

/// `attacks` beside the binary, else `../lib/pmg/attacks`; never told by a variable. They run
/// without a sandbox, so a directory that others could write to is an error, as is none.
[[nodiscard]] tl::expected<std::string, std::string> find_attack_programs(
    const std::string& binary);

/// Nothing where this process was asked to end meanwhile. Under lockdown what needs a profile of
/// its own is skipped.
[[nodiscard]] std::optional<std::vector<AttackResult>> run_attacks(
    const std::string& programs, const World& world, const platform::HeldSignals& signals,
    adapters::Lockdown lockdown);

}  // namespace pmg::app
