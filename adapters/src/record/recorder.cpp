#include "adapters/record/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/record/run_record.hpp"
#include "adapters/record/run_store.hpp"
#include "adapters/run.hpp"
#include "adapters/utc_time.hpp"
#include "domain/violation.hpp"
#include "platform/files.hpp"
#include "platform/log_file.hpp"
#include "platform/process.hpp"
#include "record/process_facts.hpp"

namespace pmg::adapters {
namespace {

/// Equal for two refusals of the same thing for the same reason.
std::string key_of(const Denial& denial) {
  std::string key;
  for (const std::string_view part :
       {denial.real, denial.spelled, denial.real_to, denial.spelled_to, denial.note}) {
    key += part;
    key += '\0';  // no path and no note holds one
  }
  key += static_cast<char>(denial.operation);
  key += static_cast<char>(denial.node);
  key += static_cast<char>(denial.decision.reason);
  return key + std::to_string(denial.decision.rule.index);
}

}  // namespace

Recorder::Recorder(const domain::CompiledPolicy& policy, const RunStore& store, RunStart start,
                   domain::Redaction redaction)
    : policy_(policy),
      store_(store),
      redaction_(std::move(redaction)),
      record_{std::move(start), {}, {}} {
  record_.start.command = redaction_.of_command(record_.start.command);
}

void Recorder::record(const Denial& denial) {
  std::string key = key_of(denial);
  const std::lock_guard lock(mutex_);
  if (const auto known = numbers_.find(key); known != numbers_.end()) {
    auto& count = end_.counts[known->second];
    count = std::max<std::uint64_t>(count, 1) + 1;
    return;
  }
  if (numbers_.size() == kMostDistinct || bytes_ >= kMostBytes) {
    ++end_.dropped;
    return;
  }
  const std::size_t number = numbers_.size() + 1;
  Entry entry{number, violation_of(denial)};
  const std::string line = to_line(entry);
  bytes_ += line.size();
  if (bytes_ > kMostBytes) {
    ++end_.dropped;  // and everything after it: the record says what came first
    return;
  }
  numbers_.emplace(std::move(key), number);
  record_.entries.push_back(std::move(entry));
  write(line);
}

RunRecord Recorder::finish(int exit_code) {
  end_.time = time_now();
  end_.exit_code = exit_code;
  if (!record_.entries.empty()) {
    write(to_line(end_));
  }
  record_.end = std::move(end_);
  return std::move(record_);
}

domain::ProcessFacts Recorder::facts_of(std::int32_t thread) {
  if (asking_ > kMostAsking) {
    return {thread, {}, {}, {}};
  }
  const auto began = std::chrono::steady_clock::now();
  domain::ProcessFacts facts = process_facts(thread, redaction_);
  asking_ += std::chrono::steady_clock::now() - began;
  return facts;
}

domain::Violation Recorder::violation_of(const Denial& denial) {
  const domain::Rule* const rule = policy_.rule(denial.decision.rule);
  return {denial.operation,
          redaction_.of_text(denial.real),
          redaction_.of_text(denial.spelled),
          redaction_.of_text(denial.real_to),
          redaction_.of_text(denial.spelled_to),
          denial.node,
          denial.decision.reason,
          rule == nullptr ? std::nullopt : std::optional(domain::cite(*rule)),
          std::string(denial.note),
          facts_of(denial.pid),
          time_now()};
}

void Recorder::write(const std::string& line) {
  if (trouble_) {
    return;
  }
  std::string text;
  if (!file_) {
    auto file = store_.create(record_.start.id);
    if (!file) {
      trouble_ = file.error();
      return;
    }
    file_ = std::move(*file);
    text = to_line(record_.start);
  }
  if (const auto written = platform::append(file_, text + line); !written) {
    trouble_ = platform::OsError{"write", written.error().value, store_.file_of(record_.start.id)};
  }
}

}  // namespace pmg::adapters
