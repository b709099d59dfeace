/// Presets by name.
///
///   PresetRegistry registry("/home/u/.config/safedep/pmg/sandbox/presets");
///   auto preset = registry.load("vite");                  // expected<LoadedPreset, LoadError>
///   auto policy = registry.apply_to(std::move(policy));   // those that a profile lists
///
/// PS3: a name is looked up among the built-in presets, then among the user's files in the order of
/// their names; a preset is called what its `name:` says. The first one is used, later ones of the
/// same name are shadowed. A file that does not load hides no other preset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/preset/parse_preset.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/policy.hpp"
#include "domain/preset.hpp"

namespace pmg::adapters {

struct LoadedPreset {
  PresetSource source;
  std::string path;  ///< empty for a built-in one
  std::string text;  ///< as written
  domain::Preset preset;
};

/// Whether an earlier preset of the same name is used instead.
enum class PresetUse : std::uint8_t { used, shadowed };

struct PresetRow {
  PresetSource source;
  std::string path;
  PresetUse use;
  domain::Preset preset;           ///< only its name (the file's) where it does not load
  std::optional<LoadError> error;  ///< why it does not load
};

class PresetRegistry {
 public:
  /// `user_directory` need not exist.
  explicit PresetRegistry(std::string user_directory) noexcept
      : user_directory_(std::move(user_directory)) {}

  [[nodiscard]] const std::string& user_directory() const noexcept { return user_directory_; }

  /// Built-in presets first, then those of the user, each by name.
  [[nodiscard]] std::vector<PresetRow> list() const;

  [[nodiscard]] tl::expected<LoadedPreset, LoadError> load(std::string_view name) const;

  /// The policy with the presets that it names, in their order. An unknown one is an error with its
  /// place in the profile.
  [[nodiscard]] tl::expected<domain::Policy, LoadError> apply_to(domain::Policy policy) const;

 private:
  std::string user_directory_;
};

[[nodiscard]] bool is_built_in_preset(std::string_view name) noexcept;

}  // namespace pmg::adapters
