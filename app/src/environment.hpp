/// The environment: ours as a value, and the one that a program gets.
///
///   const auto mine = Environment::of_process();
///   auto child = confined_environment(mine, policy.environment);   // scrubbed and marked
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/environment.hpp"
#include "domain/policy.hpp"

namespace pmg::app {

class Environment {
 public:
  [[nodiscard]] static Environment of_process();
  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  /// The value of the first entry of that name, as getenv(3).
  [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const noexcept;
  /// NAME=value each.
  [[nodiscard]] const std::vector<std::string>& entries() const noexcept { return entries_; }

  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);

 private:
  std::vector<std::string> entries_;
};

/// Set to 1 inside.
inline constexpr std::string_view kMarker = "PMG_SANDBOX";

struct ConfinedEnvironment {
  Environment variables;
  std::vector<domain::ScrubbedName> scrubbed;
};

[[nodiscard]] ConfinedEnvironment confined_environment(const Environment& mine,
                                                       const domain::EnvironmentRules& rules);

/// Without the directories of wrappers ("shims") in PATH that call pmg, however they are spelled: a
/// manager that is looked up there would be us again. Drops PMG_SHIM_PATH.
[[nodiscard]] Environment without_shims(Environment environment);

/// PATH without the directories in which `name` is this very program. Empty where nothing is left;
/// it must not be taken for the working directory then.
[[nodiscard]] std::optional<std::string> path_without_us(const Environment& environment,
                                                         std::string_view name);

/// The file is that of the running program.
[[nodiscard]] bool is_this_program(const std::string& file);

/// Set to the number of a process that becomes a manager by execve(2). A pmg that finds its own
/// number was started in place of one: by shims of two installations, each of which takes the other
/// one for the manager.
inline constexpr std::string_view kBecoming = "PMG_BECOMING";

/// We run under a sandbox of ours. The marker alone proves nothing (anything may have exported it),
/// so the kernel has to confirm that this process is confined: a stale marker never turns the
/// sandbox off.
[[nodiscard]] bool is_inside_sandbox(const Environment& environment);

}  // namespace pmg::app
