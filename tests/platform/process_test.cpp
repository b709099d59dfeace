#include "platform/process.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace pmg::platform;

namespace {

RemoteAddress address_of(const void* pointer) {
  return RemoteAddress{reinterpret_cast<std::uint64_t>(pointer)};
}

/// Two pages, the second unreadable.
class Pages {
 public:
  Pages()
      : memory_(static_cast<char*>(::mmap(nullptr, 2 * kSize, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    std::memset(memory_, 'x', 2 * kSize);
  }
  ~Pages() { ::munmap(memory_, 2 * kSize); }
  void close_second() { ::mprotect(memory_ + kSize, kSize, PROT_NONE); }
  [[nodiscard]] char* boundary() const { return memory_ + kSize; }
  static constexpr std::size_t kSize = 4096;

 private:
  char* memory_;
};

}  // namespace

TEST_CASE("M1: a string is read whole, also across pages") {
  const Pages pages;
  std::strcpy(pages.boundary() - 3, "abcdef");
  CHECK(read_string(::getpid(), address_of(pages.boundary() - 3), 4095).value_or("?") == "abcdef");
}

TEST_CASE("M1: a string that ends at the last readable byte needs no byte more") {
  Pages pages;
  std::strcpy(pages.boundary() - 4, "abc");
  pages.close_second();
  CHECK(read_string(::getpid(), address_of(pages.boundary() - 4), 4095).value_or("?") == "abc");
}

TEST_CASE("M2: what cannot be read is an error, never a shorter string") {
  Pages pages;
  pages.close_second();
  const auto unterminated = read_string(::getpid(), address_of(pages.boundary() - 4), 4095);
  REQUIRE_FALSE(unterminated.has_value());
  CHECK(unterminated.error() == Errno{EFAULT});
  CHECK(read_string(::getpid(), RemoteAddress{0}, 4095).error() == Errno{EFAULT});
  CHECK(read_string(::getpid(), RemoteAddress{16}, 4095).error() == Errno{EFAULT});
}

TEST_CASE("M2: the limit is the longest text that passes") {
  const std::string text(4095, 'a');
  CHECK(read_string(::getpid(), address_of(text.c_str()), 4095).value_or("?").size() == 4095);
  CHECK(read_string(::getpid(), address_of(text.c_str()), 4094).error() == Errno{ENAMETOOLONG});
}

TEST_CASE("M3: a status names process, parent and umask") {
  const mode_t before = ::umask(027);
  const auto status = read_status(::getpid());
  ::umask(before);
  REQUIRE(status.has_value());
  CHECK(status->process == ::getpid());
  CHECK(status->parent == ::getppid());
  CHECK(status->umask == 027);
  CHECK_FALSE(read_status(-1).has_value());
}

TEST_CASE("M4: only a signal that is not blocked waits for a thread") {
  sigset_t set;
  sigset_t before;
  REQUIRE(::sigemptyset(&set) == 0);
  REQUIRE(::sigaddset(&set, SIGUSR1) == 0);
  REQUIRE(::pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
  CHECK_FALSE(has_pending_signal(::gettid()));
  REQUIRE(::raise(SIGUSR1) == 0);
  CHECK_FALSE(has_pending_signal(::gettid()));
  int taken = 0;
  REQUIRE(::sigwait(&set, &taken) == 0);
  REQUIRE(::pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  CHECK_FALSE(has_pending_signal(-1));
}

TEST_CASE("M5: a descriptor is that of the thread's own table") {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe2(pipe.data(), O_CLOEXEC) == 0);
  const UniqueFd leaders{pipe[0]};
  const UniqueFd other_end{pipe[1]};
  std::atomic<pid_t> other{0};
  std::atomic<bool> done{false};
  std::thread thread([&] {
    const UniqueFd root{::open("/", O_RDONLY | O_CLOEXEC)};
    const bool own =
        ::unshare(CLONE_FILES) == 0 && ::dup3(root.get(), leaders.get(), O_CLOEXEC) >= 0;
    other = own ? ::gettid() : -1;
    while (!done) {
      std::this_thread::yield();
    }
  });
  while (other == 0) {
    std::this_thread::yield();
  }
  const auto kind = [](const tl::expected<UniqueFd, Errno>& fd) -> mode_t {
    struct stat info {};
    return fd && ::fstat(fd->get(), &info) == 0 ? info.st_mode & S_IFMT : 0;
  };
  const mode_t of_thread = kind(duplicate_from(other, leaders.get()));
  const mode_t of_leader = kind(duplicate_from(::getpid(), leaders.get()));
  done = true;
  thread.join();
  CHECK(other > 0);
  CHECK(of_leader == S_IFIFO);
  // Before Linux 6.9 the thread's table cannot be asked: then it is nothing, and never the
  // leader's.
  CHECK((of_thread == S_IFDIR || of_thread == 0));
}

TEST_CASE("M6: the limit of a file's size is the process's own") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  constexpr rlim_t kSize = 1 << 30;
  const rlimit lower{kSize, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &lower) == 0);
  CHECK(file_size_limit(::getpid()).value_or(0) == kSize);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(file_size_limit(::getpid()).value_or(0) == before.rlim_cur);
  CHECK_FALSE(file_size_limit(-1).has_value());
}
