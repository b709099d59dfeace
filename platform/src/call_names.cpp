#include "platform/calls.hpp"

namespace pmg::platform {

std::string_view name_of(Trapped call) noexcept {
  std::string_view name = "?";
  const auto look_in = [&](const auto& calls) {
    for (const TrappedCall& known : calls) {
      if (known.which == call) {
        name = known.name;
      }
    }
  };
  look_in(kTrapped);
  look_in(kTrappedCommands);
  look_in(kSignals);
  return name;
}

}  // namespace pmg::platform
