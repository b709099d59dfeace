#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "doctor/pure/machine.hpp"
#include "doctor/pure/report.hpp"

namespace pmg::app {
namespace {

/// Why nothing can run here; empty where something can.
std::optional<std::string> obstacle(const MachineFacts& facts) {
  const platform::Supervision& tried = facts.supervision;
  if (facts.nesting == Nesting::other) {
    return "another seccomp supervisor is above";
  }
  if (!facts.landlock) {
    return "Landlock is not available";
  }
  if (!facts.notify || !tried.listener.works() || !tried.receive.works() ||
      !tried.add_descriptor.works()) {
    return "seccomp user notification is not available";
  }
  if (!tried.read_memory.works()) {
    return "the memory of a child cannot be read";
  }
  if (!facts.openat2.works()) {
    return "openat2 is not available";
  }
  return std::nullopt;
}

struct Kind {
  std::string_view name;
  std::string mechanism;
  std::vector<std::string_view> canaries;  ///< those that try it
};

std::vector<Kind> kinds(const MachineFacts& facts) {
  const std::string landlock = "Landlock ABI " + std::to_string(facts.landlock->version);
  const std::string broker = "broker over seccomp notification";
  const std::string files = broker + ", " + landlock + " behind it";
  const bool scoped = facts.landlock->scopes_signals();
  // Where no socket can be used at all, their controls cannot work either.
  const auto tries = [&facts](std::string_view canary) {
    return facts.supervision.take_socket.works() ? std::vector{canary}
                                                 : std::vector<std::string_view>{};
  };
  const std::string sockets = facts.supervision.take_socket.works()
                                  ? broker
                                  : "refused altogether: sockets of a child cannot be used";
  return {
      {"read", files, {"canary.read-project", "canary.read-home", "canary.launcher-environment"}},
      {"write", files, {"canary.write-outside"}},
      {"create, remove, rename",
       files,
       {"canary.write-outside", "canary.git-hook", "canary.rename"}},
      {"metadata", files, {"canary.metadata"}},
      {"exec", broker + ", then " + landlock, {"canary.exec"}},
      {"env", "scrubbed before the start", {"canary.environment", "canary.launcher-environment"}},
      {"unix sockets", sockets, tries("canary.unix-socket")},
      {"abstract sockets", scoped ? sockets + ", " + landlock + " scope behind it" : sockets,
       tries("canary.abstract-socket")},
      {"signals", scoped ? landlock + " scope" : broker + ", which sends them", {"canary.signal"}},
  };
}

RuleRow not_enforced(std::string_view kind, std::string why) {
  return {std::string(kind), std::move(why), Enforced::no};
}

}  // namespace

std::vector<RuleRow> rules_of(const MachineFacts& facts, std::span<const ProbeResult> canaries) {
  static constexpr std::array<std::string_view, 9> kEnforced{
      "read", "write",        "create, remove, rename", "metadata", "exec",
      "env",  "unix sockets", "abstract sockets",       "signals"};
  std::vector<RuleRow> rows;
  if (facts.nesting == Nesting::inside_pmg) {
    for (const std::string_view kind : kEnforced) {
      rows.push_back({std::string(kind), "the sandbox that this runs in", Enforced::yes});
    }
  } else if (const auto why = obstacle(facts)) {
    for (const std::string_view kind : kEnforced) {
      rows.push_back(not_enforced(kind, "nothing runs: " + *why));
    }
  } else {
    const auto failed = [canaries](std::string_view name) {
      return std::ranges::any_of(canaries, [name](const ProbeResult& result) {
        return result.status == Status::fail && result.name == name;
      });
    };
    for (Kind& kind : kinds(facts)) {
      std::vector<std::string_view> tries = std::move(kind.canaries);
      tries.emplace_back("canary.control");
      const auto broken = std::ranges::find_if(tries, failed);
      rows.push_back(broken == tries.end()
                         ? RuleRow{std::string(kind.name), kind.mechanism, Enforced::yes}
                         : not_enforced(kind.name, std::string(*broken) + " failed"));
    }
  }
  for (const std::string_view kind : {"network outbound", "network bind"}) {
    rows.push_back(
        not_enforced(kind, "not enforced by this build: rules are read and checked only"));
  }
  return rows;
}

}  // namespace pmg::app
