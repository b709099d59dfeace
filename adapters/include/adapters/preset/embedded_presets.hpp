/// The built-in presets: the files of profiles/presets/, put into the binary at build time.
#pragma once

#include <span>
#include <string_view>

namespace pmg::adapters {

struct EmbeddedPreset {
  std::string_view name;  ///< the file's name without `.yaml`, and its `name:`
  std::string_view text;  ///< as written
  std::string_view tree;  ///< parsed, for `from_compact`
};

/// Sorted by name; each is valid. Defined in the file that adapters/embed/main.cpp writes.
[[nodiscard]] std::span<const EmbeddedPreset> embedded_presets() noexcept;

}  // namespace pmg::adapters
