/// The built-in profiles: the files of profiles/, put into the binary at build time.
#pragma once

#include <span>
#include <string_view>

namespace pmg::adapters {

struct EmbeddedProfile {
  std::string_view name;  ///< the file's name without `.yaml`
  std::string_view text;  ///< as written
  std::string_view tree;  ///< parsed, for `from_compact`
};

/// Sorted by name; each is valid. Defined in the file that adapters/embed/main.cpp writes.
[[nodiscard]] std::span<const EmbeddedProfile> embedded_profiles() noexcept;

}  // namespace pmg::adapters
