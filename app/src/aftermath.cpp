#include "aftermath.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "adapters/config.hpp"
#include "adapters/record/run_record.hpp"
#include "allowances.hpp"
#include "domain/caution.hpp"
#include "domain/hesitation.hpp"
#include "domain/operation.hpp"
#include "domain/operation_kind.hpp"
#include "domain/redaction.hpp"
#include "domain/suggestion.hpp"
#include "domain/violation.hpp"
#include "messages.hpp"
#include "session.hpp"
#include "text.hpp"
#include "way.hpp"

namespace pmg::app {
namespace {

constexpr std::size_t kMostLines = 5;

std::string times_text(std::uint64_t count) {
  return count == 1 ? "" : ", " + std::to_string(count) + " times";
}

std::string line_of(const adapters::RunRecord& record, const adapters::Entry& entry) {
  const std::string package = package_text(entry.violation);
  return "  " + std::to_string(entry.number) + "  " + what_text(entry.violation) +
         times_text(record.count_of(entry)) + (package.empty() ? "" : ", by " + package) + ": " +
         explain(entry.violation);
}

std::string last_line(const Session& session, const domain::Violation& violation) {
  const Remedy remedy = remedy_for(session, violation);
  return "denied " + std::string(to_word(violation.operation)) + " " +
         shell_word(violation.real.empty() ? violation.spelled : violation.real) + " (" +
         explain(violation) + "); allow: " +
         (remedy.allowances.empty() ? "none (" + remedy.why + ")"
                                    : "pmg sandbox allow " + shell_words(remedy.allowances));
}

bool is_directory(const std::string& path) {
  std::error_code error;
  return !path.empty() && std::filesystem::is_directory(path, error);
}

std::string_view reason_of(domain::Hesitation hesitation) {
  switch (hesitation) {
    case domain::Hesitation::none:
      break;
    case domain::Hesitation::everything_beneath:
      return "that would open everything in the directory; a person may allow it";
    case domain::Hesitation::runs_later:
      return "it may run code later, outside the sandbox; a person may allow it";
    case domain::Hesitation::leads_outside:
      return "a socket leads out of the sandbox; a person may allow it";
  }
  return "";
}

/// Why a command that would work is not named.
std::optional<std::string> objection(const Session& session, const domain::Violation& violation,
                                     const domain::Operation& operation, const Way& way) {
  if (way.caution != domain::Caution::none) {
    return "it " + std::string(to_words(way.caution)) + "; a person may allow it with --force";
  }
  if (way.protection == domain::Protection::lifted) {
    return "that would lift a protection; a person may allow it with --force";
  }
  const std::array paths{&violation.real, &violation.spelled, &violation.real_to,
                         &violation.spelled_to};
  const bool opens_tree =
      std::ranges::any_of(paths, [](const std::string* path) { return is_directory(*path); });
  const domain::Hesitation hesitation = opens_tree
                                            ? domain::Hesitation::everything_beneath
                                            : hesitation_over(operation, session.surroundings);
  if (hesitation != domain::Hesitation::none) {
    return std::string(reason_of(hesitation));
  }
  if (std::ranges::any_of(paths, [](const std::string* path) {
        return path->find(domain::Redaction::kMark) != std::string::npos;
      })) {
    return "its name holds a secret, which was not kept";
  }
  if (std::ranges::any_of(way.flags,
                          [](const std::string& flag) { return visible(flag) != flag; })) {
    return "its name holds characters that cannot be shown";
  }
  return std::nullopt;
}

}  // namespace

std::string package_text(const domain::Violation& violation) {
  if (violation.process.owners.empty()) {
    return {};
  }
  const domain::ScriptOwner& owner = violation.process.owners.front();
  return visible(owner.package) + (owner.version.empty() ? "" : "@" + visible(owner.version)) +
         (owner.script.empty() ? "" : " (" + visible(owner.script) + ")");
}

Remedy remedy_for(const Session& session, const domain::Violation& violation) {
  if (session.lockdown == adapters::Lockdown::on) {
    return {{}, "the administrator has locked the sandbox"};
  }
  const auto operation = operation_of(violation);
  if (!operation) {
    return {{}, "no rule is about this"};
  }
  Way way = way_of(session, *operation);
  if (way.flags.empty()) {
    return {{}, std::move(way.why)};
  }
  if (auto why = objection(session, violation, *operation, way)) {
    return {{}, *std::move(why)};
  }
  return {std::move(way.flags), {}};
}

const adapters::Entry* primary_entry(const adapters::RunRecord& record) {
  std::vector<domain::Violation> violations;
  violations.reserve(record.entries.size());
  for (const adapters::Entry& entry : record.entries) {
    violations.push_back(entry.violation);
  }
  const auto primary = primary_of(violations);
  return primary ? &record.entries[*primary] : nullptr;
}

std::vector<std::string> refusal_lines(const Session& session, const adapters::RunRecord& record) {
  const adapters::Entry* const primary = primary_entry(record);
  if (primary == nullptr) {
    return {};
  }
  const std::size_t count = record.entries.size();
  std::vector<std::string> lines;
  if (count > 1) {
    lines.push_back(
        "refused in this run: " + std::to_string(count) +
        " things; `pmg sandbox explain N` tells more, `pmg sandbox violations list` all");
    // The last ones: what a program fails for is near its end.
    for (std::size_t i = count - std::min(count, kMostLines); i < count; ++i) {
      lines.push_back(line_of(record, record.entries[i]));
    }
  }
  lines.push_back(last_line(session, primary->violation));
  return lines;
}

}  // namespace pmg::app
