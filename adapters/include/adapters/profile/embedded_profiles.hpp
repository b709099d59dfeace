/// The built-in profiles: the files of profiles/, put into the binary at build time.
#pragma once

#include <span>
#include <string_view>

namespace pmg::adapters {

struct EmbeddedProfile {
  std::string_view name;  ///< the file's name without `.yaml`
  std::string_view text;
};

/// Sorted by name. Defined in the file that cmake/EmbedProfiles.cmake writes.
[[nodiscard]] std::span<const EmbeddedProfile> embedded_profiles() noexcept;

}  // namespace pmg::adapters
