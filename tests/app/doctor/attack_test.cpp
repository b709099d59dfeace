#include "doctor/pure/attack.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace pmg::app;

namespace {

const char* const kSource = R"(// Line 1: something.
// optional: int80* the kernel has none
// refused: late EINVAL,ECHILD it is too late
// gap: known it is known
// changes: sub*
// says: refused read
// optional
int main(void) { // optional: not this
)";

AttackResult judged(const std::vector<Try>& alone, const std::vector<Try>& under) {
  return judge(1, "01_names", "names", parse_exceptions(kSource), {alone, ""}, {under, ""});
}

Try got(const char* name) { return {name, Answer::got, "x"}; }
Try refused(const char* name, const char* error) { return {name, Answer::refused, error}; }

}  // namespace

TEST_CASE("DR4: tries and exceptions are read line by line") {
  const auto tries =
      parse_tries("a GOT text\n# remark\nb REFUSED EACCES\nnoise\n\nc SKIPPED no such\nGOT\nd GOT");
  CHECK(tries == std::vector<Try>{{"a", Answer::got, "text"},
                                  {"b", Answer::refused, "EACCES"},
                                  {"c", Answer::skipped, "no such"},
                                  {"d", Answer::got, ""}});
  const auto exceptions = parse_exceptions(kSource);
  REQUIRE(exceptions.size() == 4);
  CHECK(exceptions[0].glob == "int80*");
  CHECK(exceptions[1].words == "EINVAL,ECHILD it is too late");
  CHECK(exceptions[3].kind == Exception::Kind::changes);
}

TEST_CASE("DR4: a star stands for any text") {
  struct Row {
    const char* glob;
    const char* name;
    bool matches;
  };
  for (const Row& row : std::vector<Row>{{"*", "", true},
                                         {"*", "a/b", true},
                                         {"a", "a", true},
                                         {"a", "ab", false},
                                         {"a*", "a", true},
                                         {"a*", "ba", false},
                                         {"*a", "ba", true},
                                         {"*trailing*", "x-trailing-y", true},
                                         {"*trailing*", "x-trail-y", false},
                                         {"a*b*c", "a12b34c", true},
                                         {"a*b*c", "a12c34b", false},
                                         {"ab*ba", "aba", false},
                                         {"a*a", "a", false}}) {
    CAPTURE(row.glob);
    CAPTURE(row.name);
    CHECK(matches(row.glob, row.name) == row.matches);
  }
}

TEST_CASE("DR4: what a pair of tries means") {
  struct Row {
    const char* why;
    Try alone;
    Try under;
    Verdict verdict;
  };
  const std::vector<Row> rows{
      {"blocked", got("a"), refused("a", "EACCES"), Verdict::blocked},
      {"it succeeds under pmg", got("a"), got("a"), Verdict::failed},
      {"it proves nothing", refused("a", "ENOENT"), refused("a", "EACCES"), Verdict::failed},
      {"an error that is no refusal", got("a"), refused("a", "EINVAL"), Verdict::failed},
      {"one that its source lists", got("late"), refused("late", "ECHILD"), Verdict::blocked},
      {"and one that it does not", got("late"), refused("late", "EIO"), Verdict::failed},
      {"a known gap", got("known"), got("known"), Verdict::gap},
      {"the machine forbids it", refused("int80-open", "ENOSYS"), refused("int80-open", "ENOSYS"),
       Verdict::skipped},
      {"and pmg allows it", refused("int80-open", "ENOSYS"), got("int80-open"), Verdict::failed},
      {"skipped alone", {"a", Answer::skipped, "no"}, refused("a", "EACCES"), Verdict::skipped},
      {"skipped under pmg", got("a"), {"a", Answer::skipped, "no"}, Verdict::skipped},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    const AttackResult result = judged({row.alone}, {row.under});
    REQUIRE(result.tries.size() == 1);
    CHECK(result.tries.front().verdict == row.verdict);
    CHECK(verdict_of(result) == row.verdict);
    CHECK((row.verdict == Verdict::blocked || !result.tries.front().note.empty()));
  }
}

TEST_CASE("DR4: an attack that did not run, or ran otherwise, has failed") {
  const auto exceptions = parse_exceptions(kSource);
  const std::vector<Try> one{got("a")};
  const std::vector<Try> blocked{refused("a", "EACCES")};
  const auto verdict = [&](const AttackRun& alone, const AttackRun& under) {
    return verdict_of(judge(1, "x", "x", exceptions, alone, under));
  };
  CHECK(verdict({one, ""}, {blocked, ""}) == Verdict::blocked);
  CHECK(verdict({one, ""}, {{}, "exit code 1: pmg: cannot confine"}) == Verdict::failed);
  CHECK(verdict({one, ""}, {{}, ""}) == Verdict::failed);
  CHECK(verdict({{}, ""}, {{}, ""}) == Verdict::failed);
  CHECK(verdict({one, "exit code 3"}, {blocked, ""}) == Verdict::failed);
  CHECK(verdict({one, ""}, {blocked, "no end within its time"}) == Verdict::failed);
  CHECK(verdict({one, ""}, {blocked, "", {"the secret was printed"}}) == Verdict::failed);
  CHECK(verdict({one, ""}, {{refused("b", "EACCES")}, ""}) == Verdict::failed);
  CHECK(verdict({{got("a"), got("b")}, ""}, {blocked, ""}) == Verdict::failed);
}

TEST_CASE("DR4: the exit code is 2 unless something was blocked and nothing failed") {
  const AttackResult blocked = judged({got("a")}, {refused("a", "EACCES")});
  const AttackResult skipped = judged({refused("int80", "ENOSYS")}, {refused("int80", "ENOSYS")});
  const AttackResult failed = judged({got("a")}, {got("a")});
  CHECK(exit_code(std::vector{blocked, skipped}) == 0);
  CHECK(exit_code(std::vector{blocked, failed}) == 2);
  CHECK(exit_code(std::vector{skipped}) == 2);
  CHECK(exit_code(std::vector<AttackResult>{}) == 2);
}

TEST_CASE("DR4: the table and the JSON of attacks") {
  const std::vector results{
      judged({got("a"), refused("int80", "ENOSYS"), got("b\x1b")},
             {refused("a", "EACCES"), refused("int80", "ENOSYS"), got("b\x1b")})};
  const std::string text = to_text(results);
  CHECK(text.find("LINE  ATTACK  ALONE") == 0);
  CHECK(text.find("2 got, 1 refused") != std::string::npos);
  CHECK(text.find("skipped  01_names: the kernel has none (1)") != std::string::npos);
  CHECK(text.find("FAILED  01_names b\\x1b: was not blocked") != std::string::npos);
  CHECK(text.find("1 attacks: 1 tries blocked, 0 known gaps, 1 skipped, 1 failed") !=
        std::string::npos);
  const auto json = to_json(results);
  CHECK(json["attacks"][0]["verdict"] == "failed");
  CHECK(json["attacks"][0]["tries"][0] == nlohmann::ordered_json{{"name", "a"},
                                                                 {"alone", "got"},
                                                                 {"under_pmg", "refused EACCES"},
                                                                 {"verdict", "blocked"}});
}
