#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "adapters/broker/broker.hpp"
#include "adapters/run.hpp"
#include "broker/confined.hpp"
#include "domain/decisions.hpp"
#include "domain/operation_kind.hpp"
#include "platform/filter.hpp"

using namespace pmg;
using pmg::test::Child;
using pmg::test::Confined;
using Policy = pmg::tests::World;

namespace {

constexpr int kFirstFailure = 100;
constexpr int kGotIt = 7;
constexpr unsigned kPatience = 20;  // seconds

// 0, or the errno of a raw call.
template <class... Arguments>
int outcome(long number, Arguments... arguments) {
  return ::syscall(number, arguments...) < 0 ? errno : 0;
}

// Runs `work` under a broker that carries out signals, and without Landlock.
int with_brokered_signals(const std::function<int()>& work,
                          const adapters::RunOptions& options = {}) {
  Policy policy;
  policy.read({"/"});
  const adapters::FileRules rules(policy.compiled());
  auto prepared = adapters::Broker::prepare(rules, options, {});
  REQUIRE(prepared.has_value());
  adapters::Broker broker = std::move(*prepared);
  const auto as_a_program = [] { (void)::signal(SIGTERM, SIG_DFL); };  // doctest handles it
  Confined tree(platform::filter_program(platform::Signals::brokered), work, as_a_program);
  REQUIRE(broker.start(tree.take_listener()).has_value());
  const int code = tree.child().exit_code();
  broker.stop();
  return code;
}

siginfo_t queued(int signal) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  return info;
}

// Each way to send `signal` to a process; the thread of the same number is its leader.
std::array<std::function<int()>, 7> ways(pid_t target, int signal) {
  return {
      [=] { return outcome(SYS_kill, target, signal); },
      [=] { return outcome(SYS_tkill, target, signal); },
      [=] { return outcome(SYS_tgkill, target, target, signal); },
      [=] {
        auto info = queued(signal);
        return outcome(SYS_rt_sigqueueinfo, target, signal, &info);
      },
      [=] {
        auto info = queued(signal);
        return outcome(SYS_rt_tgsigqueueinfo, target, target, signal, &info);
      },
      [=] {
        const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, target, 0));
        const int result = outcome(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0);
        (void)::close(pidfd);
        return result;
      },
      [=] {
        const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, target, 0));
        auto info = queued(signal);
        const int result = outcome(SYS_pidfd_send_signal, pidfd, signal, &info, 0);
        (void)::close(pidfd);
        return result;
      },
  };
}

// How many of the ways did not end with `want`; the first of them counts.
int first_way_without(int want, pid_t target, int signal) {
  int number = 1;
  for (const auto& way : ways(target, signal)) {
    if (way() != want) {
      return number;
    }
    ++number;
  }
  return 0;
}

volatile sig_atomic_t received = 0;
void count_signal(int /*signal*/) { received = received + 1; }

void count(int signal) {
  struct sigaction action {};
  action.sa_handler = count_signal;
  action.sa_flags = SA_RESTART;
  (void)::sigaction(signal, &action, nullptr);
}

[[noreturn]] int sleep_on() {
  while (true) {
    (void)::pause();
  }
}

}  // namespace

TEST_CASE("B10: no signal leaves the tree where the kernel cannot scope them") {
  Child outsider([] { return sleep_on(); });
  const int code = with_brokered_signals([&] {
    if (const int way = first_way_without(EPERM, outsider.pid(), SIGKILL); way != 0) {
      return way;
    }
    // Of all that a process may signal, only the tree is meant; this one is alone in it. Signal 0
    // only asks: were the test wrong, this would end everything.
    return outcome(SYS_kill, -1, 0) == ESRCH ? 0 : kFirstFailure;
  });
  CHECK(code == 0);
  CHECK(::kill(outsider.pid(), 0) == 0);
  CHECK(::waitpid(outsider.pid(), nullptr, WNOHANG) == 0);
}

TEST_CASE("B10: each refused signal is reported, with the process it was for") {
  Child outsider([] { return sleep_on(); });
  std::mutex mutex;
  std::vector<std::string> reported;
  adapters::RunOptions options;
  options.on_denial = [&](const adapters::Denial& denial) {
    const std::lock_guard lock(mutex);
    CHECK(denial.operation == domain::OperationKind::signal);
    CHECK(denial.note == "belongs to a process outside the sandbox");
    reported.emplace_back(denial.real);
  };
  const auto work = [&] { return first_way_without(EPERM, outsider.pid(), 0); };
  CHECK(with_brokered_signals(work, options) == 0);
  CHECK(reported == std::vector(ways(outsider.pid(), 0).size(), std::to_string(outsider.pid())));
}

TEST_CASE("B10: a group that is shared with outsiders is signalled inside only") {
  // The test, the outsider and the tree are one process group.
  Child outsider([] { return sleep_on(); });
  const int code = with_brokered_signals([] {
    count(SIGUSR1);
    const bool own = outcome(SYS_kill, 0, SIGUSR1) == 0 && received == 1;
    const bool named = outcome(SYS_kill, -::getpgrp(), SIGUSR1) == 0 && received == 2;
    return own && named ? 0 : 1;
  });
  CHECK(code == 0);
  CHECK(::waitpid(outsider.pid(), nullptr, WNOHANG) == 0);
}

TEST_CASE("B10: descriptors cannot name an outsider who gets their signals") {
  const int code = with_brokered_signals([] {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return 1;
    }
    f_owner_ex owner{F_OWNER_PID, 1};
    int pid = 1;
    return outcome(SYS_fcntl, ends[0], F_SETOWN, 1) == EPERM &&
                   outcome(SYS_fcntl, ends[0], F_SETOWN_EX, &owner) == EPERM &&
                   outcome(SYS_ioctl, ends[0], 0x8901 /* FIOSETOWN */, &pid) == EPERM
               ? 0
               : 2;
  });
  CHECK(code == 0);
}

TEST_CASE("B10: signals inside arrive") {
  SUBCASE("at the sender") {
    const int code = with_brokered_signals([] {
      count(SIGUSR1);
      const int way = first_way_without(0, ::getpid(), SIGUSR1);
      return way != 0 ? way : (received == 7 ? 0 : kFirstFailure + received);
    });
    CHECK(code == 0);
  }
  SUBCASE("at a child, every way") {
    const int code = with_brokered_signals([] {
      for (int number = 0; number < 7; ++number) {
        const pid_t child = ::fork();
        if (child == 0) {
          sleep_on();
        }
        int status = 0;
        if (ways(child, SIGTERM).at(static_cast<std::size_t>(number))() != 0 ||
            ::waitpid(child, &status, 0) != child || !WIFSIGNALED(status) ||
            WTERMSIG(status) != SIGTERM) {
          return number + 1;
        }
      }
      return 0;
    });
    CHECK(code == 0);
  }
  SUBCASE("with -1: at all but the sender") {
    const int code = with_brokered_signals([] {
      // SIGURG, which whoever does not ask for it ignores.
      const pid_t child = ::fork();
      if (child == 0) {
        (void)::signal(SIGURG, [](int /*signal*/) { ::_exit(kGotIt); });
        (void)::signal(SIGALRM, SIG_DFL);
        (void)::alarm(kPatience);
        sleep_on();
      }
      count(SIGURG);
      int status = 0;
      while (::waitpid(child, &status, WNOHANG) == 0) {
        if (outcome(SYS_kill, -1, SIGURG) != 0) {
          break;
        }
      }
      return WIFEXITED(status) && WEXITSTATUS(status) == kGotIt && received == 0 ? 0 : 1;
    });
    CHECK(code == 0);
  }
}

TEST_CASE("B10: what the kernel would refuse is refused") {
  const int code = with_brokered_signals([] {
    auto info = queued(SIGTERM);
    info.si_code = SI_USER;  // only the kernel says this about others
    const pid_t child = ::fork();
    if (child == 0) {
      sleep_on();
    }
    const bool refused = outcome(SYS_rt_sigqueueinfo, child, SIGTERM, &info) == EPERM &&
                         outcome(SYS_kill, child, 4711) == EINVAL &&
                         outcome(SYS_kill, std::numeric_limits<pid_t>::min(), 0) == ESRCH &&
                         outcome(SYS_rt_sigqueueinfo, child, SIGTERM, nullptr) == EFAULT &&
                         outcome(SYS_pidfd_send_signal, 0, SIGTERM, nullptr, 0) == EBADF &&
                         outcome(SYS_pidfd_send_signal, -1, SIGTERM, nullptr, 0) == EBADF &&
                         outcome(SYS_pidfd_send_signal, 0, SIGTERM, nullptr, 4) == EINVAL;
    const bool alive = ::waitpid(child, nullptr, WNOHANG) == 0;
    (void)::kill(child, SIGKILL);
    (void)::waitpid(child, nullptr, 0);
    const bool gone = outcome(SYS_kill, child, SIGTERM) == ESRCH;
    return refused && alive && gone ? 0 : 1;
  });
  CHECK(code == 0);
}
