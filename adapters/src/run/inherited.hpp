/// Descriptors that the caller of pmg left open for the program.
#pragma once

#include "adapters/file_rules.hpp"

namespace pmg::adapters {

/// Marks close-on-exec every inherited descriptor above 2 that gives what the policy does not: a
/// file or directory that may not be opened like that, a device. Pipes and sockets stay: a shell
/// hands them over on purpose (process substitution). The standard streams are the operator's own
/// choice.
void withhold_descriptors(const FileRules& rules);

}  // namespace pmg::adapters
