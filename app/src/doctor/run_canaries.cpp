#include "doctor/run_canaries.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "doctor/pure/canary.hpp"
#include "doctor/pure/report.hpp"
#include "doctor/world.hpp"
#include "messages.hpp"
#include "platform/local_socket.hpp"
#include "platform/os_error.hpp"
#include "platform/spawn.hpp"

namespace pmg::app {
namespace {

namespace fs = std::filesystem;
using platform::Ending;

constexpr std::chrono::seconds kLimit{20};

/// As narrow as a profile can be, so that what is tried does not depend on where the scratch
/// directory lies: the profiles for work make temporary directories writable.
constexpr std::string_view kProfile =
    R"(name: doctor
description: what pmg sandbox doctor tries
package_managers: [npm]
filesystem:
  allow_read:
    - /
  allow_write:
    - ${CWD}/**
)";

std::vector<std::string> lines_of(const std::string& file) {
  std::istringstream in(read_file(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Actions as the words of `pmg __probe`.
std::vector<std::string> probe_words(const Canary& canary) {
  std::vector<std::string> words{"__probe", "--"};
  const auto add = [&words](const Action& action) {
    if (words.back() != "--") {
      words.emplace_back("then");
    }
    words.insert(words.end(), action.begin(), action.end());
  };
  std::ranges::for_each(canary.controls, add);
  if (canary.denied) {
    add(*canary.denied);
  }
  return words;
}

/// One run of the doctor: where, with what, and whether it may go on.
class Runner {
 public:
  Runner(const World& world, const platform::HeldSignals& signals, adapters::Lockdown lockdown)
      : world_(world), signals_(signals), lockdown_(lockdown), self_(own_binary()) {}

  [[nodiscard]] const std::string& self() const noexcept { return self_; }
  [[nodiscard]] std::string tool() const { return world_.home() + "/tool"; }
  [[nodiscard]] Tokens tokens() const { return {world_.token(), world_.secret()}; }

  /// The world as each canary needs it.
  [[nodiscard]] bool prepare() const {
    std::error_code error;
    return world_.plant() && write_file(world_.top() + "/doctor.yml", kProfile) &&
           write_file(world_.home() + "/.ssh/id_doctor", world_.secret() + "\n") &&
           write_file(world_.project() + "/.git/HEAD", "ref: refs/heads/main\n") &&
           fs::create_directories(world_.project() + "/.git/hooks", error) &&
           fs::copy_file(self_, tool(), error);
  }

  [[nodiscard]] tl::expected<platform::Ended, platform::OsError> start(
      std::vector<std::string> command) const {
    // Directories of PATH are where programs may run from: so pmg starts inside without a flag.
    auto environment = world_.environment(fs::path(self_).parent_path().string());
    environment.push_back("GITHUB_TOKEN=" + world_.secret());
    environment.push_back("DOCTOR_CONTROL=" + world_.token());
    return platform::run_and_wait(
        platform::Helper{std::move(command), platform::ToFiles{output(), errors()},
                         std::move(environment), world_.project(), kLimit},
        signals_);
  }

  /// `listener` is the socket of the canary, if it has one.
  [[nodiscard]] CanaryOutcome run(const Canary& canary,
                                  const platform::LocalListener* listener) const {
    const Tree home = tree_of(world_.home());
    const Tree project = tree_of(world_.project());
    std::vector<std::string> command{"/proc/self/exe", "sandbox", "exec"};
    if (lockdown_ == adapters::Lockdown::off) {
      command.insert(command.end(), {"--sandbox-profile", world_.top() + "/doctor.yml"});
    }
    command.insert(command.end(), {"--", self_});
    std::ranges::move(probe_words(canary), std::back_inserter(command));
    const auto end = start(std::move(command));
    CanaryOutcome outcome;
    if (!end) {
      outcome.not_started = to_text(end.error());
      return outcome;
    }
    const bool right = end->how == Ending::exited && end->code == canary.exit_code;
    outcome.ended = right ? "" : to_text(*end);
    if (!right && outcome.ended.empty()) {
      outcome.ended = "exit code 0";
    }
    outcome.answers = lines_of(output());
    for (const std::string& line : lines_of(errors())) {
      outcome.complaint = line;
    }
    for (const auto& [name, text] : canary.proofs) {
      if (read_file(world_.project() + "/" + name).find(text) == std::string::npos) {
        outcome.missing.push_back(name);
      }
    }
    if (listener != nullptr && listener->was_reached()) {
      outcome.effects.emplace_back("a socket of the host was reached");
    }
    add_effects("~/", differences(home, tree_of(world_.home())), {}, outcome);
    add_effects("", differences(project, tree_of(world_.project())), canary, outcome);
    return outcome;
  }

 private:
  [[nodiscard]] std::string output() const { return world_.top() + "/out"; }
  [[nodiscard]] std::string errors() const { return world_.top() + "/err"; }

  void add_effects(std::string_view place, const std::vector<std::string>& names,
                   const Canary& canary, CanaryOutcome& outcome) const {
    const std::string root = place.empty() ? world_.project() : world_.home();
    for (const std::string& name : names) {
      std::string shown(place);
      shown += name;
      if (read_file(std::string(root).append("/").append(name)).find(world_.secret()) !=
          std::string::npos) {
        outcome.effects.push_back("the secret is in " + shown);
      } else if (!canary.proofs.contains(name)) {
        outcome.effects.push_back(shown + " was changed");
      }
    }
    if (place.empty() &&
        (read_file(output()) + read_file(errors())).find(world_.secret()) != std::string::npos) {
      outcome.effects.emplace_back("the secret was printed");
    }
  }

  const World& world_;
  const platform::HeldSignals& signals_;
  adapters::Lockdown lockdown_;
  std::string self_;
};

/// Whether the program that no rule allows would run at all: on a file system that is mounted
/// noexec, its refusal would prove nothing.
bool tool_runs(const Runner& runner, const World& world) {
  const auto end = runner.start({runner.tool(), "__probe", "--", "write", "alone"});
  return end && end->how == Ending::exited && end->code == 0 &&
         !read_file(world.project() + "/alone").empty();
}

ProbeResult attempt(const Runner& runner, const World& world, const Canary& canary) {
  if (!runner.prepare()) {
    CanaryOutcome outcome;
    outcome.not_started = "the scratch directory cannot be written";
    return judge(canary, outcome);
  }
  if (canary.name == "canary.exec" && !tool_runs(runner, world)) {
    return not_tried(canary, "programs do not run in the scratch directory, with or without pmg");
  }
  if (canary.socket.empty()) {
    return judge(canary, runner.run(canary, nullptr));
  }
  const auto listener = platform::LocalListener::listen(canary.socket);
  return listener ? judge(canary, runner.run(canary, &*listener))
                  : not_tried(canary, "a socket could not be made for it, or has too long a name");
}

}  // namespace

std::string own_binary() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "/proc/self/exe" : path.string();
}

std::string to_text(const platform::Ended& end) {
  if (end.how == Ending::timed_out) {
    return "no end within its time";
  }
  return end.code == 0 ? "" : "exit code " + std::to_string(end.code);
}

std::optional<std::vector<ProbeResult>> run_canaries(const World& world,
                                                     const platform::HeldSignals& signals,
                                                     adapters::Lockdown lockdown) {
  const Runner runner(world, signals, lockdown);
  std::vector<ProbeResult> results;
  for (const Canary& canary : canaries({runner.self(), world.home()}, runner.tokens())) {
    // The control comes first.
    const bool is_pointless = !results.empty() && results.front().status != Status::ok;
    auto result = is_pointless
                      ? not_tried(canary, "the control failed, so a refusal would prove nothing")
                      : attempt(runner, world, canary);
    if (signals.is_asked_to_end()) {
      return std::nullopt;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace pmg::app
