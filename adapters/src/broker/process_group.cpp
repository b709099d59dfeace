// Process groups, and which of them has the terminal. A terminal signals and stops whole groups, so
// the tree joins and puts forward none but its own: those whose leader or members are inside, and
// the one that it was started in. Sessions that are made inside hold nobody else, and are the
// kernel's business.

#include "platform/process_group.hpp"

#include <algorithm>
#include <cerrno>

#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "broker/call.hpp"
#include "platform/process.hpp"

namespace pmg::adapters::broker {
namespace {

// A process can leave its session, and never join another.
bool is_in_own_session(const Call& call) {
  const pid_t session = ::getsid(call.caller().thread());
  return session > 0 && session != ::getsid(0);
}

enum class Owner : std::uint8_t { tree, nobody, outsiders };

// The number of a group is not given to a process while the group lasts, so a process of that
// number is its leader. One that has ended leaves the group to its members.
Owner owner_of(const ProcessTree& tree, pid_t group) {
  if (group == ::getpgrp()) {
    return Owner::tree;
  }
  if (platform::read_status(group)) {
    return tree.is_inside(group) ? Owner::tree : Owner::outsiders;
  }
  const auto members = platform::members_of_group(group);
  if (!members) {
    return Owner::outsiders;  // whose it is cannot be told
  }
  if (members->empty()) {
    return Owner::nobody;
  }
  return std::ranges::all_of(*members, [&](pid_t member) { return tree.is_inside(member); })
             ? Owner::tree
             : Owner::outsiders;
}

// tcsetpgrp(3) from here. The broker is of the same session; the terminal would stop it where its
// group is in the background.
Result<void> set_foreground(const platform::UniqueFd& terminal, pid_t group) {
  sigset_t stop{};
  sigset_t before{};
  (void)::sigemptyset(&stop);
  (void)::sigaddset(&stop, SIGTTOU);
  (void)::pthread_sigmask(SIG_BLOCK, &stop, &before);
  const auto done = platform::check(::tcsetpgrp(terminal.get(), group));
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return done;
}

}  // namespace

Reply handle_group(const Call& call) {
  const pid_t process = call.caller().int_argument(0);
  const pid_t group = call.caller().int_argument(1);
  // Its own number is a new group; what the kernel refuses anyway is its answer to give.
  const bool is_own = group <= 0 || group == process;
  return is_own || is_in_own_session(call) || owner_of(call.shared().tree, group) == Owner::tree
             ? Reply{LetKernelRun{}}
             : fail(EPERM);
}

Reply handle_foreground(const Call& call) {
  if (is_in_own_session(call)) {
    return LetKernelRun{};
  }
  const auto group = call.caller().read_value<pid_t>(2);
  const auto terminal =
      platform::duplicate_from(call.caller().thread(), call.caller().int_argument(0));
  if (!group || !terminal) {
    return fail(!terminal ? terminal.error() : group.error());
  }
  const ProcessTree& tree = call.shared().tree;
  const pid_t foreground = ::tcgetpgrp(terminal->get());
  if (foreground < 0) {
    return fail(errno);
  }
  // The kernel would stop the caller's group, and call again once it has the terminal. Without a
  // group to go on, it answers EIO.
  const bool is_in_background = ::getpgid(call.caller().thread()) != foreground;
  if (is_in_background && !platform::holds_back(call.caller().thread(), SIGTTOU)) {
    return fail(EIO);
  }
  if (*group <= 0) {
    return fail(*group < 0 ? EINVAL : ESRCH);
  }
  // Who has it now gives it up, so that must be one of the tree's as well.
  if (owner_of(tree, *group) == Owner::outsiders ||
      owner_of(tree, foreground) == Owner::outsiders) {
    return fail(EPERM);
  }
  if (!call.shared().listener.is_waiting(call.id())) {
    return fail(ESRCH);
  }
  return reply_of(set_foreground(*terminal, *group));
}

}  // namespace pmg::adapters::broker
