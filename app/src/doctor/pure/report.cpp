#include "doctor/pure/report.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "table.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using nlohmann::ordered_json;

constexpr int kSomethingFailed = 2;

/// What the table has room for; the block below it has everything.
constexpr std::size_t kLongestSummary = 80;
constexpr std::size_t kLongestFix = 60;

std::string first_fix(const ProbeResult& result) {
  if (result.fixes.empty()) {
    return "-";
  }
  const Fix& fix = result.fixes.front();
  return fix.command.empty() ? fix.description : fix.command;
}

std::string indented(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    out += "  " + visible(line) + "\n";
  }
  return out;
}

std::string block(const ProbeResult& result) {
  std::string out = std::string(to_word(result.status)) + "  " + visible(result.name) + "\n";
  out += indented(result.summary) + indented(result.detail);
  for (const Fix& fix : result.fixes) {
    out += "  fix: " + visible(fix.description) + "\n";
    if (!fix.command.empty()) {
      out += "       $ " + visible(fix.command) + "\n";
    }
    if (!fix.docs.empty()) {
      out += "       see " + visible(fix.docs) + "\n";
    }
  }
  return out;
}

ordered_json to_json(const Fix& fix) {
  ordered_json out{{"description", fix.description}};
  if (!fix.command.empty()) {
    out["command"] = fix.command;
  }
  if (!fix.docs.empty()) {
    out["docs"] = fix.docs;
  }
  return out;
}

ordered_json to_json(const ProbeResult& result) {
  ordered_json out{{"name", result.name}, {"status", to_word(result.status)}};
  if (!result.summary.empty()) {
    out["summary"] = result.summary;
  }
  if (!result.detail.empty()) {
    out["detail"] = result.detail;
  }
  for (const Fix& fix : result.fixes) {
    out["fixes"].push_back(to_json(fix));
  }
  return out;
}

}  // namespace

std::string_view to_word(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::warn:
      return "warn";
    case Status::fail:
      return "fail";
    case Status::skipped:
      return "skipped";
  }
  return "";
}

int exit_code(const Report& report) noexcept {
  const bool failed = std::ranges::any_of(
      report.results, [](const ProbeResult& result) { return result.status == Status::fail; });
  return failed ? kSomethingFailed : 0;
}

std::string to_text(const Report& report) {
  std::vector<std::vector<std::string>> probes{{"STATUS", "CHECK", "SUMMARY", "FIX"}};
  std::string blocks;
  for (const ProbeResult& result : report.results) {
    probes.push_back({std::string(to_word(result.status)), visible(result.name),
                      shortened(visible(result.summary), kLongestSummary),
                      shortened(visible(first_fix(result)), kLongestFix)});
    if (result.status != Status::ok) {
      blocks += "\n" + block(result);
    }
  }
  std::vector<std::vector<std::string>> rules{{"RULES", "ENFORCED", "BY"}};
  for (const RuleRow& rule : report.rules) {
    rules.push_back({visible(rule.kind), rule.enforced == Enforced::yes ? "yes" : "NO",
                     visible(rule.mechanism)});
  }
  return table(probes) + "\n" + table(rules) + blocks;
}

ordered_json to_json(const Report& report) {
  ordered_json results = ordered_json::array();
  for (const ProbeResult& result : report.results) {
    results.push_back(to_json(result));
  }
  ordered_json rules = ordered_json::array();
  for (const RuleRow& rule : report.rules) {
    rules.push_back({{"kind", rule.kind},
                     {"mechanism", rule.mechanism},
                     {"enforced", rule.enforced == Enforced::yes}});
  }
  return {{"results", std::move(results)}, {"rules", std::move(rules)}};
}

}  // namespace pmg::app
