/// Why an allowance should not be made in passing: the list behind `--force` of `sandbox allow`.
///
///   if (caution_for(rule, surroundings) != Caution::none) …        // ask first
///
/// CA1: judged on the path as written and on the real one. CA2: what no allowance ever opens is
/// told apart from what takes a second thought. Not for: deciding; a mandatory deny holds whatever
/// is said here.
#pragma once

#include <cstdint>

#include "domain/compiled.hpp"
#include "domain/overrides.hpp"

namespace pmg::domain {

/// In the order of weight: the weightiest one is told.
enum class Caution : std::uint8_t {
  none,
  open_port,        ///< a bind that other machines can reach
  whole_tree,       ///< the root, the home directory, or a directory that holds it
  profile_deny,     ///< what the profile `exec` denies by a rule
  git_config,       ///< would be written, and names programs that git runs
  startup_file,     ///< would be written, and runs code later
  host_daemon,      ///< a socket through which programs run outside the sandbox
  secret_variable,  ///< a variable that is removed for being a secret
  credential,       ///< a credential file or directory, or something in one
  own_state,        ///< pmg's own files: nothing opens them
  git_hooks,        ///< nothing opens them
};

/// CA2
[[nodiscard]] constexpr bool can_be_allowed(Caution caution) noexcept {
  return caution != Caution::own_state && caution != Caution::git_hooks;
}

/// `net-connect` and `preset` need no caution here.
[[nodiscard]] Caution caution_for(const Override& rule, const Surroundings& surroundings);

}  // namespace pmg::domain
