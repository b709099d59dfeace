#include "doctor/pure/report.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace pmg::app;

namespace {

Report report() {
  return {{{"kernel.a", Status::ok, "works"},
           {"kernel.b",
            Status::warn,
            "half",
            "line one\nline \x1b[2J two",
            {{"do this", "cmd", "docs/X.md"}}},
           {"kernel.c", Status::skipped, "not here"}},
          {{"read", "broker", Enforced::yes}, {"network bind", "not by this build", Enforced::no}}};
}

}  // namespace

TEST_CASE("DR5: the exit code is 2 if any probe failed, else 0") {
  Report some = report();
  CHECK(exit_code(some) == 0);
  CHECK(exit_code(Report{}) == 0);
  some.results.push_back({"kernel.d", Status::fail});
  CHECK(exit_code(some) == 2);
}

TEST_CASE(
    "DR5: the text has a table of probes, one of rules, and a block for each that is not ok") {
  CHECK(to_text(report()) == R"(STATUS   CHECK     SUMMARY   FIX
ok       kernel.a  works     -
warn     kernel.b  half      cmd
skipped  kernel.c  not here  -

RULES         ENFORCED  BY
read          yes       broker
network bind  NO        not by this build

warn  kernel.b
  half
  line one
  line \x1b[2J two
  fix: do this
       $ cmd
       see docs/X.md

skipped  kernel.c
  not here
)");
}

TEST_CASE("DR5: the JSON has what is not empty") {
  const auto json = to_json(report());
  CHECK(json["results"][0] ==
        nlohmann::ordered_json{{"name", "kernel.a"}, {"status", "ok"}, {"summary", "works"}});
  CHECK(json["results"][1]["fixes"][0] == nlohmann::ordered_json{{"description", "do this"},
                                                                 {"command", "cmd"},
                                                                 {"docs", "docs/X.md"}});
  CHECK(json["rules"][1] == nlohmann::ordered_json{{"kind", "network bind"},
                                                   {"mechanism", "not by this build"},
                                                   {"enforced", false}});
}
