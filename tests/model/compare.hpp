/// One world, inside the sandbox and in the model.
///
///   Tally tally{};
///   const auto finding = compare(world, world.policy, sites, tally);
///   if (finding) { std::puts(finding->text.c_str()); }
///
/// How it works: whatever the model denies must be refused and change nothing, so all of that is
/// asked in one go. Whatever it allows is tried outside and inside, undone after each, and must
/// have ended in the same way with the same effect.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "domain/policy.hpp"
#include "model/differences.hpp"
#include "model/wire.hpp"
#include "model/world.hpp"

namespace pmg::model {

enum class Outcome : std::uint8_t {
  allowed,  ///< model and kernel allow
  denied,   ///< model and kernel deny
  failed,   ///< the plain kernel's own error: decides nothing
  excused,  ///< a difference with an id
};
inline constexpr std::size_t kOutcomes = 4;

/// Counts, in memory that processes may share.
struct Tally {
  using Count = std::atomic<std::uint64_t>;
  std::array<std::array<Count, kOutcomes>, kTestedOps> outcomes;
  std::array<Count, kDifferenceIds.size()> differences;
  Count worlds;
  Count not_run;  ///< worlds whose rules deny the probe itself

  /// What model and kernel both decided, or differ about with an id.
  [[nodiscard]] std::uint64_t decisions() const;
  [[nodiscard]] std::string table() const;
};

struct Finding {
  enum class Sort : std::uint8_t {
    weaker,    ///< the kernel allows what the model denies
    stricter,  ///< the kernel denies what the model allows
    other,     ///< another error, another effect, a trace left behind, a world that does not run
  } sort;
  std::string text;
};

/// `enforced` is what the broker is given; the oracle asks the world's own policy.
[[nodiscard]] std::optional<Finding> compare(const World& world, const domain::Policy& enforced,
                                             const Sites& sites, Tally& tally);

}  // namespace pmg::model
