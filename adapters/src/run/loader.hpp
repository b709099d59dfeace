/// The program that the kernel starts for a dynamic executable (PT_INTERP, elf(5)).
#pragma once

#include <optional>
#include <string>

#include "domain/path.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters {

/// The dynamic loader named by an ELF file, as it is written there; empty for a static program, a
/// script and anything that cannot be read.
[[nodiscard]] std::optional<domain::AbsolutePath> loader_of(const domain::AbsolutePath& program);

/// The same of an open file, which is not waited for. The text may be a relative path: the kernel
/// takes it from the working directory of whoever executes the file.
[[nodiscard]] std::optional<std::string> loader_named_in(const platform::UniqueFd& program);

}  // namespace pmg::adapters
