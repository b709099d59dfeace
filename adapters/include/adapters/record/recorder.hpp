/// Keeps what a run is refused.
///
///   Recorder recorder(policy, store, start, redaction);
///   options.on_denial = [&](const Denial& denial) { recorder.record(denial); };
///   … run …
///   const auto record = recorder.finish(exit_code);
///
/// Each distinct refusal is written once, when it first happens; repetitions are counted in memory
/// and written at the end. No thread waits for another one that asks procfs or writes (RC3): what
/// it has to write is left to that one. Nothing is made on disk before the first refusal. RC1: a
/// refusal is in the record, or counted as dropped. RC2: what goes wrong here changes no decision
/// and does not end the run; `trouble` tells it afterwards. The program inside cannot write here:
/// the files are in pmg's own directories (M2), and names that it chose are text, never structure.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "adapters/record/run_record.hpp"
#include "adapters/record/run_store.hpp"
#include "adapters/run.hpp"
#include "domain/compiled.hpp"
#include "domain/redaction.hpp"
#include "domain/violation.hpp"
#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters {

class Recorder {
 public:
  /// More distinct refusals than this are only counted,
  static constexpr std::size_t kMostDistinct = 10'000;
  /// and so are those that would make the file longer than this.
  static constexpr std::size_t kMostBytes = 16UL << 20U;
  /// After so much time spent on asking who it was, only the number of the thread is kept.
  static constexpr std::chrono::milliseconds kMostAsking{2000};

  Recorder(const domain::CompiledPolicy& policy, const RunStore& store, RunStart start,
           domain::Redaction redaction);

  /// From any thread.
  void record(const Denial& denial);

  /// After the run; once. `record` is not called any more.
  [[nodiscard]] RunRecord finish(int exit_code);

  /// Why the file is not complete; nothing where it is.
  [[nodiscard]] const std::optional<platform::OsError>& trouble() const noexcept {
    return trouble_;
  }

 private:
  /// What is known of a distinct refusal.
  struct Seen {
    std::size_t number =
        0;  ///< of its entry; 0 while it is not kept, or for good if there is no room
    std::uint64_t count = 1;
  };

  [[nodiscard]] Seen* find_new(const Denial& denial);
  [[nodiscard]] domain::Violation violation_of(const Denial& denial);
  [[nodiscard]] domain::ProcessFacts facts_of(std::int32_t thread);
  void keep(domain::Violation violation, Seen& seen);
  void write_what_waits();
  [[nodiscard]] std::string take_waiting();
  [[nodiscard]] bool has_waiting();
  void write(const std::string& text);

  const domain::CompiledPolicy& policy_;
  const RunStore& store_;
  const domain::Redaction redaction_;
  std::atomic<std::int64_t> asking_{0};  ///< nanoseconds

  std::mutex mutex_;  ///< of the next five; held for an instant
  std::unordered_map<std::string, Seen> seen_;
  RunRecord record_;
  RunEnd end_;
  std::size_t bytes_ = 0;  ///< of all lines
  std::string waiting_;    ///< lines that are not written yet

  std::mutex writing_;  ///< of the next two; held while the disk takes its time
  platform::UniqueFd file_;
  std::optional<platform::OsError> trouble_;
};

}  // namespace pmg::adapters
