/// What protects this account, as values.
///
///   const SetupReport report = report_setup(context);
///   report.health                                         // Health::degraded
///
/// It is made whatever is broken: that is what it is for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/config.hpp"
#include "session.hpp"

namespace pmg::app {

enum class CheckStatus { pass, warn, fail };

struct SetupCheck {
  std::string name;
  std::string category;
  CheckStatus status;
  std::string message;  ///< empty where it passes and there is nothing to say
  std::string fix;      ///< a command line or a sentence; empty where there is none
};

enum class Health {
  is_protected,  ///< sandbox on and enforceable, shims in front
  degraded,      ///< the sandbox is on, and something is missing
  unprotected,   ///< off, or nothing can run
};

struct SetupReport {
  Health health;
  std::string file;
  std::string source;                             ///< user, global, global_locked
  std::optional<adapters::SandboxConfig> config;  ///< empty where it is broken
  bool can_enforce;
  std::string shim_directory;
  std::vector<std::string> shims;  ///< managers that have one that leads here
  bool is_in_path;
  std::vector<SetupCheck> checks;
};

[[nodiscard]] SetupReport report_setup(Context context);

}  // namespace pmg::app
