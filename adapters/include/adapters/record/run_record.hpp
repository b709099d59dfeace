/// What is kept of one run: how it was started, what was refused, how it ended.
///
///   std::string file = to_line(start) + to_line(entry) + … + to_line(end);
///   auto record = parse_record(file);                 // expected<RunRecord, RecordError>
///
/// The format is a line of JSON each, described in docs/JSON.md. RR1: what was written reads back
/// as the same, whatever bytes are in its names. RR2: a last line that was cut off by a crash is
/// left out; anything else that is no line of a record is an error, with its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "domain/violation.hpp"

namespace pmg::adapters {

/// The version of the format; a reader refuses a greater one.
inline constexpr int kRecordVersion = 1;

struct RunStart {
  std::string id;                    ///< "20261201T040506.000007Z-1a2b3c4d"
  std::int64_t time = 0;             ///< microseconds since 1970, UTC
  std::vector<std::string> command;  ///< secrets taken out
  std::string directory;             ///< the working directory
  std::string profile;               ///< a name or a file, as asked for
  std::vector<std::string> removed;  ///< names of variables that were not passed on
  friend bool operator==(const RunStart&, const RunStart&) = default;
};

struct RunEnd {
  std::int64_t time = 0;
  int exit_code = 0;
  /// How often each was refused, by its number; once where it is not here.
  std::map<std::size_t, std::uint64_t> counts;
  /// Refusals that came after the limit of distinct ones.
  std::uint64_t dropped = 0;
  friend bool operator==(const RunEnd&, const RunEnd&) = default;
};

/// A refusal with its number in the run, from 1.
struct Entry {
  std::size_t number = 0;
  domain::Violation violation;
  friend bool operator==(const Entry&, const Entry&) = default;
};

struct RunRecord {
  RunStart start;
  std::vector<Entry> entries;  ///< in the order of their numbers
  std::optional<RunEnd> end;   ///< nothing while it runs, or if pmg was killed

  /// At least 1.
  [[nodiscard]] std::uint64_t count_of(const Entry& entry) const;
};

struct RecordError {
  std::size_t line;  ///< from 1; 0 for the whole
  std::string what;  ///< "`operation` is missing", …
};

/// With the line end.
[[nodiscard]] std::string to_line(const RunStart& start);
[[nodiscard]] std::string to_line(const Entry& entry);
[[nodiscard]] std::string to_line(const RunEnd& end);

[[nodiscard]] tl::expected<RunRecord, RecordError> parse_record(std::string_view text);

}  // namespace pmg::adapters
