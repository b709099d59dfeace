/// Helpers on policies for the tests of this folder.
#pragma once

#include <utility>

#include "domain/origin.hpp"
#include "domain/policy.hpp"

namespace pmg::tests {

/// For comparing what the rules say, wherever they stand.
inline domain::Policy without_origins(domain::Policy policy) {
  const auto clear = [](auto& list) {
    for (auto& entry : list) {
      entry.origin = {};
    }
  };
  clear(policy.presets);
  clear(policy.filesystem.allow_read);
  clear(policy.filesystem.allow_write);
  clear(policy.filesystem.deny_read);
  clear(policy.filesystem.deny_write);
  clear(policy.filesystem.package_content);
  clear(policy.network.allow_outbound);
  clear(policy.network.deny_outbound);
  clear(policy.network.allow_bind);
  clear(policy.process.allow_exec);
  clear(policy.process.deny_exec);
  clear(policy.environment.allow);
  clear(policy.environment.deny);
  clear(policy.unix_sockets);
  return policy;
}

}  // namespace pmg::tests
