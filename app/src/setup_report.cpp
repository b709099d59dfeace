#include "setup_report.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "adapters/config/managed_file.hpp"
#include "configuration.hpp"
#include "domain/package_manager.hpp"
#include "environment.hpp"
#include "messages.hpp"
#include "platform/landlock.hpp"
#include "platform/notify.hpp"
#include "program.hpp"
#include "session.hpp"
#include "shims.hpp"
#include "table.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using adapters::Switch;

class Reporter {
 public:
  explicit Reporter(Context context) : context_(std::move(context)) {}

  SetupReport report() {
    // Before lockdown may move the configuration directory.
    report_.shim_directory = shim_directory(context_).text();
    read_configuration();
    ask_the_kernel();
    look_at_policies();
    look_at_directory();
    look_at_path();
    report_.health = health();
    return std::move(report_);
  }

 private:
  void add(const char* name, const char* category, CheckStatus status, std::string message = {},
           std::string fix = {}) {
    report_.checks.push_back({name, category, status, std::move(message), std::move(fix)});
  }

  void read_configuration() {
    const auto managed = adapters::ManagedFile::of_system();
    const auto of_all = adapters::read_managed(managed);
    const bool is_users = of_all && !*of_all;
    report_.file = (is_users ? config_file(context_) : managed.path).text();
    auto config = open_config(context_);
    // What cannot be read counts as locked.
    const bool is_locked = !config || config->lockdown == adapters::Lockdown::on;
    report_.source = is_users ? "user" : is_locked ? "global_locked" : "global";
    if (!config) {
      add("config-file", "configuration", CheckStatus::fail, config.error(),
          is_users ? "pmg config edit" : "");
      return;
    }
    add("config-file", "configuration", CheckStatus::pass);
    if (config->enabled == Switch::on) {
      add("sandbox", "sandbox", CheckStatus::pass);
    } else {
      add("sandbox", "sandbox", CheckStatus::warn, "off: package managers run without a policy",
          "pmg config set sandbox.enabled true");
    }
    report_.config = std::move(*config);
  }

  void ask_the_kernel() {
    const auto landlock = platform::probe_landlock();
    const auto notify = platform::probe_notify();
    report_.can_enforce = landlock && notify;
    if (report_.can_enforce) {
      add("driver", "sandbox", CheckStatus::pass);
    } else if (is_inside_sandbox(context_.environment)) {
      add("driver", "sandbox", CheckStatus::warn, "cannot be told inside a sandbox");
    } else {
      add("driver", "sandbox", CheckStatus::fail,
          "this system cannot enforce a policy: " +
              (landlock ? to_text(notify.error()) : to_text(landlock.error())),
          "Linux 5.19 or newer with Landlock is needed");
    }
  }

  void look_at_policies() {
    if (!report_.config) {
      return;
    }
    for (const auto manager : domain::all_package_managers()) {
      if (const auto works = check_policy_of(context_, *report_.config, manager); !works) {
        add("policies", "sandbox", CheckStatus::fail,
            std::string(name_of(manager)) + " cannot run: " + works.error(), "pmg config edit");
      }
    }
  }

  void look_at_directory() {
    std::vector<std::string> missing;
    std::vector<std::string> others;
    for (const Shim& shim : look_at_shims(context_)) {
      std::string name(name_of(shim.manager));
      if (shim.state == ShimState::current) {
        report_.shims.push_back(std::move(name));
      } else {
        (shim.state == ShimState::foreign ? others : missing).push_back(std::move(name));
      }
    }
    if (!others.empty()) {
      add("shim-directory", "shell", CheckStatus::warn, "not of pmg: " + joined(others),
          "move them out of " + report_.shim_directory);
    } else if (!missing.empty()) {
      add("shim-directory", "shell", CheckStatus::warn,
          report_.shims.empty() ? "no shims: a plain `npm` is not run by pmg"
                                : "no shim for: " + joined(missing),
          "pmg setup install");
    } else {
      add("shim-directory", "shell", CheckStatus::pass);
    }
  }

  /// In front counts: where another `npm` comes first, that one runs.
  void look_at_path() {
    const auto path = context_.environment.get("PATH").value_or("");
    std::vector<std::string> behind;
    for (const std::string& name : report_.shims) {
      const auto found = find_program(name, path, context_.caller.working_directory);
      if (!found || !is_this_program(found->text())) {
        behind.push_back(name);
      }
    }
    report_.is_in_path = !report_.shims.empty() && behind.empty();
    if (report_.is_in_path) {
      add("shim-in-path", "shell", CheckStatus::pass);
    } else if (!report_.shims.empty()) {
      add("shim-in-path", "shell", CheckStatus::warn,
          "the shims are not first in PATH for: " + joined(behind), "pmg setup install --write-rc");
    }
  }

  [[nodiscard]] Health health() const {
    const bool is_on =
        report_.config && report_.config->enabled == Switch::on && report_.can_enforce;
    if (!is_on) {
      return Health::unprotected;
    }
    return std::ranges::all_of(
               report_.checks,
               [](const SetupCheck& check) { return check.status == CheckStatus::pass; })
               ? Health::is_protected
               : Health::degraded;
  }

  Context context_;
  SetupReport report_{};
};

}  // namespace

SetupReport report_setup(Context context) { return Reporter(std::move(context)).report(); }

}  // namespace pmg::app
