/// The administrator's configuration, which replaces that of every user of the machine.
///
///   auto text = read_managed(ManagedFile::of_system());   // expected<optional<string>, LoadError>
///
/// CM1: it counts only if nobody but its owner could have written it: a regular file, no symlink,
/// of the owner, and neither it nor the two directories above may be written by others. Anything
/// else that is there is an error, and an error means: locked, nothing runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "domain/path.hpp"

namespace pmg::adapters {

/// Where it is and whose it has to be. Only tests have another one than `of_system`: no variable
/// and no flag names it, or whoever is governed could.
struct ManagedFile {
  domain::AbsolutePath path;
  std::uint32_t owner;

  /// /etc/safedep/pmg/config.yml, root's.
  [[nodiscard]] static ManagedFile of_system();
};

/// Its text; empty where there is no such file.
[[nodiscard]] tl::expected<std::optional<std::string>, LoadError> read_managed(
    const ManagedFile& file);

}  // namespace pmg::adapters
