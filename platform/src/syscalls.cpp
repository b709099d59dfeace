#include "platform/syscalls.hpp"

#include <algorithm>

#include "filter/generated.hpp"

namespace pmg::platform {

std::span<const NumberedCall> trapped_calls() noexcept { return generated::trapped_calls(); }

std::optional<Trapped> trapped_call(int number) noexcept {
  const auto all = trapped_calls();
  const auto found = std::ranges::lower_bound(all, number, {}, &NumberedCall::number);
  if (found == all.end() || found->number != number) {
    return std::nullopt;
  }
  return found->which;
}

}  // namespace pmg::platform
