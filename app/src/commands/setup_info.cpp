#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "adapters/config.hpp"
#include "commands/setup.hpp"
#include "domain/package_manager.hpp"
#include "json.hpp"
#include "options.hpp"
#include "session.hpp"
#include "setup_report.hpp"
#include "table.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using adapters::Switch;
using nlohmann::ordered_json;

std::string_view to_word(Health health) noexcept {
  switch (health) {
    case Health::is_protected:
      return "protected";
    case Health::degraded:
      return "degraded";
    case Health::unprotected:
      return "unprotected";
  }
  return "";
}

std::string_view to_word(CheckStatus status) noexcept {
  switch (status) {
    case CheckStatus::pass:
      return "pass";
    case CheckStatus::warn:
      return "warn";
    case CheckStatus::fail:
      return "fail";
  }
  return "";
}

bool is_on(Switch value) noexcept { return value == Switch::on; }

ordered_json sandbox_of(const SetupReport& report) {
  ordered_json sandbox{{"enabled", report.config && is_on(report.config->enabled)},
                       {"driver", report.can_enforce ? "landlock" : "unavailable"},
                       {"ready", report.can_enforce},
                       {"enforce_always", report.config && is_on(report.config->enforce_always)},
                       {"policies", ordered_json::object()}};
  if (report.config) {
    for (const auto& [manager, policy] : report.config->policies) {
      sandbox["policies"][std::string(name_of(manager))] = {{"enabled", is_on(policy.enabled)},
                                                            {"profile", policy.profile}};
    }
  }
  return sandbox;
}

ordered_json to_json(const SetupReport& report) {
  ordered_json checks = ordered_json::array();
  for (const SetupCheck& check : report.checks) {
    ordered_json row{
        {"name", check.name}, {"category", check.category}, {"status", to_word(check.status)}};
    if (!check.message.empty()) {
      row["message"] = check.message;
    }
    if (!check.fix.empty()) {
      row["fix"] = check.fix;
    }
    checks.push_back(std::move(row));
  }
  return {{"schema_version", 1},
          {"version", PMG_VERSION},
          {"health", to_word(report.health)},
          {"protected", report.health == Health::is_protected},
          {"config", {{"path", report.file}, {"source", report.source}}},
          {"shell_integration",
           {{"shim_directory", report.shim_directory},
            {"shims", report.shims},
            {"in_path", report.is_in_path}}},
          {"layers", {{"sandbox", sandbox_of(report)}}},
          {"checks", std::move(checks)}};
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string policies_of(const SetupReport& report) {
  std::vector<std::string> words;
  if (report.config) {
    for (const auto& [manager, policy] : report.config->policies) {
      words.push_back(std::string(name_of(manager)) + "(" +
                      (is_on(policy.enabled) ? visible(policy.profile) : "disabled") + ")");
    }
  }
  return joined(words);
}

std::string to_text(const SetupReport& report) {
  std::string out =
      table({{"pmg", PMG_VERSION},
             {"health", std::string(to_word(report.health))},
             {"", ""},
             {"Configuration", ""},
             {"  File", visible(report.file)},
             {"  Source", report.source},
             {"", ""},
             {"Shell Integration", ""},
             {"  Shims", visible(report.shim_directory)},
             {"  For", report.shims.empty() ? "none" : joined(report.shims)},
             {"  First in PATH", yes_no(report.is_in_path)},
             {"", ""},
             {"Sandbox", ""},
             {"  Enabled", yes_no(report.config && is_on(report.config->enabled))},
             {"  Enforce Always", yes_no(report.config && is_on(report.config->enforce_always))},
             {"  Driver", report.can_enforce ? "landlock" : "unavailable"},
             {"  Policies", policies_of(report)}});
  for (const SetupCheck& check : report.checks) {
    if (check.status != CheckStatus::pass) {
      out += "\n" + std::string(to_word(check.status)) + ": " + visible(check.message) + "\n" +
             (check.fix.empty() ? "" : "  " + visible(check.fix) + "\n");
    }
  }
  return out;
}

}  // namespace

void ShowSetup::declare(Options& options) {
  options.flag("--json", output, Output::json, "as JSON");
}

int ShowSetup::run(Context context) const {
  const SetupReport report = report_setup(std::move(context));
  if (output == Output::json) {
    return print_json(to_json(report));
  }
  return print(to_text(report)) ? 0 : 1;
}

}  // namespace pmg::app
