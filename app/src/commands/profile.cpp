#include "commands/profile.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "adapters/profile/parse_policy.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/policy.hpp"
#include "json.hpp"
#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"
#include "table.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaxManagers = 30;
constexpr std::size_t kMaxDescription = 60;

std::string_view to_word(adapters::ProfileSource source) noexcept {
  switch (source) {
    case adapters::ProfileSource::built_in:
      return "builtin";
    case adapters::ProfileSource::user:
      return "user";
    case adapters::ProfileSource::file:
      return "file";
  }
  return "";
}

std::vector<std::string> to_row(const adapters::ProfileSummary& profile) {
  const std::string status = profile.error                                           ? "ERROR"
                             : profile.shadowing == adapters::Shadowing::by_built_in ? "SHADOWED"
                                                                                     : "OK";
  const std::string about = profile.error ? to_message(*profile.error) : profile.description;
  return {status,
          visible(profile.name),
          std::string(to_word(profile.source)),
          visible(profile.inherits),
          shortened(visible(joined(profile.package_managers)), kMaxManagers),
          profile.error ? visible(about) : shortened(visible(about), kMaxDescription)};
}

ordered_json to_json(const adapters::ProfileSummary& profile) {
  ordered_json row{{"name", profile.name}, {"source", to_word(profile.source)}};
  const auto add = [&row](const char* key, const auto& value) {
    if (!value.empty()) {
      row[key] = value;
    }
  };
  add("path", profile.path);
  add("inherits", profile.inherits);
  add("package_managers", profile.package_managers);
  add("description", profile.description);
  if (profile.shadowing == adapters::Shadowing::by_built_in) {
    row["shadowed"] = true;
  }
  if (profile.error) {
    row["error"] = to_message(*profile.error);
  }
  return row;
}

template <class Rules>
ordered_json texts(const Rules& rules) {
  ordered_json list = ordered_json::array();
  for (const auto& rule : rules) {
    list.push_back(rule.value.text());
  }
  return list;
}

void add_toggle(ordered_json& into, const char* key, domain::Toggle toggle) {
  if (toggle != domain::Toggle::unset) {
    into[key] = toggle == domain::Toggle::on;
  }
}

ordered_json to_json(const domain::Policy& policy) {
  ordered_json out{{"name", policy.name},
                   {"description", policy.description},
                   {"package_managers", policy.package_managers}};
  add_toggle(out, "allow_git_config", policy.allow_git_config);
  add_toggle(out, "allow_pty", policy.allow_pty);
  add_toggle(out, "allow_network_bind", policy.allow_network_bind);
  add_toggle(out, "network_via_proxy_only", policy.network_via_proxy_only);
  add_toggle(out, "allow_direct_dns", policy.allow_direct_dns);
  out["filesystem"] = {{"allow_read", texts(policy.filesystem.allow_read)},
                       {"allow_write", texts(policy.filesystem.allow_write)},
                       {"deny_read", texts(policy.filesystem.deny_read)},
                       {"deny_write", texts(policy.filesystem.deny_write)},
                       {"package_content", texts(policy.filesystem.package_content)}};
  out["network"] = {{"allow_outbound", texts(policy.network.allow_outbound)},
                    {"deny_outbound", texts(policy.network.deny_outbound)},
                    {"allow_bind", texts(policy.network.allow_bind)}};
  out["process"] = {{"allow_exec", texts(policy.process.allow_exec)},
                    {"deny_exec", texts(policy.process.deny_exec)}};
  out["environment"] = {{"allow", texts(policy.environment.allow)},
                        {"deny", texts(policy.environment.deny)}};
  return out;
}

int show_as_written(const adapters::ProfileRegistry& registry, const ShowProfile& options) {
  const auto profile = registry.load(options.name);
  if (!profile) {
    complain(to_message(profile.error()));
    return 1;
  }
  if (options.output == Output::json) {
    return print_json({{"name", profile->name},
                       {"source", to_word(profile->source)},
                       {"path", profile->path},
                       {"yaml", profile->text}});
  }
  return print(visible_lines(profile->text)) ? 0 : 1;
}

}  // namespace

void ListProfiles::declare(Options& options) {
  options.flag("--json", output, Output::json, "as JSON");
}

int ListProfiles::run(const Context& context) const {
  const auto profiles = context.profiles().list();
  if (output == Output::json) {
    ordered_json rows = ordered_json::array();
    for (const auto& profile : profiles) {
      rows.push_back(to_json(profile));
    }
    return print_json({{"profiles", std::move(rows)}});
  }
  std::vector<std::vector<std::string>> rows{
      {"STATUS", "NAME", "SOURCE", "INHERITS", "PMS", "DESCRIPTION"}};
  for (const auto& profile : profiles) {
    rows.push_back(to_row(profile));
  }
  return print(table(rows)) ? 0 : 1;
}

void ShowProfile::declare(Options& options) {
  options.argument("NAME", name, Completion::profile);
  options.flag("--resolved", form, Form::resolved, "as it holds, with what it inherits");
  options.flag("--json", output, Output::json, "as JSON");
}

int ShowProfile::run(const Context& context) const {
  const auto registry = context.profiles();
  if (form == Form::written) {
    return show_as_written(registry, *this);
  }
  const auto policy = registry.resolve(name);
  if (!policy) {
    complain(to_message(policy.error()));
    return 1;
  }
  if (output == Output::json) {
    return print_json({{"name", policy->name}, {"policy", to_json(*policy)}});
  }
  return print(adapters::to_yaml(*policy)) ? 0 : 1;
}

}  // namespace pmg::app
