/// Sentences about `TYPE=VALUE`, for `--sandbox-allow` and for `sandbox allow`.
#pragma once

#include <string>
#include <string_view>

#include "domain/caution.hpp"
#include "domain/overrides.hpp"

namespace pmg::app {

/// "`read=~/x` starts with `~`, …": what is wrong, and what was expected.
[[nodiscard]] std::string to_text(const domain::OverrideError& error);

/// "is a credential, …": why to think twice. Empty for Caution::none.
[[nodiscard]] std::string_view to_words(domain::Caution caution) noexcept;

}  // namespace pmg::app
