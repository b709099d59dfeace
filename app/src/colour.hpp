/// Colours, where somebody looks.
///
///   const Paint paint(context.environment);
///   out += paint("error", Colour::red);
///
/// Only where standard output is a terminal, TERM is not `dumb` and NO_COLOR is unset or empty
/// (https://no-color.org).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "environment.hpp"

namespace pmg::app {

enum class Colour : std::uint8_t { red, green, yellow, cyan };

class Paint {
 public:
  explicit Paint(const Environment& environment);

  [[nodiscard]] std::string operator()(std::string_view text, Colour colour) const;

 private:
  bool is_on_;
};

}  // namespace pmg::app
