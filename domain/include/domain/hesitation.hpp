/// Why what was refused should be allowed by a person who typed it, and not in passing.
///
///   if (hesitation_over(operation, surroundings) != Hesitation::none) …   // not suggested
///
/// For `sandbox allow --last` and the line that a coding agent acts on. Stricter than
/// domain/caution.hpp, which judges what somebody typed. HE1: nothing that is written below a
/// hidden name, a directory of programs, a repository's own files or the system is suggested, on
/// the path as used and as resolved. HE2: neither is what covers more than one file, nor a socket.
#pragma once

#include <cstdint>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"

namespace pmg::domain {

enum class Hesitation : std::uint8_t {
  none,
  everything_beneath,  ///< a directory: its rule covers all that is ever in it
  runs_later,          ///< would be written, and may run code outside the sandbox
  leads_outside,       ///< a socket of the host
};

[[nodiscard]] Hesitation hesitation_over(const Operation& operation,
                                         const Surroundings& surroundings);

}  // namespace pmg::domain
