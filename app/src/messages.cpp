#include "messages.hpp"

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "adapters/run.hpp"
#include "domain/compiled.hpp"
#include "domain/operation_kind.hpp"
#include "domain/origin.hpp"
#include "domain/path.hpp"
#include "domain/policy.hpp"
#include "domain/violation.hpp"
#include "platform/os_error.hpp"
#include "program.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

std::string_view to_word(domain::Access access) noexcept {
  switch (access) {
    case domain::Access::read:
      return "read";
    case domain::Access::write:
      return "write";
    case domain::Access::exec:
      return "exec";
    case domain::Access::connect:
      return "connect";
  }
  return "";
}

std::string_view to_words(domain::Reason reason) noexcept {
  switch (reason) {
    case domain::Reason::allowed_by_rule:
      return "a rule allows it";
    case domain::Reason::nothing_allows:
      return "no rule allows it";
    case domain::Reason::denied_by_rule:
      return "a rule denies it";
    case domain::Reason::guards_denied_path:
      return "something beneath it is denied";
    case domain::Reason::leaves_its_rules:
      return "what is beneath it would fall under other rules";
    case domain::Reason::unreadable_source:
      return "the source may not be both read and written";
    case domain::Reason::device_needs_own_rule:
      return "a device needs a rule of its own below /dev";
    case domain::Reason::may_mean_denied_name:
      return "this file system may take the name for a denied one";
  }
  return "";
}

std::string describe(int error) { return std::generic_category().message(error); }

/// "landlock_create_ruleset: Operation not supported"; empty where no call failed.
std::string in_parentheses(const platform::OsError& os) {
  if (os.call == nullptr || os.error == 0) {
    return {};
  }
  return std::string(" (") + os.call + ": " + describe(os.error) + ")";
}

std::string cited_text(const domain::CitedRule& rule) {
  const std::string_view effect = rule.effect == domain::Effect::allow ? "allow_" : "deny_";
  return std::string(effect) + std::string(to_word(rule.access)) + " " + quoted(rule.text) + " (" +
         to_text(rule.origin) + ")";
}

std::string reason_text(domain::Reason reason, const std::optional<domain::CitedRule>& rule) {
  const bool is_plain =
      reason == domain::Reason::denied_by_rule || reason == domain::Reason::allowed_by_rule;
  if (!rule) {
    return std::string(to_words(reason));
  }
  return is_plain ? cited_text(*rule) : std::string(to_words(reason)) + ": " + cited_text(*rule);
}

/// Of a refusal, or of one that was kept.
template <class Refusal>
std::string asked_text(const Refusal& refusal) {
  const std::string_view path = refusal.real.empty() ? refusal.spelled : refusal.real;
  std::string out = std::string(domain::to_words(refusal.operation)) + " " + shell_word(path);
  if (refusal.spelled != path) {
    out += " (as " + shell_word(refusal.spelled) + ")";
  }
  if (!refusal.real_to.empty()) {
    out += " to " + shell_word(refusal.real_to);
  }
  return out;
}

std::string may_not_run(const domain::CompiledPolicy& policy, const adapters::Program& program,
                        const domain::Decision& decision) {
  const std::string file = program.file.text();
  std::string out = quoted(file) + " may not run: " + explain(policy, decision);
  // Against a deny this would not help.
  if (decision.reason == domain::Reason::nothing_allows) {
    out += "; to allow it: --sandbox-allow exec=" + shell_word(file);
  }
  return out;
}

}  // namespace

std::string to_text(const domain::Origin& origin) {
  if (origin.file.empty()) {
    return domain::to_words(origin.layer);
  }
  const std::string line = origin.line == 0 ? "" : ":" + std::to_string(origin.line);
  return visible(origin.file) + line;
}

std::string to_text(const domain::Rule& rule) { return cited_text(domain::cite(rule)); }

std::string explain(const domain::CompiledPolicy& policy, const domain::Decision& decision) {
  const domain::Rule* rule = policy.rule(decision.rule);
  return reason_text(decision.reason,
                     rule == nullptr ? std::nullopt : std::optional(domain::cite(*rule)));
}

std::string explain(const domain::Violation& violation) {
  return violation.note.empty() ? reason_text(violation.reason, violation.rule)
                                : visible(violation.note);
}

std::string what_text(const domain::Violation& violation) { return asked_text(violation); }

std::string to_text(const domain::CompiledPolicy& policy, const adapters::Denial& denial) {
  std::string out = "refused " + asked_text(denial);
  out += ": ";
  out += denial.note.empty() ? explain(policy, denial.decision) : visible(denial.note);
  return out;
}

std::string to_text(const platform::OsError& error) {
  return quoted(error.operand) + ": " + describe(error.error);
}

std::string to_text(const adapters::SurroundingsError& error) {
  if (const auto* const caller = std::get_if<adapters::CallerError>(&error)) {
    return to_message(*caller);
  }
  const auto& limit = std::get<adapters::GitLimit>(error);
  const auto reason = [&]() -> std::string_view {
    switch (limit.code) {
      case adapters::GitLimitErrc::large_file:
        return "is larger than 1 MiB";
      case adapters::GitLimitErrc::many_files:
        return "is one of more than 256 that include each other";
      case adapters::GitLimitErrc::many_entries:
        return "holds more than 20,000 entries";
      case adapters::GitLimitErrc::unreadable_entries:
        return "cannot be listed";
    }
    return "";
  }();
  return "git's " + quoted(limit.path.text()) + " " + std::string(reason) +
         ", so the hooks that it names cannot be protected";
}

std::string to_text(const LookupError& error) {
  switch (error.code) {
    case LookupErrc::not_found:
      return quoted(error.name) + (error.in_path ? " not found in PATH" : " does not exist");
    case LookupErrc::not_executable:
      return quoted(error.file) + " is not executable";
    case LookupErrc::is_directory:
      return quoted(error.file) + " is a directory";
  }
  return {};
}

std::string to_text(const domain::CompileError& error) {
  switch (error.code) {
    case domain::CompileErrc::grants_nothing:
      return "the profile allows nothing, so nothing could run under it";
    case domain::CompileErrc::root_as_home:
      return "the home directory is `/`, so every rule on it would hold everywhere; set HOME";
  }
  return {};
}

std::string to_text(const domain::CompiledPolicy& policy, const adapters::Program& program,
                    const adapters::RunError& error) {
  const std::string os = in_parentheses(error.os);
  switch (error.code) {
    case adapters::RunErrc::no_landlock:
      return "cannot confine: Landlock is missing or switched off" + os +
             "; boot a kernel of 5.19 or newer with `landlock` in its lsm= list; nothing was run";
    case adapters::RunErrc::no_notify:
      return "cannot confine: seccomp user notification is not available" + os +
             "; a container needs a seccomp profile that allows it; nothing was run";
    case adapters::RunErrc::kernel_too_old:
      return "cannot confine: this kernel is too old" + os +
             "; it needs 5.19 or newer; nothing was run";
    case adapters::RunErrc::already_sandboxed:
      return "cannot confine: this process is already under a seccomp supervisor" + os +
             ", and the kernel allows one; run pmg outside it; nothing was run";
    case adapters::RunErrc::memory_unreadable:
      return "cannot confine: the memory of a child process is not readable" + os +
             "; a container needs CAP_SYS_PTRACE or kernel.yama.ptrace_scope of at most 1; nothing "
             "was run";
    case adapters::RunErrc::program_not_allowed:
      return may_not_run(policy, program, error.decision);
    case adapters::RunErrc::cannot_execute:
      return cannot_execute_text(program.file, error.os.error);
    case adapters::RunErrc::out_of_resources:
      return "cannot start: the system is out of processes, descriptors or memory" + os;
    case adapters::RunErrc::end_unknown:
      return "the program ended, but whether it succeeded is not known" + os;
  }
  return {};
}

std::string cannot_execute_text(const domain::AbsolutePath& file, int error) {
  const std::string name = quoted(file.text());
  switch (error) {
    case ENOENT:
      // The file itself was found before: what is missing is what it asks for.
      return name + " cannot be executed: the interpreter that it names does not exist";
    case ENOEXEC:
      return name + " is not a program: it has no format that the kernel knows";
    case EACCES:
      return name +
             " cannot be executed: permission denied, for it or for the interpreter that it names";
    default:
      return name + " cannot be executed: " + describe(error);
  }
}

int exit_code_of(const LookupError& error) noexcept {
  return error.code == LookupErrc::not_found ? 127 : 126;
}

int exit_code_of(const adapters::RunError& error) noexcept {
  switch (error.code) {
    case adapters::RunErrc::program_not_allowed:
      return 126;
    case adapters::RunErrc::cannot_execute:
      return error.os.error == ENOENT ? 127 : 126;
    case adapters::RunErrc::no_landlock:
    case adapters::RunErrc::no_notify:
    case adapters::RunErrc::kernel_too_old:
    case adapters::RunErrc::already_sandboxed:
    case adapters::RunErrc::memory_unreadable:
    case adapters::RunErrc::out_of_resources:
    case adapters::RunErrc::end_unknown:
      return 1;
  }
  return 1;
}

}  // namespace pmg::app
