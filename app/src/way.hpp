/// Which rules had a say in a decision, and what would allow what was refused, in words.
///
///   const Way way = way_of(session, Read{path});
///   way.flags                                     // {"read=./x"}, or way.why says why nothing
///   does
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/caution.hpp"
#include "domain/compiled.hpp"
#include "domain/derivation.hpp"
#include "domain/operation.hpp"
#include "domain/suggestion.hpp"
#include "session.hpp"

namespace pmg::app {

[[nodiscard]] std::string_view to_words(domain::Hopeless why) noexcept;

/// What would allow it, as flags; or why nothing does.
struct Way {
  std::vector<std::string> flags;  ///< TYPE=VALUE
  std::string why;                 ///< where there are none
  domain::Protection protection = domain::Protection::kept;
  /// The weightiest of the flags: with one it is not for a program to suggest.
  domain::Caution caution = domain::Caution::none;
};

/// "to allow it: …", whole lines.
[[nodiscard]] std::string to_text(const Way& way);

[[nodiscard]] std::string_view to_word(domain::Weight weight) noexcept;
/// Every rule that was considered, a line each.
[[nodiscard]] std::string rules_text(const domain::CompiledPolicy& policy,
                                     const domain::Derivation& derivation);

[[nodiscard]] Way way_of(const Session& session, const domain::Operation& operation);

}  // namespace pmg::app
