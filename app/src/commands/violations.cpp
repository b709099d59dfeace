#include "commands/violations.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "adapters/record/run_record.hpp"
#include "adapters/record/run_store.hpp"
#include "adapters/utc_time.hpp"
#include "aftermath.hpp"
#include "configuration.hpp"
#include "domain/derivation.hpp"
#include "domain/operation_kind.hpp"
#include "domain/path.hpp"
#include "domain/violation.hpp"
#include "flags.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"
#include "way.hpp"

namespace pmg::app {
namespace {

using nlohmann::ordered_json;

template <class T>
using Result = tl::expected<T, std::string>;

std::string store_text(const adapters::RunStore& store, const std::string& id,
                       const adapters::RunStoreError& error) {
  if (const auto* os = std::get_if<platform::OsError>(&error)) {
    return to_text(*os);
  }
  const auto& record = std::get<adapters::RecordError>(error);
  return visible(store.file_of(id)) + ":" + std::to_string(record.line) + ": " + record.what;
}

std::string head_text(const adapters::RunRecord& record) {
  std::string out = "run        " + record.start.id + "\ncommand    " +
                    shell_words(record.start.command) + "\ndirectory  " +
                    visible(record.start.directory) + "\nprofile    " +
                    visible(record.start.profile) + "\n";
  if (!record.end) {
    return out + "ended      not yet, or pmg was killed\n";
  }
  out += "ended      " + adapters::time_text(record.end->time) + ", exit code " +
         std::to_string(record.end->exit_code) + "\n";
  return record.end->dropped == 0
             ? out
             : out + "not kept   " + std::to_string(record.end->dropped) + " refusals more\n";
}

/// Of a disk that was full when a run began, or of something that is no record.
bool holds_nothing(const adapters::RunStoreError& error) {
  const auto* const record = std::get_if<adapters::RecordError>(&error);
  const auto* const os = std::get_if<platform::OsError>(&error);
  return (record != nullptr && record->line == 0) ||
         (os != nullptr && (os->error == EINVAL || os->error == ENOENT));
}

ordered_json json_of(const adapters::RunRecord& record, const adapters::Entry& entry) {
  const domain::Violation& in = entry.violation;
  ordered_json out{{"number", entry.number},
                   {"time", adapters::time_text(in.time)},
                   {"operation", to_word(in.operation)},
                   {"path", in.real},
                   {"spelled", in.spelled}};
  if (!in.real_to.empty()) {
    out["to"] = in.real_to;
  }
  out["count"] = record.count_of(entry);
  out["reason"] = explain(in);
  out["process"] = {
      {"pid", in.process.pid}, {"name", in.process.name}, {"command", in.process.command}};
  ordered_json packages = ordered_json::array();
  for (const domain::ScriptOwner& owner : in.process.owners) {
    packages.push_back(
        {{"package", owner.package}, {"version", owner.version}, {"script", owner.script}});
  }
  out["packages"] = std::move(packages);
  return out;
}

ordered_json json_of(const adapters::RunRecord& record) {
  ordered_json entries = ordered_json::array();
  for (const adapters::Entry& entry : record.entries) {
    entries.push_back(json_of(record, entry));
  }
  ordered_json out{
      {"run", record.start.id},          {"started_at", adapters::time_text(record.start.time)},
      {"command", record.start.command}, {"directory", record.start.directory},
      {"profile", record.start.profile}, {"removed_variables", record.start.removed}};
  if (record.end) {
    out["ended_at"] = adapters::time_text(record.end->time);
    out["exit_code"] = record.end->exit_code;
    out["dropped"] = record.end->dropped;
  }
  out["violations"] = std::move(entries);
  return out;
}

/// The refusal that was asked for, or a sentence.
Result<const adapters::Entry*> entry_of(const adapters::RunRecord& record,
                                        const std::optional<std::string>& number) {
  if (!number) {
    const adapters::Entry* const primary = primary_entry(record);
    return primary != nullptr
               ? Result<const adapters::Entry*>(primary)
               : tl::unexpected(std::string("nothing that was refused is a likely reason to "
                                            "fail; name one of `pmg sandbox violations list`"));
  }
  std::size_t index = 0;
  const char* const end = number->data() + number->size();
  const auto read = std::from_chars(number->data(), end, index);
  if (read.ec != std::errc{} || read.ptr != end || index == 0 || index > record.entries.size()) {
    return tl::unexpected(quoted(*number) + " is no number from 1 to " +
                          std::to_string(record.entries.size()));
  }
  return &record.entries[index - 1];
}

std::string process_text(const domain::Violation& violation) {
  const domain::ProcessFacts& process = violation.process;
  const std::string package = package_text(violation);
  return visible(process.name) + ", process " + std::to_string(process.pid) +
         (process.command.empty() ? "" : ": " + shell_words(process.command)) +
         (package.empty() ? "" : "\npackage    " + package);
}

/// What holds now.
std::string now_text(const Session& session, const domain::Violation& violation) {
  const auto operation = operation_of(violation);
  if (!operation) {
    return "no rule is about this: it is refused under every policy\n";
  }
  const domain::Derivation derivation = derive(session.compiled, *operation);
  const std::string rules = rules_text(session.compiled, derivation);
  if (derivation.decision.allowed()) {
    return "by now this is allowed:\n" + rules;
  }
  const Remedy remedy = remedy_for(session, violation);
  return rules + "\n" + to_text(way_of(session, *operation)) + "in every run here: " +
         (remedy.allowances.empty() ? "not suggested: " + remedy.why
                                    : "pmg sandbox allow " + shell_words(remedy.allowances)) +
         "\n";
}

}  // namespace

Result<adapters::RunRecord> load_run(const Context& context, const std::optional<std::string>& id) {
  const adapters::RunStore store = context.runs();
  if (id && !adapters::RunStore::is_id(*id)) {
    return tl::unexpected(quoted(*id) + " is no id of a run");
  }
  const auto ids = store.list();
  if (!ids) {
    return tl::unexpected(to_text(ids.error()));
  }
  const std::vector<std::string> candidates = id ? std::vector{*id} : *ids;
  for (const std::string& candidate : candidates) {
    auto record = store.load(candidate);
    if (record) {
      return *std::move(record);
    }
    if (id || !holds_nothing(record.error())) {
      return tl::unexpected(store_text(store, candidate, record.error()));
    }
  }
  return tl::unexpected(std::string("no run is recorded in which something was refused"));
}

Result<Session> session_of(const Context& context, const adapters::RunRecord& record) {
  Context there = context;
  const auto directory = domain::AbsolutePath::parse(record.start.directory);
  if (!directory) {
    return tl::unexpected(std::string("the record names no directory"));
  }
  there.caller.working_directory = *directory;
  const auto config = open_config(there);
  if (!config) {
    return tl::unexpected(config.error());
  }
  return open_session(there, Flags{}, Request{record.start.profile, std::nullopt});
}

void ListViolations::declare(Options& options) {
  options.value("--run", "ID", id, "this run instead of the last one");
  options.flag("--json", output, Output::json, "as JSON");
}

int ListViolations::run(const Context& context) const {
  const auto record = load_run(context, id);
  if (!record) {
    return fail(record.error());
  }
  if (output == Output::json) {
    return print_json(json_of(*record));
  }
  std::vector<std::vector<std::string>> rows{{"N", "TIMES", "WHAT", "WHY", "PROCESS"}};
  for (const adapters::Entry& entry : record->entries) {
    const std::string package = package_text(entry.violation);
    rows.push_back({std::to_string(entry.number), std::to_string(record->count_of(entry)),
                    what_text(entry.violation), explain(entry.violation),
                    package.empty() ? visible(entry.violation.process.name) : package});
  }
  return print(head_text(*record) + "\n" + table(rows)) ? 0 : 1;
}

void ExplainViolation::declare(Options& options) {
  options.optional_argument("N", number);
  options.value("--run", "ID", id, "of this run instead of the last one");
}

int ExplainViolation::run(const Context& context) const {
  const auto record = load_run(context, id);
  if (!record) {
    return fail(record.error());
  }
  const auto entry = entry_of(*record, number);
  if (!entry) {
    return fail(entry.error());
  }
  const auto session = session_of(context, *record);
  if (!session) {
    return fail(session.error());
  }
  const domain::Violation& violation = (*entry)->violation;
  return print("refused    " + what_text(violation) + "\nbecause    " + explain(violation) +
               "\ntimes      " + std::to_string(record->count_of(**entry)) + "\nprocess    " +
               process_text(violation) + "\n" + head_text(*record) + "\n" +
               now_text(*session, violation))
             ? 0
             : 1;
}

}  // namespace pmg::app
