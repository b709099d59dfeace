// What kernels of all kinds would mean, told to the doctor as values.
#include "doctor/pure/machine.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "doctor/pure/report.hpp"
#include "platform/landlock.hpp"
#include "platform/machine.hpp"
#include "platform/os_error.hpp"

using namespace pmg::app;
using pmg::platform::LandlockAbi;
using pmg::platform::OsError;
using pmg::platform::Trial;

namespace {

constexpr Trial kWorks{Trial::State::works, 0};
constexpr Trial kNotTried{};
Trial fails(int error) { return {Trial::State::fails, error}; }

/// A kernel that has everything.
MachineFacts good() {
  return {{6, 12, "6.12.1"},
          LandlockAbi{6},
          "lockdown,capability,landlock,yama",
          {},
          {kWorks, kWorks, kWorks, kWorks, kWorks, kWorks, kWorks},
          kWorks,
          kWorks,
          kWorks,
          Nesting::none,
          "1",
          {}};
}

MachineFacts with(const std::function<void(MachineFacts&)>& change) {
  MachineFacts facts = good();
  change(facts);
  return facts;
}

ProbeResult result(const MachineFacts& facts, const std::string& name) {
  const auto results = judge(facts);
  const auto found = std::ranges::find(results, name, &ProbeResult::name);
  REQUIRE(found != results.end());
  return *found;
}

/// Text of the first fix that has a command.
std::string command(const ProbeResult& result) {
  for (const Fix& fix : result.fixes) {
    if (!fix.command.empty()) {
      return fix.command;
    }
  }
  return {};
}

Status worst(const MachineFacts& facts) {
  Status found = Status::ok;
  for (const ProbeResult& result : judge(facts)) {
    if (result.status == Status::fail || (result.status == Status::warn && found == Status::ok)) {
      found = result.status;
    }
  }
  return found;
}

void without_notify(MachineFacts& facts) {
  facts.supervision = {};
  facts.supervision.filter = fails(ENOSYS);
  facts.notify = tl::unexpected(OsError{"seccomp", ENOSYS, ""});
}

void without_landlock(MachineFacts& facts) {
  facts.landlock = tl::unexpected(OsError{"landlock_create_ruleset", ENOSYS, ""});
}

bool is_enforced(const std::vector<RuleRow>& rows, const std::string& kind) {
  const auto found = std::ranges::find(rows, kind, &RuleRow::kind);
  REQUIRE(found != rows.end());
  return found->enforced == Enforced::yes;
}

}  // namespace

TEST_CASE("DR1: a kernel that has everything") {
  CHECK(worst(good()) == Status::ok);
  CHECK(result(good(), "linux.apparmor.userns").status == Status::skipped);
  const auto rows = rules_of(good(), {});
  CHECK(std::ranges::count(rows, Enforced::yes, &RuleRow::enforced) == 9);
  CHECK_FALSE(is_enforced(rows, "network outbound"));
  CHECK_FALSE(is_enforced(rows, "network bind"));
}

TEST_CASE("DR1: what each lacking piece of the kernel means") {
  struct Row {
    const char* why;
    MachineFacts facts;
    const char* probe;
    Status status;
    const char* says;  ///< in summary or detail
    const char* fix;   ///< in the command
  };
  const std::vector<Row> rows{
      {"5.15 without killable waits", with([](MachineFacts& f) {
         f.release = {5, 15, "5.15.0-25-generic"};
         f.landlock = LandlockAbi{1};
         f.supervision = {kWorks,    fails(EINVAL), kNotTried, kNotTried,
                          kNotTried, kNotTried,     kNotTried};
       }),
       "kernel.release", Status::fail, "too old", "apt-get install linux-image"},
      {"the flag is not known", with([](MachineFacts& f) {
         f.supervision = {kWorks,    fails(EINVAL), kNotTried, kNotTried,
                          kNotTried, kNotTried,     kNotTried};
       }),
       "kernel.notify", Status::fail, "only a kill interrupts", "apt-get install linux-image"},
      {"an old kernel with newer features", with([](MachineFacts& f) {
         f.release = {5, 14, "5.14.0-570.el9"};
       }),
       "kernel.release", Status::warn, "has what pmg needs", ""},
      {"a release that is no release", with([](MachineFacts& f) {
         f.release = {0, 0, "weird"};
       }),
       "kernel.release", Status::warn, "weird", ""},
      {"Landlock switched off at boot", with([](MachineFacts& f) {
         f.landlock = tl::unexpected(OsError{"landlock_create_ruleset", EOPNOTSUPP, ""});
         f.lsm = "capability,yama,apparmor";
       }),
       "kernel.landlock", Status::fail, "switched off", "lsm=landlock,capability,yama,apparmor "},
      {"a list of modules that is no list is not put into a command", with([](MachineFacts& f) {
         f.landlock = tl::unexpected(OsError{"landlock_create_ruleset", EOPNOTSUPP, ""});
         f.lsm = "a'; rm -rf /";
       }),
       "kernel.landlock", Status::fail, "switched off", "lsm=landlock,lockdown,"},
      {"before Landlock", with([](MachineFacts& f) {
         f.release = {5, 4, "5.4.0"};
         without_landlock(f);
       }),
       "kernel.landlock", Status::fail, "has no Landlock", "apt-get install linux-image"},
      {"a container's filter against Landlock", with(without_landlock), "kernel.landlock",
       Status::fail, "refused by a filter", "docker run --security-opt seccomp"},
      {"an old Landlock", with([](MachineFacts& f) { f.landlock = LandlockAbi{2}; }),
       "kernel.landlock", Status::warn, "truncation (6.2)", "apt-get"},
      {"a middle-aged Landlock", with([](MachineFacts& f) { f.landlock = LandlockAbi{4}; }),
       "kernel.landlock", Status::ok, "requests to devices (6.10)", ""},
      {"a container's filter against seccomp", with(without_notify), "kernel.notify", Status::fail,
       "installing a seccomp filter", "docker run --security-opt seccomp"},
      {"no descriptors as answers",
       with([](MachineFacts& f) { f.supervision.add_descriptor = fails(EINVAL); }), "kernel.notify",
       Status::fail, "answering it with a descriptor", "apt-get"},
      {"Yama at its strictest", with([](MachineFacts& f) {
         f.supervision.vm_readv = fails(EPERM);
         f.supervision.read_memory = fails(EPERM);
         f.ptrace_scope = "2";
       }),
       "kernel.memory", Status::fail, "ptrace_scope is 2",
       "sudo sysctl kernel.yama.ptrace_scope=1"},
      {"a container without ptrace", with([](MachineFacts& f) {
         f.supervision.vm_readv = fails(EPERM);
         f.supervision.read_memory = fails(EPERM);
       }),
       "kernel.memory", Status::fail, "cannot be read", "docker run --cap-add SYS_PTRACE"},
      {"only through /proc", with([](MachineFacts& f) { f.supervision.vm_readv = fails(EPERM); }),
       "kernel.memory", Status::warn, "only through /proc", "docker run --cap-add SYS_PTRACE"},
      {"no pidfd_getfd", with([](MachineFacts& f) { f.supervision.take_socket = fails(EPERM); }),
       "kernel.sockets", Status::fail, "neither connect nor bind", "docker"},
      {"no openat2", with([](MachineFacts& f) { f.openat2 = fails(ENOSYS); }), "kernel.openat2",
       Status::fail, "openat2", "apt-get"},
      {"no unshare", with([](MachineFacts& f) { f.unshare_fs = fails(EPERM); }), "kernel.threads",
       Status::warn, "one thread", "docker run --cap-add SYS_ADMIN"},
      {"no list of children", with([](MachineFacts& f) { f.children = fails(ENOENT); }),
       "kernel.children", Status::warn, "may outlive", "apt-get"},
      {"another supervisor", with([](MachineFacts& f) {
         f.nesting = Nesting::other;
         f.supervision.listener = fails(EBUSY);
       }),
       "nesting", Status::fail, "another seccomp supervisor", "ps "},
      {"AppArmor as on Ubuntu is no obstacle",
       with([](MachineFacts& f) { f.apparmor_userns = "1"; }), "linux.apparmor.userns",
       Status::skipped, "not needed", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    const ProbeResult found = result(row.facts, row.probe);
    CHECK(found.status == row.status);
    CHECK((found.summary + "\n" + found.detail).find(row.says) != std::string::npos);
    CHECK(command(found).find(row.fix) != std::string::npos);
    // Whatever fails says what to do.
    for (const ProbeResult& each : judge(row.facts)) {
      CAPTURE(each.name);
      CHECK((each.status != Status::fail || !command(each).empty()));
    }
  }
}

TEST_CASE("DR1: inside a sandbox of pmg nothing is at fault") {
  const auto facts = with([](MachineFacts& f) {
    f.nesting = Nesting::inside_pmg;
    without_notify(f);
    f.unshare_fs = fails(EPERM);
  });
  CHECK(worst(facts) == Status::ok);
  CHECK(result(facts, "nesting").status == Status::skipped);
  CHECK(result(facts, "nesting").summary.find("no fault") != std::string::npos);
  CHECK(is_enforced(rules_of(facts, {}), "read"));
}

TEST_CASE(
    "DR1: where something that is needed is missing, no rule is enforced, since nothing runs") {
  const std::vector<std::function<void(MachineFacts&)>> changes{
      without_notify,
      without_landlock,
      [](MachineFacts& f) { f.nesting = Nesting::other; },
      [](MachineFacts& f) { f.supervision.listener = fails(EINVAL); },
      [](MachineFacts& f) { f.supervision.receive = fails(ETIMEDOUT); },
      [](MachineFacts& f) { f.supervision.add_descriptor = fails(EINVAL); },
      [](MachineFacts& f) { f.supervision.read_memory = fails(EPERM); },
      [](MachineFacts& f) { f.openat2 = fails(ENOSYS); },
  };
  for (const auto& change : changes) {
    const auto rows = rules_of(with(change), {});
    CHECK(rows.size() == 11);
    CHECK(std::ranges::count(rows, Enforced::yes, &RuleRow::enforced) == 0);
    CHECK(rows.front().mechanism.starts_with("nothing runs: "));
  }
}

TEST_CASE("DR1: a kind of rule whose probe failed is not enforced") {
  const std::vector<ProbeResult> canaries{{"canary.control", Status::ok},
                                          {"canary.git-hook", Status::fail},
                                          {"canary.exec", Status::ok}};
  const auto rows = rules_of(good(), canaries);
  CHECK(is_enforced(rows, "read"));
  CHECK(is_enforced(rows, "write"));
  CHECK(is_enforced(rows, "exec"));
  CHECK_FALSE(is_enforced(rows, "create, remove, rename"));
  const std::vector<ProbeResult> none{{"canary.control", Status::fail},
                                      {"canary.exec", Status::skipped}};
  CHECK(std::ranges::count(rules_of(good(), none), Enforced::yes, &RuleRow::enforced) == 0);
}

TEST_CASE("DR1: older kernels keep signals and sockets inside by other means") {
  const auto rows = rules_of(with([](MachineFacts& f) {
                               f.landlock = LandlockAbi{3};
                               f.supervision.take_socket = fails(EPERM);
                             }),
                             {});
  const auto by = [&rows](const char* kind) {
    return std::ranges::find(rows, std::string(kind), &RuleRow::kind)->mechanism;
  };
  CHECK(by("signals").find("broker") != std::string::npos);
  CHECK(by("unix sockets").find("refused altogether") != std::string::npos);
  CHECK(by("read").find("ABI 3") != std::string::npos);
}
