/// Where a rule came from, so that every decision can be explained.
#pragma once

#include <cstdint>
#include <string>

namespace pmg::domain {

/// The layers that add rules to a policy, from the least to the most specific.
enum class Layer : std::uint8_t {
  built_in_list,   ///< mandatory denies and the scrub list (domain/mandatory.hpp)
  parent_profile,  ///< the built-in profile that the profile inherits
  profile,         ///< the profile itself
  preset,
  overlay,
  command_line,  ///< --sandbox-allow
  repository,    ///< derived from the git layout of the working directory
  search_path,   ///< a directory of the caller's PATH
};

/// `file` is a path or the name of a built-in profile; empty where the layer has no file.
struct Origin {
  Layer layer = Layer::built_in_list;
  std::string file;
  std::uint32_t line = 0;    ///< 1-based; 0 where there is no line
  std::uint32_t column = 0;  ///< 1-based, in bytes; 0 where it is not known

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// A value together with the place that said it.
template <class T>
struct Sourced {
  T value;
  Origin origin;

  friend bool operator==(const Sourced&, const Sourced&) = default;
};

/// "built-in list", "profile", …: the layer in words, for messages.
[[nodiscard]] const char* to_words(Layer layer) noexcept;

}  // namespace pmg::domain
