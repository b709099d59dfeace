#include "colour.hpp"

#include <string>
#include <string_view>

#include <unistd.h>

#include "environment.hpp"

namespace pmg::app {

Paint::Paint(const Environment& environment)
    : is_on_(::isatty(STDOUT_FILENO) == 1 && environment.get("NO_COLOR").value_or("").empty() &&
             environment.get("TERM").value_or("dumb") != "dumb") {}

std::string Paint::operator()(std::string_view text, Colour colour) const {
  if (!is_on_) {
    return std::string(text);
  }
  const auto code = [colour] {
    switch (colour) {
      case Colour::red:
        return "31";
      case Colour::green:
        return "32";
      case Colour::yellow:
        return "33";
      case Colour::cyan:
        return "36";
    }
    return "0";
  };
  return std::string("\x1b[") + code() + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace pmg::app
