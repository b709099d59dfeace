/// The lists that hold in every policy. docs/SEMANTICS.md explains each; this file is the data.
#pragma once

#include <span>
#include <string_view>

namespace pmg::domain {

/// Credential files and directories: for each N, `${CWD}/N`, `${HOME}/N` and `**/N` are denied in
/// both directions. An entry may hold a glob (`.env.*`) or several segments.
[[nodiscard]] std::span<const std::string_view> credential_names() noexcept;

/// Files of `${HOME}` and `${CWD}` that run code later (shell start-up, agents' hooks and
/// settings): write-denied, readable.
[[nodiscard]] std::span<const std::string_view> startup_names() noexcept;

/// Variables that are removed unless a policy allows them; compared without case.
[[nodiscard]] std::span<const std::string_view> secret_variables() noexcept;

/// Variables that are never removed (globs).
[[nodiscard]] std::span<const std::string_view> protected_variables() noexcept;

}  // namespace pmg::domain
