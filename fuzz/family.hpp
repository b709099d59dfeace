/// Properties of one subject as one fuzz target: each input is tried on every one of them.
///
///   #include "family.hpp"
///   FUZZ_FAMILY(PROPERTY(deny_beats_allow), PROPERTY(deny_is_monotone))
///
/// The properties are declared in props/properties.hpp. fuzz/replay.cpp runs a target without
/// libFuzzer, so that any compiler can replay the corpora.
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

struct Property {
  const char* name;
  bool (*holds)(gen::Choices&);
};

/// Says what the property saw and aborts if it does not hold. Each property reads the bytes from
/// the first one on, as if it were alone.
inline void require(const Property& property, std::span<const std::uint8_t> bytes) {
  gen::Choices choices(bytes);
  if (property.holds(choices)) {
    return;
  }
  std::string notes;
  gen::Choices again(bytes);
  again.collect_into(notes);
  static_cast<void>(property.holds(again));
  static_cast<void>(std::fprintf(stderr, "%s does not hold\n%s", property.name, notes.c_str()));
  std::abort();
}

}  // namespace pmg::fuzz

#define PROPERTY(name) \
  pmg::fuzz::Property { #name, pmg::props::name }

#define FUZZ_FAMILY(...)                                                              \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    for (const pmg::fuzz::Property& property : {__VA_ARGS__}) {                       \
      pmg::fuzz::require(property, std::span<const std::uint8_t>(data, size));        \
    }                                                                                 \
    return 0;                                                                         \
  }
