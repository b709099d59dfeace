/// Where the kernel's answer inside the sandbox may differ from the model's, and why.
///
///   if (const auto difference = explain(tree, policy, {op, wanted, inside, outside})) { … }
///
/// Every entry is a row of "Differences between model and kernel" in docs/ENFORCEMENT.md, with the
/// same id. A difference that no entry explains is a failure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/compiled.hpp"
#include "model/oracle.hpp"
#include "model/tree.hpp"
#include "model/wire.hpp"

namespace pmg::model {

enum class Difference : std::uint8_t { k1, k2, k3, k4, k5 };

inline constexpr std::array<std::string_view, 5> kDifferenceIds{"K1", "K2", "K3", "K4", "K5"};

/// An operation that ended differently inside and outside, and was not denied by the model.
struct Ended {
  Op op;
  const Prediction& wanted;
  int inside;   ///< errno
  int outside;  ///< errno
};

/// K2 is not among them: `open` with O_PATH ends in the same way.
[[nodiscard]] std::optional<Difference> explain(const Tree& tree,
                                                const domain::CompiledPolicy& policy,
                                                const Ended& ended);

}  // namespace pmg::model
