/// One property as one libFuzzer target, or as one entry of the replay binary.
///
///   #include "fuzz_target.hpp"
///   FUZZ_TARGET(deny_is_monotone)
///
/// The property is declared in props/properties.hpp. With PMG_FUZZ_REPLAY the target is registered
/// under its name instead, so that any compiler can replay the corpora (fuzz/replay.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "gen/choices.hpp"
#include "props/properties.hpp"

namespace pmg::fuzz {

using Property = bool (*)(gen::Choices&);

/// Says what the property saw and aborts if it does not hold.
inline void require(Property property, const char* name, std::span<const std::uint8_t> bytes) {
  gen::Choices choices(bytes);
  if (property(choices)) {
    return;
  }
  std::string notes;
  gen::Choices again(bytes);
  again.collect_into(notes);
  static_cast<void>(property(again));
  std::fprintf(stderr, "%s does not hold\n%s", name, notes.c_str());
  std::abort();
}

/// Adds the target to the table of fuzz/replay.cpp.
struct Registered {
  Registered(const char* name, Property property);
};

}  // namespace pmg::fuzz

#ifdef PMG_FUZZ_REPLAY
#define FUZZ_TARGET(name) \
  static const pmg::fuzz::Registered registered_##name(#name, pmg::props::name);
#else
#define FUZZ_TARGET(name)                                                                   \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {       \
    pmg::fuzz::require(pmg::props::name, #name, std::span<const std::uint8_t>(data, size)); \
    return 0;                                                                               \
  }
#endif
