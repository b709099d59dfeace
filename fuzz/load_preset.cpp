// parse_preset(bytes) is an error with a message, or a preset that passes its own checks; it never
// crashes.
//
// Equation: what parses is the same preset when it is read as a built-in one. Inputs above 64 KiB
// only repeat smaller ones and slow the fuzzer down.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "adapters/preset/parse_preset.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/preset.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pmg;  // NOLINT(google-build-using-namespace): one function
  constexpr std::size_t kLongest = 64UL * 1024;
  if (size > kLongest) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto preset = adapters::parse_preset(text, {"fuzz", adapters::PresetSource::user});
  if (!preset) {
    if (adapters::to_message(preset.error()).empty()) {
      std::abort();
    }
    return 0;
  }
  const auto again = adapters::parse_preset(text, {"fuzz", adapters::PresetSource::built_in});
  if (!again || *again != *preset || !domain::is_preset_name(preset->name) ||
      domain::grants_nothing(*preset) || !preset->allow_outbound.empty()) {
    std::abort();
  }
  return 0;
}
