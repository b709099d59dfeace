#include "commands/overlay.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "adapters/canonical.hpp"
#include "adapters/config.hpp"
#include "adapters/overlay/overlay.hpp"
#include "adapters/overlay/project.hpp"
#include "adapters/overlay/store.hpp"
#include "adapters/surroundings.hpp"
#include "adapters/utc_time.hpp"
#include "adapters/yaml/load_error.hpp"
#include "aftermath.hpp"
#include "allowances.hpp"
#include "commands/violations.hpp"
#include "configuration.hpp"
#include "domain/caution.hpp"
#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/overrides.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "platform/os_error.hpp"
#include "session.hpp"
#include "synopsis.hpp"
#include "table.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using nlohmann::ordered_json;

template <class T>
using Result = tl::expected<T, std::string>;

struct Project {
  domain::AbsolutePath root;
  domain::Surroundings surroundings;
};

Result<Project> project_of(const Context& context) {
  auto surroundings = adapters::read_surroundings(context.caller);
  if (!surroundings) {
    return tl::unexpected(to_text(surroundings.error()));
  }
  auto root = adapters::project_of(context.caller, surroundings->variables);
  if (!root) {
    return tl::unexpected(quoted(surroundings->variables.cwd.text()) + " " +
                          to_words(root.error()) + ", which is no project; change to one");
  }
  return Project{*std::move(root), *std::move(surroundings)};
}

std::string store_text(const adapters::StoreError& error) {
  const auto* load = std::get_if<adapters::LoadError>(&error);
  return load != nullptr ? to_message(*load) : to_text(std::get<platform::OsError>(error));
}

std::string joined_text(const domain::OverrideText& entry) {
  return std::string(entry.type) + "=" + entry.value;
}

struct Asked {
  domain::PathView path;
  std::optional<domain::Operation> operator()(const domain::AllowRead& /*rule*/) const {
    return domain::Read{path};
  }
  std::optional<domain::Operation> operator()(const domain::AllowWrite& /*rule*/) const {
    return domain::Write{path};
  }
  std::optional<domain::Operation> operator()(const domain::AllowExec& /*rule*/) const {
    return domain::Execute{path};
  }
  template <class Other>
  std::optional<domain::Operation> operator()(const Other& /*rule*/) const {
    return std::nullopt;
  }
};

/// Of the rules that can take a deny of the profile back.
struct PatternOf {
  const domain::PatternTemplate* operator()(const domain::AllowRead& rule) const {
    return &rule.pattern;
  }
  const domain::PatternTemplate* operator()(const domain::AllowWrite& rule) const {
    return &rule.pattern;
  }
  const domain::PatternTemplate* operator()(const domain::AllowExec& rule) const {
    return &rule.pattern;
  }
  template <class Other>
  const domain::PatternTemplate* operator()(const Other& /*rule*/) const {
    return nullptr;
  }
};

/// Whether a literal takes back what the profile for any program denies by a rule: passwords of
/// browsers, histories of shells. A glob takes nothing back (O1).
domain::Caution lifts_deny(const Context& context, const domain::Surroundings& surroundings,
                           const domain::Override& rule) {
  const domain::PatternTemplate* const pattern = std::visit(PatternOf{}, rule);
  if (pattern == nullptr) {
    return domain::Caution::none;
  }
  const domain::PathPattern expanded = pattern->expand(surroundings.variables);
  if (!expanded.is_literal()) {
    return domain::Caution::none;
  }
  const auto policy = context.profiles().resolve("exec");
  const auto compiled =
      policy ? compile(*policy, surroundings) : tl::unexpected(domain::CompileError{});
  if (!compiled) {
    return domain::Caution::profile_deny;
  }
  const domain::AbsolutePath written = expanded.literal_prefix();
  const domain::AbsolutePath real = adapters::canonical(written);
  const auto is_denied = [&](const domain::AbsolutePath& path) {
    const auto operation = std::visit(Asked{domain::PathView(path)}, rule);
    return operation && decide(*compiled, *operation).reason == domain::Reason::denied_by_rule;
  };
  return is_denied(written) || is_denied(real) ? domain::Caution::profile_deny
                                               : domain::Caution::none;
}

/// The rule as it is kept, or why it is not.
Result<domain::OverrideText> checked(const Context& context, const Project& project,
                                     const std::string& text, Force force) {
  const auto rule = domain::parse_override(text);
  if (!rule) {
    return tl::unexpected(to_text(rule.error()));
  }
  if (const auto* preset = std::get_if<domain::AllowPreset>(&*rule)) {
    if (const auto loaded = context.presets().load(preset->name); !loaded) {
      return tl::unexpected(quoted(text) + ": " + to_message(loaded.error()));
    }
  }
  const domain::Caution caution = std::max(caution_for(*rule, project.surroundings),
                                           lifts_deny(context, project.surroundings, *rule));
  const bool is_forced = force == Force::yes && can_be_allowed(caution);
  if (caution != domain::Caution::none && !is_forced) {
    return tl::unexpected(
        quoted(text) + " " + std::string(to_words(caution)) +
        (can_be_allowed(caution) ? "; to allow it all the same, add --force" : ""));
  }
  auto saved = text_of(*rule, project.surroundings.variables);
  if (!saved) {
    return tl::unexpected(quoted(text) +
                          " cannot be kept: a directory on the way to it has a `*`, `?` or `[` in "
                          "its name; use --sandbox-allow");
  }
  return *std::move(saved);
}

ordered_json to_json(const domain::OverrideText& entry) {
  return {{"type", entry.type}, {"value", entry.value}};
}

}  // namespace

void AllowForProject::declare(Options& options) {
  options.optional_arguments("TYPE=VALUE", allowances, Completion::allowance);
  options.flag("--last", from_run, FromRun::primary, "what the last run most likely failed for");
  options.flag("--all", from_run, FromRun::all, "all that the last run was refused");
  options.flag("--force", force, Force::yes, "also what opens a credential or the like");
}

namespace {

/// What allows the refusals of the last run, each once; what no command allows is told and left
/// out.
Result<std::vector<std::string>> allowances_of_run(const Context& context,
                                                   const domain::AbsolutePath& project,
                                                   AllowForProject::FromRun which) {
  const auto record = load_run(context, std::nullopt);
  if (!record) {
    return tl::unexpected(record.error());
  }
  const auto directory = domain::AbsolutePath::parse(record->start.directory);
  if (!directory || !directory->is_within(project)) {
    return tl::unexpected("the last run with a refusal was in " + quoted(record->start.directory) +
                          ", which is not in this project");
  }
  const auto session = session_of(context, *record);
  if (!session) {
    return tl::unexpected(session.error());
  }
  const adapters::Entry* const primary = primary_entry(*record);
  std::vector<std::string> allowances;
  for (const adapters::Entry& entry : record->entries) {
    if (which == AllowForProject::FromRun::primary && &entry != primary) {
      continue;
    }
    const Remedy remedy = remedy_for(*session, entry.violation);
    if (remedy.allowances.empty()) {
      complain("not allowed: " + what_text(entry.violation) + ": " + remedy.why);
    }
    for (const std::string& allowance : remedy.allowances) {
      if (std::ranges::find(allowances, allowance) == allowances.end()) {
        allowances.push_back(allowance);
      }
    }
  }
  return allowances;
}

}  // namespace

int AllowForProject::run(const Context& context) const {
  Context own = context;
  const auto config = open_config(own);
  if (!config) {
    return fail(config.error());
  }
  if (config->lockdown == adapters::Lockdown::on) {
    return fail("the administrator has locked the sandbox: nothing can be allowed");
  }
  const auto project = project_of(context);
  if (!project) {
    return fail(project.error());
  }
  if (allowances.empty() == (from_run == FromRun::nothing)) {
    return fail("name what to allow, as TYPE=VALUE, or give --last or --all");
  }
  const Result<std::vector<std::string>> wanted =
      from_run == FromRun::nothing ? Result<std::vector<std::string>>(allowances)
                                   : allowances_of_run(context, project->root, from_run);
  if (!wanted) {
    return fail(wanted.error());
  }
  if (wanted->empty()) {
    return fail("nothing that was refused is allowed by a command");
  }
  // All or nothing: half of what was asked for would be a surprise.
  std::vector<domain::OverrideText> entries;
  for (const std::string& text : *wanted) {
    auto entry = checked(context, *project, text, force);
    if (!entry) {
      return fail(entry.error());
    }
    entries.push_back(*std::move(entry));
  }
  const auto store = context.overlays();
  const auto added = store.add(project->root, entries, project->surroundings,
                               adapters::time_text(adapters::time_now()));
  if (!added) {
    return fail(store_text(added.error()));
  }
  std::string out;
  for (const domain::OverrideText& entry : added->entries) {
    out += "allowed " + shell_word(joined_text(entry)) + "\n";
  }
  if (added->entries.empty()) {
    out = "nothing new: all of it is allowed already\n";
  }
  return print(out + "for " + visible(project->root.text()) + ", in " +
               visible(store.file_of(project->root)) + "\n")
             ? 0
             : 1;
}

void ShowProject::declare(Options& options) {
  options.flag("--json", output, Output::json, "as JSON");
}

int ShowProject::run(const Context& context) const {
  const auto project = project_of(context);
  if (!project) {
    return fail(project.error());
  }
  const auto store = context.overlays();
  const auto overlay = store.load(project->root, project->surroundings);
  if (!overlay) {
    return fail(to_message(overlay.error()));
  }
  const std::string& root = project->root.text();
  if (output == Output::json) {
    ordered_json out{{"repo_root", root}};
    ordered_json allow = ordered_json::array();
    if (*overlay) {
      out["path"] = store.file_of(project->root);
      out["updated_at"] = (*overlay)->updated_at;
      for (const auto& entry : (*overlay)->allow) {
        allow.push_back(to_json(entry.text));
      }
    }
    out["allow"] = std::move(allow);
    return print_json(out);
  }
  if (!*overlay) {
    return print("nothing is allowed for " + visible(root) + " beyond the profiles\n") ? 0 : 1;
  }
  std::vector<std::vector<std::string>> rows{{"TYPE", "VALUE"}};
  for (const auto& entry : (*overlay)->allow) {
    rows.push_back({std::string(entry.text.type), visible(entry.text.value)});
  }
  return print("project  " + visible(root) + "\nfile     " + visible(store.file_of(project->root)) +
               "\nupdated  " + visible((*overlay)->updated_at) + "\n\n" + table(rows))
             ? 0
             : 1;
}

void ListProjects::declare(Options& options) {
  options.flag("--json", output, Output::json, "as JSON");
}

int ListProjects::run(const Context& context) const {
  const auto overlays = context.overlays().list();
  if (output == Output::json) {
    ordered_json rows = ordered_json::array();
    for (const auto& row : overlays) {
      ordered_json out{{"repo_root", row.overlay.repo_root},
                       {"entries", row.overlay.allow.size()},
                       {"path", row.file}};
      if (!row.overlay.updated_at.empty()) {
        out["updated_at"] = row.overlay.updated_at;
      }
      if (row.error) {
        out["error"] = to_message(*row.error);
      }
      rows.push_back(std::move(out));
    }
    return print_json({{"entries", std::move(rows)}});
  }
  std::vector<std::vector<std::string>> rows{{"STATUS", "ALLOWANCES", "UPDATED", "PROJECT"}};
  for (const auto& row : overlays) {
    rows.push_back({row.error ? "ERROR" : "OK", std::to_string(row.overlay.allow.size()),
                    visible(row.overlay.updated_at),
                    visible(row.error ? to_message(*row.error) : row.overlay.repo_root)});
  }
  return print(table(rows)) ? 0 : 1;
}

void ResetProject::declare(Options& options) {
  options.flag("--yes", confirmed, Confirmed::yes, "do it");
}

int ResetProject::run(const Context& context) const {
  const auto project = project_of(context);
  if (!project) {
    return fail(project.error());
  }
  const std::string root = visible(project->root.text());
  if (confirmed == Confirmed::no) {
    return fail("this removes everything that is allowed for `" + root +
                "` beyond the profiles; add --yes to do it");
  }
  const auto removed = context.overlays().remove(project->root);
  if (!removed) {
    return fail(to_text(removed.error()));
  }
  return print((*removed ? "removed the allowances of " : "there were no allowances of ") + root +
               "\n")
             ? 0
             : 1;
}

}  // namespace pmg::app
