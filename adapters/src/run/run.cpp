#include "adapters/run.hpp"

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "adapters/broker/broker.hpp"
#include "adapters/file_rules.hpp"
#include "broker/tree.hpp"
#include "platform/files.hpp"
#include "platform/filter.hpp"
#include "platform/landlock.hpp"
#include "platform/notify.hpp"
#include "platform/process.hpp"
#include "run/child.hpp"
#include "run/grants.hpp"
#include "run/inherited.hpp"
#include "run/supervise.hpp"

namespace pmg::adapters {
namespace {

using domain::Execute;
using domain::PathUse;
using domain::PathView;
using platform::OsError;

tl::expected<void, RunError> judge_program(const FileRules& rules,
                                           const domain::AbsolutePath& file) {
  const auto object = platform::open_at2(AT_FDCWD, file.text().c_str(), O_PATH, 0, 0);
  if (!object) {
    return tl::unexpected(
        RunError{RunErrc::cannot_execute, OsError{"open", object.error().value, file.text()}, {}});
  }
  const auto real =
      platform::read_link_at(AT_FDCWD, platform::DescriptorPath(object->get()).c_str());
  if (!real) {
    return tl::unexpected(RunError{
        RunErrc::cannot_execute, OsError{"readlink", real.error().value, file.text()}, {}});
  }
  const auto decision =
      rules.decide(Execute{PathUse(PathView::unsafe_from(*real), PathView(file))});
  if (!decision.allowed()) {
    return tl::unexpected(
        RunError{RunErrc::program_not_allowed, OsError{"execve", EACCES, *real}, decision});
  }
  return {};
}

struct Domain {
  platform::UniqueFd ruleset;
  platform::Signals signals;  ///< what is left for the filter to do
  std::vector<domain::AbsolutePath> loaders;
};

tl::expected<Domain, RunError> prepare_domain(const domain::CompiledPolicy& policy) {
  const auto abi = platform::probe_landlock();
  if (!abi) {
    return tl::unexpected(RunError{RunErrc::no_landlock, abi.error(), {}});
  }
  const auto grants = plan_exec_grants(policy);
  auto loaders = plan_loaders(grants);
  auto domain = make_domain(*abi, grants, loaders, plan_exec_carve_outs(policy, grants));
  if (!domain) {
    return tl::unexpected(RunError{RunErrc::no_landlock, domain.error(), {}});
  }
  return Domain{std::move(*domain),
                abi->scopes_signals() ? platform::Signals::scoped : platform::Signals::brokered,
                std::move(loaders)};
}

// The child is still a copy of this process, so a text of ours stands at the same address in it.
// What cannot be read now could never be judged (yama's ptrace_scope, a container's filter).
tl::expected<void, RunError> check_memory(pid_t child, const Program& program) {
  const std::string& name = program.file.text();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an address for another process
  const platform::RemoteAddress address{reinterpret_cast<std::uint64_t>(name.c_str())};
  const auto read = platform::read_string(child, address, name.size());
  if (!read || *read != name) {
    return tl::unexpected(
        RunError{RunErrc::memory_unreadable,
                 OsError{"process_vm_readv", read ? EFAULT : read.error().value, ""},
                 {}});
  }
  return {};
}

int exit_code(int status) {
  constexpr int kSignalBase = 128;
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

tl::expected<int, RunError> run(const domain::CompiledPolicy& policy, const Program& program,
                                const RunOptions& options) {
  const SignalState signals;
  const FileRules rules(policy);
  if (const auto judged = judge_program(rules, program.file); !judged) {
    return tl::unexpected(judged.error());
  }
  const auto domain = prepare_domain(policy);
  if (!domain) {
    return tl::unexpected(domain.error());
  }
  if (const auto notify = platform::probe_notify(); !notify) {
    return tl::unexpected(RunError{RunErrc::no_notify, notify.error(), {}});
  }
  // Asked before anything runs: who does not know its tree could not end it.
  const auto tree = broker::ProcessTree::of_this_process();
  if (!tree.is_known()) {
    return tl::unexpected(
        RunError{RunErrc::out_of_resources, OsError{"open", EMFILE, "/proc/self/status"}, {}});
  }
  // Orphans of the tree become our children: they stay readable for the broker, and end with it.
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return tl::unexpected(
        RunError{RunErrc::out_of_resources, OsError{"prctl", errno, "PR_SET_CHILD_SUBREAPER"}, {}});
  }
  withhold_descriptors(rules);
  // What the broker itself can do as root is no more than the program could: it acts for it.
  if (const int error = platform::drop_capabilities(); error != 0) {
    return tl::unexpected(RunError{RunErrc::out_of_resources, OsError{"capset", error, ""}, {}});
  }
  const TerminalState terminal;
  auto child = Child::start(Launch{program, domain->signals, domain->ruleset.get(),
                                   signals.original_mask(), signals.original_on_child()});
  if (!child) {
    return tl::unexpected(child.error());
  }
  const auto give_up = [&](RunError error) {
    (void)::kill(child->pid(), SIGKILL);
    (void)supervise(child->pid(), signals);
    return tl::unexpected(std::move(error));
  };
  if (const auto readable = check_memory(child->pid(), program); !readable) {
    return give_up(readable.error());
  }
  // While the child confines itself, which takes as long.
  auto broker = Broker::prepare(rules, options, domain->loaders);
  if (!broker) {
    return give_up(RunError{RunErrc::out_of_resources, broker.error(), {}});
  }
  auto listener = child->await_confined();
  if (!listener) {
    return tl::unexpected(listener.error());
  }
  if (const auto started = broker->start(std::move(*listener)); !started) {
    return give_up(RunError{RunErrc::out_of_resources, started.error(), {}});
  }
  const auto status = supervise(child->pid(), signals);
  if (!status || WIFSIGNALED(*status)) {
    terminal.restore();
  }
  end_tree(tree, signals, [&broker] { return broker->is_drained(); });
  broker->stop();
  if (const int error = child->execute_error(); error != 0) {
    return tl::unexpected(
        RunError{RunErrc::cannot_execute, OsError{"execve", error, program.file.text()}, {}});
  }
  if (!status) {
    return tl::unexpected(
        RunError{RunErrc::end_unknown, OsError{"waitpid", status.error().value, ""}, {}});
  }
  return exit_code(*status);
}

}  // namespace pmg::adapters
