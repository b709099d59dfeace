/// Processes of the tests: children under a filter with a listener, and what they do.
///
///   Trapping child;                         // waits in a call that the filter sends to us
///   const auto call = child.listener().receive();
///   child.listener().answer(call->id, 7);
///   CHECK(child.exit_code() == 7);
///
/// Not for: programs. What runs in a child is code of the test.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "platform/filter.hpp"
#include "platform/notify.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::test {

/// A forked child that runs `work` and ends with its result; killed and waited for at the end.
class Child {
 public:
  explicit Child(const std::function<int()>& work) : pid_(::fork()) {
    if (pid_ == 0) {
      (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::_exit(work());
    }
    REQUIRE(pid_ > 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { kill(); }

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// The exit code, or -1 where a signal ended it.
  [[nodiscard]] int exit_code() {
    int status = 0;
    const bool ended = pid_ > 0 && ::waitpid(std::exchange(pid_, -1), &status, 0) > 0;
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void kill() {
    if (pid_ > 0) {
      (void)::kill(pid_, SIGKILL);
      (void)exit_code();
    }
  }

 private:
  pid_t pid_;
};

/// Sends one descriptor, and receives it; async-signal-safe.
inline bool send_fd(int socket, int fd) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  *reinterpret_cast<int*>(CMSG_DATA(header)) = fd;
  return ::sendmsg(socket, &message, 0) == 1;
}

inline platform::UniqueFd receive_fd(int socket) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) {
    return {};
  }
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  return header == nullptr ? platform::UniqueFd{}
                           : platform::UniqueFd{*reinterpret_cast<const int*>(CMSG_DATA(header))};
}

/// A filter that sends getppid to the listener and lets everything else run.
inline std::span<const sock_filter> trap_getppid() {
  static const std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  return program;
}

/// A child that puts itself under `filter`, hands us the listener and then does `work`.
class Confined {
 public:
  Confined(
      std::span<const sock_filter> filter, const std::function<int()>& work,
      const std::function<void()>& prepare = [] {})
      : pair_(make_pair()), child_([&] {
          prepare();
          (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
          // The socket is reached through its number: the program may trap everything else.
          const int listener = platform::install_filter(filter);
          if (listener < 0 || !send_fd(pair_.second.get(), listener)) {
            return 125;
          }
          (void)::close(listener);
          return work();
        }) {
    pair_.second.reset();
    auto adopted = platform::Listener::adopt(receive_fd(pair_.first.get()));
    REQUIRE(adopted.has_value());
    listener_.emplace(std::move(*adopted));
  }

  [[nodiscard]] const platform::Listener& listener() const { return *listener_; }
  [[nodiscard]] platform::Listener take_listener() { return std::move(*listener_); }
  [[nodiscard]] Child& child() { return child_; }

 private:
  using Pair = std::pair<platform::UniqueFd, platform::UniqueFd>;
  static Pair make_pair() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    return {platform::UniqueFd(ends[0]), platform::UniqueFd(ends[1])};
  }

  Pair pair_;
  Child child_;
  std::optional<platform::Listener> listener_;
};

/// A child that waits in a trapped call; its exit code is what the call returned.
class Trapping : public Confined {
 public:
  Trapping() : Confined(trap_getppid(), [] { return static_cast<int>(::syscall(SYS_getppid)); }) {}
};

}  // namespace pmg::test
