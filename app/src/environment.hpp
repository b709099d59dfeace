/// The environment: ours as a value, and the one that a program gets.
///
///   const auto mine = Environment::of_process();
///   auto child = confined_environment(mine, policy.environment);   // scrubbed and marked
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// Without the directories of wrapper scripts ("shims") in PATH that call pmg: a manager that is
/// looked up there would be us again. Drops PMG_SHIM_PATH.
[[nodiscard]] Environment without_shims(Environment environment);

/// We run under a sandbox of ours. The marker alone proves nothing (anything may have exported it),
/// so the kernel has to confirm that this process is confined: a stale marker never turns the
/// sandbox off.
[[nodiscard]] bool is_inside_sandbox(const Environment& environment);

}  // namespace pmg::app
