/// Which rules grant more than anybody means. Used by lint_paths.cpp alone.
#pragma once

#include <cstdint>
#include <optional>

#include "domain/lint.hpp"
#include "domain/path_set.hpp"
#include "domain/policy_field.hpp"

namespace pmg::domain {

/// Whether the policy denies reading something in the home directory, beyond what every policy
/// denies.
enum class HomeReads : std::uint8_t { open, partly_denied };

/// Why the rule is too broad; empty where it is not. A rule that reads everything is broad only
/// where nothing at home is denied.
[[nodiscard]] std::optional<LintCode> breadth_of(PolicyField field, const PathSet& reach,
                                                 HomeReads home);

}  // namespace pmg::domain
