#include "platform/process_group.hpp"

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "adapters/broker/broker.hpp"
#include "broker/confined.hpp"
#include "domain/decisions.hpp"
#include "platform/filter.hpp"

using namespace pmg;
using pmg::test::Child;
using pmg::test::Confined;
using Policy = pmg::tests::World;

namespace {

constexpr int kSetUp = 100;
constexpr int kNoTerminal = 101;

// 0, or the errno of a raw call.
template <class... Arguments>
int outcome(long number, Arguments... arguments) {
  return ::syscall(number, arguments...) < 0 ? errno : 0;
}

int join(pid_t process, pid_t group) { return outcome(SYS_setpgid, process, group); }
int put_forward(int terminal, pid_t group) {
  return outcome(SYS_ioctl, terminal, TIOCSPGRP, &group);
}

void hold_back(int signal) {
  sigset_t set{};
  (void)::sigemptyset(&set);
  (void)::sigaddset(&set, signal);
  (void)::sigprocmask(SIG_BLOCK, &set, nullptr);
}

// A process that waits in `group`; 0: in one of its own.
pid_t waiting_in(pid_t group) {
  const pid_t child = ::fork();
  if (child == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::pause();
    ::_exit(0);
  }
  (void)::setpgid(child, group);
  return child;
}

void end(pid_t process) {
  (void)::kill(process, SIGKILL);
  (void)::waitpid(process, nullptr, 0);
}

/// A terminal of a new session, of which this process is the leader from then on.
class Terminal {
 public:
  Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0 || ::setsid() < 0) {
      return;
    }
    fd_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd_ < 0 || ::ioctl(fd_, TIOCSCTTY, 0) != 0) {
      fd_ = -1;
    }
  }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int master_;
  int fd_ = -1;
};

struct Scene {
  int terminal;
  pid_t outsider;  ///< leads a group of the same session
  pid_t start;     ///< the group in which the tree was started
};

using Steps = std::function<std::vector<int>(const Scene&)>;

// The number of the first outcome that is not 0.
int first_wrong(const std::vector<int>& outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i] != 0) {
      return static_cast<int>(i) + 1;
    }
  }
  return 0;
}

enum class Foreground : std::uint8_t { start, outsider };
enum class Under : std::uint8_t { broker, nothing };

// In a session of its own with a terminal and an outsider: the number of the first of `steps` that
// is not 0. In a process of its own, since a session is for good.
int in_a_session(Under under, Foreground foreground, const Steps& steps) {
  Child session([&] {
    const Terminal terminal;
    if (terminal.fd() < 0) {
      return kNoTerminal;
    }
    const Scene scene{terminal.fd(), waiting_in(0), ::getpgrp()};
    if (foreground == Foreground::outsider && ::tcsetpgrp(terminal.fd(), scene.outsider) != 0) {
      return kSetUp;
    }
    const auto work = [&] { return first_wrong(steps(scene)); };
    int failed = kSetUp;
    if (under == Under::nothing) {
      failed = Child(work).exit_code();
    } else {
      Policy policy;
      policy.read({"/"}).write({"/dev/ptmx", "/dev/pts/**"});
      const adapters::RunOptions options;
      const adapters::FileRules rules(policy.compiled());
      auto broker = adapters::Broker::prepare(rules, options, {});
      Confined tree(platform::filter_program(platform::Signals::scoped), work);
      if (broker && broker->start(tree.take_listener())) {
        failed = tree.child().exit_code();
        broker->stop();
      }
    }
    end(scene.outsider);
    return failed;
  });
  return session.exit_code();
}

int expect(int want, int got) { return got == want ? 0 : 1; }

}  // namespace

TEST_CASE("B13: the tree joins no process group of somebody else, and puts none forward") {
  const auto attack = [](int want) {
    return [want](const Scene& scene) {
      hold_back(SIGTTOU);
      const pid_t child = waiting_in(0);
      const std::vector<int> outcomes{expect(want, put_forward(scene.terminal, scene.outsider)),
                                      expect(want, join(child, scene.outsider)),
                                      expect(want, join(0, scene.outsider))};
      end(child);
      return outcomes;
    };
  };
  const int control = in_a_session(Under::nothing, Foreground::start, attack(0));
  if (control == kNoTerminal) {
    MESSAGE("there are no terminals here");
    return;
  }
  CHECK(control == 0);
  CHECK(in_a_session(Under::broker, Foreground::start, attack(EPERM)) == 0);
}

TEST_CASE("B13: the tree takes no terminal from somebody else") {
  const auto take = [](int want) {
    return [want](const Scene& scene) {
      hold_back(SIGTTOU);
      (void)join(0, 0);
      return std::vector<int>{expect(want, put_forward(scene.terminal, ::getpid())),
                              expect(want, put_forward(scene.terminal, scene.start))};
    };
  };
  const int control = in_a_session(Under::nothing, Foreground::outsider, take(0));
  if (control == kNoTerminal) {
    return;
  }
  CHECK(control == 0);
  CHECK(in_a_session(Under::broker, Foreground::outsider, take(EPERM)) == 0);
  CHECK(in_a_session(Under::broker, Foreground::outsider, [](const Scene& scene) {
          return std::vector<int>{expect(EIO, put_forward(scene.terminal, scene.start))};
        }) == 0);
}

TEST_CASE("B13: the job control of a shell inside works") {
  const auto jobs = [](const Scene& scene) {
    hold_back(SIGTTOU);
    std::vector<int> outcomes{join(0, ::getpid()), put_forward(scene.terminal, ::getpid()),
                              expect(::getpid(), ::tcgetpgrp(scene.terminal))};
    const pid_t first = waiting_in(0);
    const pid_t second = waiting_in(::getpgrp());
    outcomes.push_back(join(first, first));
    outcomes.push_back(join(second, first));
    outcomes.push_back(put_forward(scene.terminal, first));
    end(first);
    // The leader is gone, and its group is still there.
    const pid_t third = waiting_in(::getpgrp());
    outcomes.push_back(join(third, first));
    outcomes.push_back(put_forward(scene.terminal, first));
    end(second);
    end(third);
    // Nobody is left in the group that has the terminal.
    outcomes.push_back(put_forward(scene.terminal, ::getpid()));
    outcomes.push_back(expect(EPERM, join(0, first)));
    outcomes.push_back(join(0, scene.start));
    outcomes.push_back(put_forward(scene.terminal, scene.start));
    outcomes.push_back(expect(EBADF, put_forward(1000, scene.start)));
    outcomes.push_back(expect(EINVAL, join(0, -1)));
    outcomes.push_back(expect(EINVAL, put_forward(scene.terminal, -1)));
    return outcomes;
  };
  const int control = in_a_session(Under::nothing, Foreground::start, jobs);
  if (control == kNoTerminal) {
    return;
  }
  CHECK(control == 0);
  CHECK(in_a_session(Under::broker, Foreground::start, jobs) == 0);
}

TEST_CASE("B13: a session that is made inside is the tree's own") {
  const auto own = [](const Scene& /*scene*/) {
    const Terminal terminal;
    const pid_t child = waiting_in(0);
    std::vector<int> outcomes{terminal.fd() < 0 ? kNoTerminal : 0,
                              put_forward(terminal.fd(), child)};
    hold_back(SIGTTOU);
    outcomes.push_back(put_forward(terminal.fd(), ::getpid()));
    outcomes.push_back(expect(EPERM, put_forward(terminal.fd(), ::getppid())));
    end(child);
    return outcomes;
  };
  const int control = in_a_session(Under::nothing, Foreground::start, own);
  if (control == kNoTerminal) {
    return;
  }
  CHECK(control == 0);
  CHECK(in_a_session(Under::broker, Foreground::start, own) == 0);
}

TEST_CASE("P1: the members of a group, and the signals that a thread holds back") {
  const pid_t leader = waiting_in(0);
  const pid_t member = waiting_in(leader);
  const auto members = platform::members_of_group(leader);
  REQUIRE(members.has_value());
  CHECK(members->size() == 2);
  end(leader);
  const auto left = platform::members_of_group(leader);
  REQUIRE(left.has_value());
  REQUIRE(left->size() == 1);
  CHECK(left->front() == member);
  end(member);
  const auto none = platform::members_of_group(leader);
  REQUIRE(none.has_value());
  CHECK(none->empty());
  // Where /proc does not show them they are not taken for none.
  Child blind([] {
    rlimit none_left{0, 0};
    (void)::setrlimit(RLIMIT_NOFILE, &none_left);
    return platform::members_of_group(::getpgrp()).has_value() ? 1 : 0;
  });
  CHECK(blind.exit_code() == 0);

  Child thread([] {
    const bool before = platform::holds_back(::getpid(), SIGTTOU);
    hold_back(SIGTTOU);
    const bool blocked = platform::holds_back(::getpid(), SIGTTOU);
    (void)::signal(SIGTTIN, SIG_IGN);
    return !before && blocked && platform::holds_back(::getpid(), SIGTTIN) &&
                   !platform::holds_back(::getpid(), SIGTSTP) && !platform::holds_back(0, SIGTTIN)
               ? 0
               : 1;
  });
  CHECK(thread.exit_code() == 0);
}
