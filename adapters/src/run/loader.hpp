/// The program that the kernel starts for a dynamic executable (PT_INTERP, elf(5)).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "domain/path.hpp"
#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters {

/// The dynamic loader named by an ELF file, as it is written there; empty for a static program, a
/// script and anything that cannot be read.
[[nodiscard]] std::optional<domain::AbsolutePath> loader_of(const domain::AbsolutePath& program);

/// What the kernel may start for an open file, which is not waited for. The kernel takes the layout
/// of its own binary format, whatever the class in the header says (load_elf_binary), so a file
/// that can be read as 32-bit and as 64-bit names two. A text may be a relative path: the kernel
/// takes it from the working directory of whoever executes the file. An error if the file cannot be
/// read; what is cut off or makes no sense names none, and is not started.
[[nodiscard]] tl::expected<std::vector<std::string>, platform::Errno> loaders_named_in(
    const platform::UniqueFd& program);

}  // namespace pmg::adapters
