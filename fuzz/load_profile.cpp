// parse_policy(bytes) is an error, or parse_policy(to_yaml(policy)) says the same; it never
// crashes.
//
// Equation: parse ∘ print = identity on what parses (S2). Inputs above 64 KiB only repeat smaller
// ones and slow the fuzzer down.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "adapters/profile/parse_policy.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/origin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pmg;  // NOLINT(google-build-using-namespace): one function
  constexpr std::size_t kLongest = 64UL * 1024;
  if (size > kLongest) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto policy = adapters::parse_policy(text, {"fuzz", domain::Layer::profile});
  if (!policy) {
    if (adapters::to_message(policy.error()).empty()) {
      std::abort();
    }
    return 0;
  }
  const std::string printed = adapters::to_yaml(*policy);
  const auto again = adapters::parse_policy(printed, {"again", domain::Layer::profile});
  // Printing hides the origins, so equal text is equal policies.
  if (!again || adapters::to_yaml(*again) != printed) {
    std::abort();
  }
  static_cast<void>(adapters::resolve_profile(
      {"fuzz", adapters::ProfileSource::file, "fuzz.yml", text, *policy}));
  return 0;
}
