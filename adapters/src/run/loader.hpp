/// The program that the kernel starts for a dynamic executable (PT_INTERP, elf(5)).
#pragma once

#include <optional>

#include "domain/path.hpp"

namespace pmg::adapters {

/// The dynamic loader named by an ELF file, as it is written there; empty for a static program, a
/// script and anything that cannot be read.
[[nodiscard]] std::optional<domain::AbsolutePath> loader_of(const domain::AbsolutePath& program);

}  // namespace pmg::adapters
