/// The facts of this run that a policy is compiled with.
///
///   auto facts = read_surroundings(*caller);       // expected<Surroundings, SurroundingsError>
///   auto compiled = domain::compile(policy, *facts);
///
/// Everything comes from the operator's environment, the password database and the file system;
/// nothing from files that the project could have written, but for git's layout, which is confirmed
/// (adapters/git/layout.hpp).
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/caller.hpp"
#include "adapters/git/layout.hpp"
#include "domain/compiled.hpp"
#include "domain/path.hpp"

namespace pmg::adapters {

using SurroundingsError = std::variant<CallerError, GitLimit>;

/// HOME as `home_of` has it. TMPDIR if it is absolute and neither "/" nor HOME nor a directory
/// above HOME, else /tmp: `${TMPDIR}/**` is writable.
[[nodiscard]] tl::expected<domain::Surroundings, SurroundingsError> read_surroundings(
    const Caller& caller);

/// The existing absolute directories of PATH, in order, once each. Left out, because what a policy
/// lets a program write must not become executable on the way: those inside or above the working
/// directory, HOME itself, /tmp, /var/tmp and TMPDIR (also by their real names). A profile that
/// wants them lists them, as the built-in ones do for ${CWD}.
[[nodiscard]] std::vector<domain::AbsolutePath> search_path(const Caller& caller,
                                                            const domain::Variables& variables);

/// For git/layout.hpp.
[[nodiscard]] GitContext git_context(const Caller& caller, const domain::Variables& variables);

enum class WorkingDirectoryErrc : std::uint8_t {
  root,
  home,
  above_home,
};

/// Whether `${CWD}/**` would be the home directory as a whole, or more. By real names too.
[[nodiscard]] tl::expected<void, WorkingDirectoryErrc> check_working_directory(
    const domain::Variables& variables);

}  // namespace pmg::adapters
