#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "doctor/pure/attack.hpp"
#include "table.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using nlohmann::ordered_json;

/// "17 got, 2 refused": the first word of each, counted.
std::string counted(const std::vector<TryResult>& tries, std::string TryResult::*side) {
  std::vector<std::pair<std::string, int>> counts;
  for (const TryResult& one : tries) {
    const std::string& text = one.*side;
    const std::string word = text.substr(0, text.find(' '));
    auto found = std::ranges::find(counts, word, &std::pair<std::string, int>::first);
    if (found == counts.end()) {
      counts.emplace_back(word, 0);
      found = counts.end() - 1;
    }
    ++found->second;
  }
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [word, count] : counts) {
    parts.push_back(std::to_string(count) + " " + word);
  }
  return parts.empty() ? "-" : joined(parts);
}

void add_notes(const AttackResult& result, std::string& failures,
               std::map<std::string, int>& others) {
  for (const std::string& failure : result.failures) {
    failures += "FAILED  " + visible(result.name) + ": " + visible(failure) + "\n";
  }
  for (const TryResult& one : result.tries) {
    if (one.verdict == Verdict::failed) {
      failures += "FAILED  " + visible(result.name + " " + one.name + ": " + one.note) +
                  " (without pmg " + visible(one.alone) + ", under it " + visible(one.under) +
                  ")\n";
    } else if (one.verdict != Verdict::blocked) {
      ++others[std::string(to_word(one.verdict)) + "  " + visible(result.name) + ": " +
               visible(one.note)];
    }
  }
}

}  // namespace

std::string to_text(const std::vector<AttackResult>& results) {
  std::vector<std::vector<std::string>> rows{{"LINE", "ATTACK", "ALONE", "UNDER PMG", "VERDICT"}};
  std::string failures;
  std::map<std::string, int> others;
  std::map<Verdict, int> totals;
  for (const AttackResult& result : results) {
    const Verdict verdict = verdict_of(result);
    rows.push_back({std::to_string(result.line), visible(result.about),
                    counted(result.tries, &TryResult::alone),
                    counted(result.tries, &TryResult::under), std::string(to_word(verdict))});
    add_notes(result, failures, others);
    for (const TryResult& one : result.tries) {
      ++totals[one.verdict];
    }
  }
  std::string out = table(rows) + "\n" + failures;
  for (const auto& [note, count] : others) {
    out += note + " (" + std::to_string(count) + ")\n";
  }
  return out + std::to_string(results.size()) +
         " attacks: " + std::to_string(totals[Verdict::blocked]) + " tries blocked, " +
         std::to_string(totals[Verdict::gap]) + " known gaps, " +
         std::to_string(totals[Verdict::skipped]) + " skipped, " +
         std::to_string(totals[Verdict::failed]) + " failed\n";
}

ordered_json to_json(const std::vector<AttackResult>& results) {
  ordered_json attacks = ordered_json::array();
  for (const AttackResult& result : results) {
    ordered_json tries = ordered_json::array();
    for (const TryResult& one : result.tries) {
      ordered_json row{
          {"name", one.name},
          {"alone", one.alone},
          {"under_pmg", one.under},
          {"verdict", one.verdict == Verdict::failed ? "failed" : to_word(one.verdict)}};
      if (!one.note.empty()) {
        row["note"] = one.note;
      }
      tries.push_back(std::move(row));
    }
    const Verdict verdict = verdict_of(result);
    ordered_json attack{{"line", result.line},
                        {"name", result.name},
                        {"description", result.about},
                        {"verdict", verdict == Verdict::failed ? "failed" : to_word(verdict)},
                        {"tries", std::move(tries)}};
    if (!result.failures.empty()) {
      attack["failures"] = result.failures;
    }
    attacks.push_back(std::move(attack));
  }
  return {{"attacks", std::move(attacks)}};
}

}  // namespace pmg::app
