/// Sentences for what the other layers report as values. One line each, lowercase, no final period,
/// text of the user in backticks and made visible.
#pragma once

#include <string>

#include "adapters/run.hpp"
#include "adapters/surroundings.hpp"
#include "domain/compiled.hpp"
#include "domain/origin.hpp"
#include "domain/path.hpp"
#include "domain/policy.hpp"
#include "domain/violation.hpp"
#include "platform/os_error.hpp"
#include "program.hpp"

namespace pmg::app {

/// "strict.yml:3", "built-in list", …
[[nodiscard]] std::string to_text(const domain::Origin& origin);

/// "deny_write `${CWD}/x` (strict.yml:3)"
[[nodiscard]] std::string to_text(const domain::Rule& rule);

/// Why it was decided so: the rule, or the reason where there is none.
[[nodiscard]] std::string explain(const domain::CompiledPolicy& policy,
                                  const domain::Decision& decision);

/// The same of a refusal that was kept.
[[nodiscard]] std::string explain(const domain::Violation& violation);

/// "write /a/b (as ./b)"
[[nodiscard]] std::string what_text(const domain::Violation& violation);

/// "refused write /a/b: …"
[[nodiscard]] std::string to_text(const domain::CompiledPolicy& policy,
                                  const adapters::Denial& denial);

/// "`/a/b`: permission denied"
[[nodiscard]] std::string to_text(const platform::OsError& error);
[[nodiscard]] std::string to_text(const adapters::SurroundingsError& error);
[[nodiscard]] std::string to_text(const LookupError& error);
[[nodiscard]] std::string to_text(const domain::CompileError& error);

/// A failed start, with the way out.
[[nodiscard]] std::string to_text(const domain::CompiledPolicy& policy,
                                  const adapters::Program& program,
                                  const adapters::RunError& error);

/// What an errno of execve(2) means for the user.
[[nodiscard]] std::string cannot_execute_text(const domain::AbsolutePath& file, int error);

/// 127 where the program is not there, 126 where it may not run, 1 for everything else.
[[nodiscard]] int exit_code_of(const LookupError& error) noexcept;
[[nodiscard]] int exit_code_of(const adapters::RunError& error) noexcept;

}  // namespace pmg::app
