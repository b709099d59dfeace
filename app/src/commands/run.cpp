#include "commands/run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <unistd.h>

#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "adapters/record/recorder.hpp"
#include "adapters/record/run_record.hpp"
#include "adapters/record/run_store.hpp"
#include "adapters/run.hpp"
#include "adapters/utc_time.hpp"
#include "adapters/yaml/load_error.hpp"
#include "aftermath.hpp"
#include "configuration.hpp"
#include "domain/environment.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "domain/redaction.hpp"
#include "dry_run.hpp"
#include "environment.hpp"
#include "flags.hpp"
#include "messages.hpp"
#include "program.hpp"
#include "project_hint.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

/// Everything that goes wrong before the program starts and is not about the program.
constexpr int kFailed = 1;
/// A command line that makes no sense.
constexpr int kUsage = 2;

void debug(const Flags& flags, const std::string& message) {
  if (flags.debug) {
    complain(message);
  }
}

void debug_start(const Flags& flags, const Session& session, const adapters::Program& program,
                 const ConfinedEnvironment& environment) {
  if (!flags.debug) {
    return;
  }
  complain("profile " + quoted(session.policy.name) + ", " +
           std::to_string(session.compiled.rules().size()) + " rules");
  complain("program " + quoted(program.file.text()));
  for (const auto& name : environment.scrubbed) {
    complain("removed variable " + quoted(name.name) + ": " + to_text(name.origin));
  }
}

adapters::RunStart run_start(const Context& context, const Request& request,
                             const adapters::Program& program,
                             const ConfinedEnvironment& environment) {
  const std::int64_t now = adapters::time_now();
  adapters::RunStart start{adapters::RunStore::new_id(now),
                           now,
                           program.arguments,
                           context.caller.working_directory.text(),
                           request.profile,
                           {}};
  for (const domain::ScrubbedName& name : environment.scrubbed) {
    start.removed.emplace_back(name.name);
  }
  return start;
}

/// What the program does not get, nobody reads in a record either.
domain::Redaction redaction_of(const Environment& mine, const ConfinedEnvironment& environment) {
  std::vector<std::string> values;
  for (const domain::ScrubbedName& name : environment.scrubbed) {
    values.emplace_back(mine.get(name.name).value_or(""));
  }
  return domain::Redaction(std::move(values));
}

/// A failure whose cause is known is told by its cause, and by what was refused else.
void tell_refusals(const Flags& flags, const Session& session, const Request& request,
                   const adapters::RunRecord& record) {
  const bool failed = record.end && record.end->exit_code != 0;
  const auto hint = failed && request.manager ? project_hint(session, *request.manager)
                                              : std::optional<std::string>();
  if (hint) {
    complain(*hint);
  }
  if (flags.report || (failed && !hint)) {
    std::ranges::for_each(refusal_lines(session, record), complain);
  }
}

int start(const Flags& flags, const Session& session, const Request& request,
          const adapters::Program& program, adapters::Recorder& recorder) {
  adapters::RunOptions options;
  options.on_denial = [&flags, &session, &recorder](const adapters::Denial& denial) {
    recorder.record(denial);
    if (flags.debug) {
      complain(to_text(session.compiled, denial));
    }
  };
  const auto code = adapters::run(session.compiled, program, options);
  if (!code) {
    complain(to_text(session.compiled, program, code.error()));
    return exit_code_of(code.error());
  }
  debug(flags, "exit code " + std::to_string(*code));
  tell_refusals(flags, session, request, recorder.finish(*code));
  if (const auto& trouble = recorder.trouble()) {
    debug(flags, "not all refusals were recorded: " + to_text(*trouble));
  }
  return *code;
}

/// Ends pmg with this exit code and everything still in memory: the kernel takes that apart faster
/// than destructors do, and the end of a short program is waited for (docs/PERFORMANCE.md).
[[noreturn]] void leave(int code) {
  std::exit(code);  // NOLINT(concurrency-mt-unsafe): no other thread is left
}

/// The file of the program; for a manager, never one that is pmg under its name.
tl::expected<domain::AbsolutePath, LookupError> find_file(
    const Context& context, const std::string& name, std::optional<domain::PackageManager> of) {
  if (!of) {
    return find_program(name, context.environment.get("PATH"), context.caller.working_directory);
  }
  const auto path = path_without_us(context.environment, name);
  return path ? find_program(name, *path, context.caller.working_directory)
              : tl::unexpected(LookupError{LookupErrc::not_found, name, "", true});
}

/// Runs `command` under the session's policy and does not return, or tells what it would do or why
/// it cannot.
int run_confined(const Context& context, const Flags& flags, const Request& request,
                 std::vector<std::string> command) {
  const auto session = open_session(context, flags, request);
  if (!session) {
    return fail(session.error());
  }
  std::ranges::for_each(session->notices, complain);
  const auto file = find_file(context, command.front(), request.manager);
  if (!file) {
    complain(to_text(file.error()));
    return exit_code_of(file.error());
  }
  const auto environment = confined_environment(context.environment, session->policy.environment);
  const adapters::Program program{*file, std::move(command), environment.variables.entries()};
  if (flags.dry_run) {
    return print(dry_run_text(*session, program, environment)) ? 0 : kFailed;
  }
  debug_start(flags, *session, program, environment);
  const adapters::RunStore store = context.runs();
  adapters::Recorder recorder(session->compiled, store,
                              run_start(context, request, program, environment),
                              redaction_of(context.environment, environment));
  leave(start(flags, *session, request, program, recorder));
}

/// Becomes the program, with no policy at all. Returns only where that failed.
int become(const Environment& environment, const domain::AbsolutePath& file,
           const std::vector<std::string>& command) {
  const auto pointers = [](const std::vector<std::string>& words) {
    std::vector<char*> out(words.size() + 1, nullptr);
    // execve(2) takes pointers to mutable text for historical reasons, and writes nothing.
    std::transform(words.begin(), words.end(), out.begin(),
                   [](const std::string& word) { return const_cast<char*>(word.c_str()); });
    return out;
  };
  auto argv = pointers(command);
  auto envp = pointers(environment.entries());
  ::execve(file.text().c_str(), argv.data(), envp.data());
  if (errno == ENOEXEC) {
    // A script without "#!", as execvp(3) does: sh FILE ARGUMENTS…
    std::vector<std::string> words{"sh", file.text()};
    words.insert(words.end(), command.begin() + 1, command.end());
    auto script_argv = pointers(words);
    ::execve("/bin/sh", script_argv.data(), envp.data());
  }
  const int error = errno;
  complain(cannot_execute_text(file, error));
  return exit_code_of(
      adapters::RunError{adapters::RunErrc::cannot_execute, {"execve", error, file.text()}, {}});
}

int run_plainly(const Context& context, const Flags& flags, domain::PackageManager manager,
                const std::vector<std::string>& command) {
  const auto file = find_file(context, command.front(), manager);
  if (!file) {
    complain(to_text(file.error()));
    return exit_code_of(file.error());
  }
  if (flags.dry_run) {
    return print("program    " + visible(file->text()) + "\nnot confined: nothing was run\n")
               ? 0
               : kFailed;
  }
  debug(flags, "not confined: " + quoted(file->text()));
  Environment environment = context.environment;
  environment.set(kBecoming, std::to_string(::getpid()));
  return become(environment, *file, command);
}

/// The profile that a manager's command runs under; empty where it runs plainly.
tl::expected<std::optional<std::string>, std::string> profile_for(
    const adapters::SandboxConfig& config, const Flags& flags, const RunManager& command) {
  // Whoever says how to confine means to confine: such a flag never runs a manager unconfined.
  const bool asked = flags.sandbox || flags.enforce || flags.profile || !flags.allow.empty();
  const bool on = asked || config.enabled == adapters::Switch::on;
  if (!on) {
    return std::nullopt;
  }
  const bool always = flags.enforce || config.enforce_always == adapters::Switch::on;
  const std::vector<std::string_view> words(command.arguments.begin(), command.arguments.end());
  if (!always && classify(command.manager, words) == domain::CommandKind::local) {
    return std::nullopt;
  }
  if (flags.profile) {
    return flags.profile;
  }
  const auto choice = choose_profile(config, command.manager);
  if (!choice) {
    return tl::unexpected(to_message(choice.error()));
  }
  if (const auto* reference = std::get_if<adapters::ProfileReference>(&*choice)) {
    return reference->text;
  }
  if (asked) {
    const std::string name(name_of(command.manager));
    return tl::unexpected("the configuration says `enabled: false` for " + quoted(name) +
                          ", so it would run without a sandbox; to confine it all the same, name a "
                          "profile: `--sandbox-profile " +
                          name + "`");
  }
  return std::nullopt;
}

}  // namespace

int RunProgram::run(const Flags& flags) const {
  auto context = read_context();
  if (!context) {
    return fail(context.error());
  }
  context->environment = without_shims(std::move(context->environment));
  if (is_inside_sandbox(context->environment)) {
    return fail("already inside a pmg sandbox, which holds for " + quoted(command.front()) +
                " as well; start it directly");
  }
  // It says nothing about this program, but a broken configuration must not go unnoticed.
  const auto config = open_config(*context);
  if (!config) {
    return fail(config.error());
  }
  if (const auto refusal = governed_flag(flags, *config)) {
    return fail(*refusal);
  }
  debug(flags, "configuration " + quoted(config->file));
  return run_confined(*context, flags, Request{flags.profile.value_or("exec"), std::nullopt},
                      command);
}

int RunManager::run(const Flags& flags) const {
  auto context = read_context();
  if (!context) {
    return fail(context.error());
  }
  const bool is_in_place_of_manager =
      context->environment.get(kBecoming) == std::to_string(::getpid());
  context->environment.remove(kBecoming);
  context->environment = without_shims(std::move(context->environment));
  std::vector<std::string> words{std::string(name_of(manager))};
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (is_in_place_of_manager) {
    complain(quoted(words.front()) + " in PATH is another pmg and not the package manager; " +
             "remove its shims with `pmg setup remove`");
    return exit_code_of(LookupError{LookupErrc::not_found, words.front(), "", true});
  }
  if (const auto flag = misplaced_flag(arguments)) {
    complain(quoted(*flag) + " behind " + quoted(words.front()) +
             " would confine nothing; write `pmg " + *flag + " " + words.front() +
             " …`, or put `--` before it if it is meant for " + words.front());
    return kUsage;
  }
  if (is_inside_sandbox(context->environment)) {
    if (via == Via::command || flags.debug) {
      complain("already inside a pmg sandbox: " + quoted(words.front()) + " runs under its policy");
    }
    return run_plainly(*context, flags, manager, words);
  }
  const auto config = open_config(*context);
  if (!config) {
    return fail(config.error());
  }
  if (const auto refusal = governed_flag(flags, *config)) {
    return fail(*refusal);
  }
  debug(flags, "configuration " + quoted(config->file));
  const auto profile = profile_for(*config, flags, *this);
  if (!profile) {
    return fail(profile.error());
  }
  if (!*profile) {
    return run_plainly(*context, flags, manager, words);
  }
  return run_confined(*context, flags, Request{**profile, manager}, std::move(words));
}

}  // namespace pmg::app
