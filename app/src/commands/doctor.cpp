#include "commands/doctor.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "doctor/own_files.hpp"
#include "doctor/pure/machine.hpp"
#include "doctor/pure/report.hpp"
#include "doctor/run_attacks.hpp"
#include "doctor/run_canaries.hpp"
#include "doctor/world.hpp"
#include "environment.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "platform/spawn.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

/// Whoever was asked to end is ended by the signal, as soon as it is no longer held.
constexpr int kInterrupted = 130;
constexpr int kFailed = 2;

using ContextOrError = tl::expected<Context, std::string>;

int give_up(const std::string& message) {
  complain(message);
  return kFailed;
}

void add(std::vector<ProbeResult>& to, std::vector<ProbeResult> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

/// Where a scratch directory may be: not in a temporary directory unless there is no other place,
/// since the profiles for work make those writable.
std::vector<std::string> places(const ContextOrError& context) {
  std::vector<std::string> out;
  if (context) {
    out.push_back(context->directories.cache.text());
  }
  out.emplace_back("/var/tmp");
  out.emplace_back("/tmp");
  return out;
}

/// The attacks run under the profile `exec`, which makes these writable.
bool is_temporary(const std::string& place) {
  std::error_code error;
  const std::string real = std::filesystem::canonical(place, error).string();
  return std::ranges::any_of(std::array{"/tmp", "/var/tmp", "/dev/shm"},
                             [&real](const char* directory) {
                               std::error_code missing;
                               const auto resolved = std::filesystem::canonical(directory, missing);
                               return !missing && real.starts_with(resolved.string() + "/");
                             });
}

adapters::Lockdown lockdown_of(const ContextOrError& context) {
  if (!context) {
    return adapters::Lockdown::off;
  }
  const auto config = adapters::read_config(context->directories.config, context->caller);
  return config ? config->lockdown : adapters::Lockdown::off;
}

std::vector<ProbeResult> configuration(const ContextOrError& context) {
  if (!context) {
    return {{"config.directories",
             Status::fail,
             "it is not known where the configuration is",
             context.error(),
             {{"set HOME to the home directory", "export HOME=~", "README.md"}}}};
  }
  return check_configuration(*context);
}

/// A report of probes, or the results of attacks.
template <class What>
int show(Output output, const What& what) {
  const int printed = output == Output::json ? print_json(to_json(what))
                      : print(to_text(what)) ? 0
                                             : 1;
  return printed == 0 ? exit_code(what) : printed;
}

int tell(Output output, const MachineFacts& facts, const ContextOrError& context,
         std::vector<ProbeResult> tried) {
  Report report{judge(facts), rules_of(facts, tried)};
  add(report.results, configuration(context));
  add(report.results, std::move(tried));
  return show(output, report);
}

int attack(Output output, const World& world, const platform::HeldSignals& signals,
           adapters::Lockdown lockdown) {
  const auto programs = find_attack_programs(own_binary());
  if (!programs) {
    return give_up(programs.error());
  }
  const auto results = run_attacks(*programs, world, signals, lockdown);
  return results ? show(output, *results) : kInterrupted;
}

}  // namespace

void Doctor::declare(Options& options) {
  options.flag("--attack", tries, Tries::attacks, "run attacks, without pmg and under it");
  options.flag("--json", output, Output::json, "as JSON");
}

int Doctor::run(const Flags& /*flags*/) const {
  // Outlives what has to be tidied up.
  const platform::HeldSignals signals;
  const auto context = read_context();
  const bool marked = Environment::of_process().get(kMarker) == "1";
  const MachineFacts facts = ask_machine(marked ? Marker::set : Marker::unset);
  if (facts.nesting == Nesting::inside_pmg) {
    return tries == Tries::attacks ? give_up(
                                         "this runs inside a sandbox of pmg, where attacks prove "
                                         "nothing; run it outside")
                                   : tell(output, facts, context, {});
  }
  const auto world = World::make(places(context));
  if (!world) {
    return give_up("there is no place for a scratch directory: " + to_text(world.error()) +
                   "; set PMG_CACHE_DIR to a directory that can be written");
  }
  const adapters::Lockdown lockdown = lockdown_of(context);
  const bool uses_exec = tries == Tries::attacks || lockdown == adapters::Lockdown::on;
  if (uses_exec && is_temporary(world->top())) {
    return give_up(
        "the scratch directory " + app::quoted(world->top()) +
        " is in a temporary directory, which profiles make writable; set PMG_CACHE_DIR to "
        "another place");
  }
  if (tries == Tries::attacks) {
    return attack(output, *world, signals, lockdown);
  }
  auto tried = run_canaries(*world, signals, lockdown);
  return tried ? tell(output, facts, context, std::move(*tried)) : kInterrupted;
}

}  // namespace pmg::app
