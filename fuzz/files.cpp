// The same bytes as each kind of file: a profile, a preset, an overlay.
//
// Inputs above 64 KiB only repeat smaller ones and slow the fuzzer down.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "adapters/overlay/overlay.hpp"
#include "adapters/preset/parse_preset.hpp"
#include "adapters/profile/parse_policy.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/origin.hpp"
#include "domain/preset.hpp"

namespace {

namespace adapters = pmg::adapters;
namespace domain = pmg::domain;

bool says_something(const adapters::LoadError& error) {
  return !adapters::to_message(error).empty();
}

/// parse ∘ print = identity on what parses (S2), and resolving it never crashes.
bool load_profile(const std::string& text) {
  const auto policy = adapters::parse_policy(text, {"fuzz", domain::Layer::profile});
  if (!policy) {
    return says_something(policy.error());
  }
  const std::string printed = adapters::to_yaml(*policy);
  const auto again = adapters::parse_policy(printed, {"again", domain::Layer::profile});
  static_cast<void>(adapters::resolve_profile(
      {"fuzz", adapters::ProfileSource::file, "fuzz.yml", text, *policy}));
  // Printing hides the origins, so equal text is equal policies.
  return again && adapters::to_yaml(*again) == printed;
}

/// What parses as a user's preset grants something and names no host (PS1, PS2), and is the same
/// where hosts may be named.
bool load_preset(const std::string& text) {
  const auto preset = adapters::parse_preset(text, {"fuzz", adapters::PresetSource::user});
  if (!preset) {
    return says_something(preset.error());
  }
  const auto again = adapters::parse_preset(text, {"fuzz", adapters::PresetSource::built_in});
  return again && *again == *preset && domain::is_preset_name(preset->name) &&
         !domain::grants_nothing(*preset) && preset->allow_outbound.empty();
}

/// parse ∘ print = identity on what parses (OV2).
bool load_overlay(const std::string& text) {
  const auto overlay = adapters::parse_overlay(text, "fuzz");
  if (!overlay) {
    return says_something(overlay.error());
  }
  const std::string printed = adapters::to_yaml(*overlay);
  const auto again = adapters::parse_overlay(printed, "again");
  // Printing hides the origins, so equal text is equal overlays.
  return again && adapters::to_yaml(*again) == printed;
}

struct Loader {
  const char* name;
  bool (*holds)(const std::string&);
};

constexpr Loader kLoaders[] = {
    {"load_profile", load_profile}, {"load_preset", load_preset}, {"load_overlay", load_overlay}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLongest = 64UL * 1024;
  if (size > kLongest) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Loader& loader : kLoaders) {
    if (!loader.holds(text)) {
      static_cast<void>(std::fprintf(stderr, "%s does not hold\n", loader.name));
      std::abort();
    }
  }
  return 0;
}
