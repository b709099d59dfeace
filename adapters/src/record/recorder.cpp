#include "adapters/record/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
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
  if (Seen* const seen = find_new(denial)) {  // a map's values stay where they are
    keep(violation_of(denial), *seen);
    write_what_waits();
  }
}

RunRecord Recorder::finish(int exit_code) {
  for (const auto& [key, seen] : seen_) {
    if (seen.number == 0) {
      end_.dropped += seen.count;
    } else if (seen.count > 1) {
      end_.counts[seen.number] = seen.count;
    }
  }
  end_.time = time_now();
  end_.exit_code = exit_code;
  if (!record_.entries.empty()) {
    waiting_ += to_line(end_);
    write_what_waits();
  }
  record_.end = std::move(end_);
  return std::move(record_);
}

// A refusal that is new is for the caller to keep, and everybody else counts it.
Recorder::Seen* Recorder::find_new(const Denial& denial) {
  std::string key = key_of(denial);
  const std::lock_guard lock(mutex_);
  if (const auto known = seen_.find(key); known != seen_.end()) {
    ++known->second.count;
    return nullptr;
  }
  if (seen_.size() == kMostDistinct || bytes_ >= kMostBytes) {
    ++end_.dropped;
    return nullptr;
  }
  return &seen_[std::move(key)];
}

void Recorder::keep(domain::Violation violation, Seen& seen) {
  const std::lock_guard lock(mutex_);
  Entry entry{record_.entries.size() + 1, std::move(violation)};
  const std::string line = to_line(entry);
  bytes_ += line.size();
  if (bytes_ > kMostBytes) {
    return;  // nor anything after it: the record says what came first
  }
  seen.number = entry.number;
  record_.entries.push_back(std::move(entry));
  waiting_ += line;
}

// What comes while another thread writes is written by that thread: it looks again when it has let
// go of the file.
void Recorder::write_what_waits() {
  while (has_waiting()) {
    const std::unique_lock writer(writing_, std::try_to_lock);
    if (!writer) {
      return;
    }
    write(take_waiting());
  }
}

std::string Recorder::take_waiting() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

bool Recorder::has_waiting() {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

domain::ProcessFacts Recorder::facts_of(std::int32_t thread) {
  if (std::chrono::nanoseconds(asking_.load()) > kMostAsking) {
    return {thread, {}, {}, {}};
  }
  const auto began = std::chrono::steady_clock::now();
  domain::ProcessFacts facts = process_facts(thread, redaction_);
  asking_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count();
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

void Recorder::write(const std::string& text) {
  if (trouble_) {
    return;
  }
  std::string start;
  if (!file_) {
    auto file = store_.create(record_.start.id);
    if (!file) {
      trouble_ = file.error();
      return;
    }
    file_ = std::move(*file);
    start = to_line(record_.start);
  }
  if (const auto written = platform::append(file_, start + text); !written) {
    trouble_ = platform::OsError{"write", written.error().value, store_.file_of(record_.start.id)};
  }
}

}  // namespace pmg::adapters
