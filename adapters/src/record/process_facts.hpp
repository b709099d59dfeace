/// Who was refused something, as procfs tells it at that moment.
#pragma once

#include <cstdint>

#include "domain/redaction.hpp"
#include "domain/violation.hpp"

namespace pmg::adapters {

/// What cannot be read is empty: the process may have ended. `thread`: of the caller, which waits
/// for its answer, so that the number means no other.
[[nodiscard]] domain::ProcessFacts process_facts(std::int32_t thread,
                                                 const domain::Redaction& redaction);

}  // namespace pmg::adapters
