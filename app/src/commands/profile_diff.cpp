#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "colour.hpp"
#include "commands/profile_lint.hpp"
#include "domain/policy_diff.hpp"
#include "domain/policy_field.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"
#include "table.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using domain::Change;
using domain::RuleChange;
using nlohmann::ordered_json;

constexpr int kDifferent = 1;
constexpr int kTrouble = 2;

/// A line each, aligned.
std::string lines_of(const std::vector<RuleChange>& changes, const Paint& paint) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(changes.size());
  for (const RuleChange& change : changes) {
    rows.push_back({change.change == Change::added ? "  +" : "  -", domain::key_of(change.field),
                    visible(change.rule),
                    change.origin.file.empty() ? "" : to_text(change.origin)});
  }
  const std::string text = table(rows);
  std::string out;
  std::size_t at = 0;
  for (const RuleChange& change : changes) {
    const auto end = text.find('\n', at);
    out += paint(text.substr(at, end - at),
                 change.change == Change::added ? Colour::green : Colour::red) +
           "\n";
    at = end + 1;
  }
  return out;
}

std::string section(const std::string& title, const std::vector<RuleChange>& changes,
                    const Paint& paint) {
  return changes.empty() ? "" : title + "\n" + lines_of(changes, paint);
}

ordered_json to_json(const std::vector<RuleChange>& changes) {
  ordered_json rows = ordered_json::array();
  for (const RuleChange& change : changes) {
    ordered_json row{{"change", change.change == Change::added ? "added" : "removed"},
                     {"field", domain::key_of(change.field)}};
    if (!change.rule.empty()) {
      row["rule"] = change.rule;
    }
    if (!change.origin.file.empty()) {
      row["path"] = change.origin.file;
      row["line"] = change.origin.line;
      row["column"] = change.origin.column;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

int fail(const adapters::LoadError& error) {
  complain(to_message(error));
  return kTrouble;
}

}  // namespace

void DiffProfiles::declare(Options& options) {
  options.argument("A", before, Completion::profile);
  options.argument("B", after, Completion::profile);
  options.flag("--json", output, Output::json, "as JSON");
}

int DiffProfiles::run(const Context& context) const {
  const auto registry = context.profiles();
  const auto old_policy = registry.resolve(before);
  if (!old_policy) {
    return fail(old_policy.error());
  }
  const auto new_policy = registry.resolve(after);
  if (!new_policy) {
    return fail(new_policy.error());
  }
  const auto difference = domain::diff(*old_policy, *new_policy);
  const int code = difference.is_empty() ? 0 : kDifferent;
  if (output == Output::json) {
    const int printed = print_json({{"a", before},
                                    {"b", after},
                                    {"newly_allowed", to_json(difference.newly_allowed)},
                                    {"newly_denied", to_json(difference.newly_denied)}});
    return printed == 0 ? code : kTrouble;
  }
  if (difference.is_empty()) {
    complain(app::quoted(before) + " and " + app::quoted(after) + " allow the same");
    return 0;
  }
  const Paint paint(context.environment);
  const std::string name = app::quoted(after);
  const bool printed = print(section("newly allowed in " + name, difference.newly_allowed, paint) +
                             section("newly denied in " + name, difference.newly_denied, paint));
  return printed ? code : kTrouble;
}

}  // namespace pmg::app
