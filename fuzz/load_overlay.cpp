// parse_overlay(bytes) is an error with a message, or parse_overlay(to_yaml(overlay)) says the
// same; it never crashes.
//
// Equation: parse ∘ print = identity on what parses (OV2). Inputs above 64 KiB only repeat smaller
// ones and slow the fuzzer down.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "adapters/overlay/overlay.hpp"
#include "adapters/yaml/load_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pmg;  // NOLINT(google-build-using-namespace): one function
  constexpr std::size_t kLongest = 64UL * 1024;
  if (size > kLongest) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto overlay = adapters::parse_overlay(text, "fuzz");
  if (!overlay) {
    if (adapters::to_message(overlay.error()).empty()) {
      std::abort();
    }
    return 0;
  }
  const std::string printed = adapters::to_yaml(*overlay);
  const auto again = adapters::parse_overlay(printed, "again");
  // Printing hides the origins, so equal text is equal overlays.
  if (!again || adapters::to_yaml(*again) != printed) {
    std::abort();
  }
  return 0;
}
