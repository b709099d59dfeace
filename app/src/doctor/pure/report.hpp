/// What `pmg sandbox doctor` tells: values, and how they are printed.
///
///   Report report{{{"kernel.landlock", Status::ok, "ABI 7"}}, {}};
///   print(to_text(report));  return exit_code(report);
///
/// Not for: finding anything out. Everything here is a function of its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace pmg::app {

enum class Status : std::uint8_t {
  ok,
  warn,     ///< works, with less than there could be
  fail,     ///< something that is promised does not hold, or nothing can run
  skipped,  ///< tells nothing here, with the reason
};
[[nodiscard]] std::string_view to_word(Status status) noexcept;

/// One way out.
struct Fix {
  std::string description;
  std::string command = {};  ///< to be typed as it is; empty where there is none
  std::string docs = {};     ///< a file of the documentation
};

struct ProbeResult {
  std::string name;  ///< "kernel.landlock"
  Status status;
  std::string summary = {};  ///< one line
  std::string detail = {};   ///< lines for whoever has to act
  std::vector<Fix> fixes = {};
};

enum class Enforced : std::uint8_t { no, yes };

/// How one kind of rule holds here.
struct RuleRow {
  std::string kind;       ///< "read", "network outbound"
  std::string mechanism;  ///< by what; or why not
  Enforced enforced;
};

struct Report {
  std::vector<ProbeResult> results;
  std::vector<RuleRow> rules;
};

/// 2 if any probe failed, else 0.
[[nodiscard]] int exit_code(const Report& report) noexcept;

/// The table of probes, the table of rules, and a block for each probe that is not ok.
[[nodiscard]] std::string to_text(const Report& report);

/// docs/JSON.md has the schema.
[[nodiscard]] nlohmann::ordered_json to_json(const Report& report);

}  // namespace pmg::app
