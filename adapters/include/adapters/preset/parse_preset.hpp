/// A preset's YAML as a domain::Preset.
///
///   auto preset = parse_preset(text, {"tool.yml", PresetSource::user});   // expected<Preset, …>
///
/// PS1: strict: every key is known, every value is of its narrow type (domain/preset.hpp); the
/// first mistake is the result. PS2: `network.allow_outbound` is a key of built-in presets alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/preset.hpp"

namespace pmg::adapters {

enum class PresetSource : std::uint8_t { built_in, user };

struct PresetFile {
  std::string file;  ///< a path, or the name of a built-in one
  PresetSource source = PresetSource::user;
};

/// `kind: preset` and `name` are required, `schema_version` is 1 where it is said.
[[nodiscard]] tl::expected<domain::Preset, LoadError> parse_preset(std::string_view text,
                                                                   const PresetFile& file);

/// The same for the tree that `parse_document` gives.
[[nodiscard]] tl::expected<domain::Preset, LoadError> read_preset(const YamlNode& document,
                                                                  const PresetFile& file);

}  // namespace pmg::adapters
