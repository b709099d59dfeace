/// Many worlds, on several processes, until enough was decided.
///
///   const Campaign campaign{.probe = program_bytes, .decisions = 20'000};
///   const Result result = run_campaign(campaign);
///
/// The worlds are numbered; which worlds exist depends on the seed alone. With a state file a
/// campaign goes on where an earlier one ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "gen/holds.hpp"
#include "model/compare.hpp"

namespace pmg::model {

struct Campaign {
  std::string probe;               ///< the bytes of the program
  std::uint64_t decisions = 0;     ///< ends when so many were made
  std::chrono::seconds limit{60};  ///< or after so long
  std::uint64_t seed = 1;
  std::uint64_t first_world = 0;
  unsigned jobs = 1;
  std::string state;                 ///< a file to go on from and to leave behind; empty: none
  std::chrono::seconds progress{0};  ///< how often a line is printed; 0: never
};

enum class Ending : std::uint8_t { enough, out_of_time, interrupted, finding };

struct Result {
  Ending ended;
  std::uint64_t decisions;
  std::string text;  ///< the table, and the rate of this run
  /// Differences that were never met, with their ids; of interest after a long run.
  std::string unseen;
};

[[nodiscard]] Result run_campaign(const Campaign& campaign);

/// Directories of one process, removed at the end.
class Workplace {
 public:
  explicit Workplace(const std::string& probe);
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace();
  [[nodiscard]] const Sites& sites() const { return sites_; }

 private:
  std::string base_;
  Sites sites_;
};

/// The bytes of a world.
[[nodiscard]] gen::Bytes bytes_of(std::uint64_t seed, std::uint64_t world);

/// The smallest world found in which the same sort of finding shows, in words.
[[nodiscard]] std::string shrink(const gen::Bytes& bytes, const Finding& finding,
                                 const Sites& sites);

}  // namespace pmg::model
