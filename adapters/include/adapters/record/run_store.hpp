/// The records of the last runs, a file each, in a directory that only the user may enter.
///
///   RunStore store(cache + "/sandbox/runs");
///   auto record = store.load(store.list()->front());
///
/// RS1: directory 0700, files 0600, and no file that was there is written to. RS2: the newest
/// `kMostRuns` stay, whatever they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/record/run_record.hpp"
#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters {

using RunStoreError = std::variant<RecordError, platform::OsError>;

class RunStore {
 public:
  static constexpr std::size_t kMostRuns = 50;

  /// `directory` need not exist.
  explicit RunStore(std::string directory) noexcept : directory_(std::move(directory)) {}

  /// "20261201T040506.000007Z-1a2b3c4d": the time, and what tells apart runs that begin at once.
  /// RS3: ids sort as the times do.
  /// `microseconds`: since 1970, UTC.
  [[nodiscard]] static std::string new_id(std::int64_t microseconds);
  /// Whether it has the form of an id, so that it names a file of the directory.
  [[nodiscard]] static bool is_id(std::string_view text) noexcept;

  /// A new file, open for appending; the oldest runs go.
  [[nodiscard]] tl::expected<platform::UniqueFd, platform::OsError> create(
      const std::string& id) const;

  /// The ids, the newest first. Empty where the directory is missing.
  [[nodiscard]] tl::expected<std::vector<std::string>, platform::OsError> list() const;

  [[nodiscard]] tl::expected<RunRecord, RunStoreError> load(const std::string& id) const;

  [[nodiscard]] std::string file_of(const std::string& id) const;

 private:
  std::string directory_;
};

}  // namespace pmg::adapters
