#include "doctor/pure/canary.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "doctor/pure/report.hpp"

using namespace pmg::app;

namespace {

Canary canary(const std::string& name) {
  const auto all = canaries({"/bin/pmg", "/home"}, {"TOKEN", "SECRET"});
  const auto found = std::ranges::find(all, name, &Canary::name);
  REQUIRE(found != all.end());
  return *found;
}

const std::string kRefused = "refused EACCES";

}  // namespace

TEST_CASE("DR2: each denied attempt has a control, with a proof that it happened") {
  const auto all = canaries({"/bin/pmg", "/home"}, {"TOKEN", "SECRET"});
  CHECK(all.front().name == "canary.control");
  CHECK(all.size() == 13);
  for (const Canary& one : all) {
    CAPTURE(one.name);
    CHECK_FALSE(one.controls.empty());
    CHECK_FALSE(one.proofs.empty());
    CHECK(one.denied.has_value() == (one.name != "canary.control"));
  }
}

TEST_CASE("DR2, DR3: what an outcome means") {
  struct Row {
    const char* why;
    CanaryOutcome outcome;
    Status status;
    const char* says;
  };
  const std::vector<Row> rows{
      {"refused beside a control that worked",
       {"", "", "", {"got", kRefused}, {}, {}},
       Status::ok,
       "refused (EACCES), without effect"},
      {"pmg could not be started",
       {"no such file", "", "", {}, {"copied"}, {}},
       Status::fail,
       "could not be tried: pmg could not be started"},
      {"pmg refused to run anything",
       {"", "exit code 1", "pmg: cannot confine", {}, {"copied"}, {}},
       Status::fail,
       "could not be tried: the run ended with exit code 1: pmg: cannot confine"},
      {"it ended before it told",
       {"", "", "", {"got"}, {}, {}},
       Status::fail,
       "told 1 of 2 results"},
      {"it told nothing, and ended well",
       {"", "", "", {}, {}, {}},
       Status::fail,
       "told 0 of 2 results"},
      {"the control was refused as well",
       {"", "", "", {kRefused, kRefused}, {"copied"}, {}},
       Status::fail,
       "what is allowed did not work"},
      {"the control left nothing",
       {"", "", "", {"got", kRefused}, {"copied"}, {}},
       Status::fail,
       "left nothing: copied"},
      {"told as got", {"", "", "", {"got", "got"}, {}, {}}, Status::fail, "was not blocked"},
      {"told as refused, and the secret was found",
       {"", "", "", {"got", kRefused}, {}, {"the secret is in stolen"}},
       Status::fail,
       "was not blocked: the secret is in stolen"},
      {"an effect counts even where the run failed",
       {"", "exit code 1", "", {}, {"copied"}, {"~/notes was changed"}},
       Status::fail,
       "was not blocked"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    const ProbeResult result = judge(canary("canary.read-project"), row.outcome);
    CHECK(result.status == row.status);
    CHECK(result.summary.find(row.says) != std::string::npos);
    CHECK((result.status == Status::ok || !result.fixes.front().command.empty()));
  }
}

TEST_CASE("DR2: whether anything ran at all is told") {
  const auto detail = [](const CanaryOutcome& outcome) {
    return judge(canary("canary.control"), outcome).detail;
  };
  CHECK(detail({"", "exit code 1", "", {}, {"copied"}, {}}).find("no trace") != std::string::npos);
  CHECK(detail({"", "exit code 1", "", {}, {}, {}}).find("ran, at least in part") !=
        std::string::npos);
  CHECK(judge(canary("canary.control"), {"", "", "", {"got", "got"}, {}, {}}).status == Status::ok);
  CHECK(not_tried(canary("canary.exec"), "why").status == Status::skipped);
}
