/// Attacks: what they print, and what that means.
///
///   const auto exceptions = parse_exceptions(text_of_the_source);
///   const auto result = judge(attack, exceptions, alone, under);
///
/// An attack tries many things, and prints a line for each: `NAME GOT detail`, `NAME REFUSED ERRNO`
/// or `NAME SKIPPED reason`. DR4: a try counts as blocked only if the same try succeeds without
/// pmg. tests/escape/run.py judges in the same way. Not for: running them; run_attacks.hpp does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace pmg::app {

enum class Answer : std::uint8_t { got, refused, skipped };

struct Try {
  std::string name;
  Answer answer;
  std::string detail;
  friend bool operator==(const Try&, const Try&) = default;
};

/// Other lines are passed over.
[[nodiscard]] std::vector<Try> parse_tries(std::string_view output);

/// What a source says about its tries: `// KIND: GLOB words`.
struct Exception {
  enum class Kind : std::uint8_t {
    optional,  ///< the machine may forbid it without pmg
    refused,   ///< these errors count as well; `words` begins with them (A,B)
    gap,       ///< a documented gap: succeeds under pmg
    changes,   ///< `glob` is a name that may change
  } kind;
  std::string glob;
  std::string words;
};
[[nodiscard]] std::vector<Exception> parse_exceptions(std::string_view source);

/// `*` stands for any text.
[[nodiscard]] bool matches(std::string_view glob, std::string_view name) noexcept;

/// What came of one run.
struct AttackRun {
  std::vector<Try> tries;
  std::string failure;                  ///< why it ended otherwise than with exit code 0
  std::vector<std::string> breaches{};  ///< "the secret was printed", "~/notes was changed"
};

enum class Verdict : std::uint8_t { blocked, skipped, gap, failed };
[[nodiscard]] std::string_view to_word(Verdict verdict) noexcept;

struct TryResult {
  std::string name;
  std::string alone;  ///< "got", "refused EACCES", "skipped"
  std::string under;
  Verdict verdict;
  std::string note;  ///< why it is not blocked
};

struct AttackResult {
  int line;  ///< of the list of attacks
  std::string name;
  std::string about;
  std::vector<TryResult> tries;
  std::vector<std::string> failures;  ///< of the attack as a whole
};

[[nodiscard]] AttackResult judge(int line, std::string_view name, std::string_view about,
                                 const std::vector<Exception>& exceptions, const AttackRun& alone,
                                 const AttackRun& under);

/// Failed if anything failed; skipped if nothing was tried.
[[nodiscard]] Verdict verdict_of(const AttackResult& result);

/// 2 if one failed, or if none was blocked.
[[nodiscard]] int exit_code(const std::vector<AttackResult>& results);
[[nodiscard]] std::string to_text(const std::vector<AttackResult>& results);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<AttackResult>& results);

}  // namespace pmg::app
