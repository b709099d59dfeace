#include "platform/machine.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/files.hpp"
#include "platform/filter.hpp"
#include "platform/notify.hpp"
#include "platform/process.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {
namespace {

/// The call that is trapped: nothing else here makes it.
constexpr long kTrapped = SYS_getsid;
constexpr std::array<char, 8> kMarker{'m', 'a', 'r', 'k', 'e', 'r', '!', 0};

Trial tried(bool works, int error) noexcept {
  return works ? Trial{Trial::State::works, 0} : Trial{Trial::State::fails, error};
}

template <class T>
Trial tried(const tl::expected<T, Errno>& result) noexcept {
  return tried(result.has_value(), result ? 0 : result.error().value);
}

/// What `work` gives, carried out in a child.
template <class Result, class Work>
Result in_child(Result otherwise, const Work& work) {
  static_assert(std::is_trivially_copyable_v<Result>);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return otherwise;
  }
  const UniqueFd from{ends[0]};
  UniqueFd to{ends[1]};
  const pid_t child = ::fork();
  if (child == 0) {
    const Result result = work();
    ::_exit(::write(to.get(), &result, sizeof result) == sizeof result ? 0 : 1);
  }
  to = UniqueFd{};
  Result result{};
  const bool told = child > 0 && ::read(from.get(), &result, sizeof result) == sizeof result;
  if (child > 0) {
    ::waitpid(child, nullptr, 0);
  }
  return told ? result : otherwise;
}

Trial install_plain_filter() noexcept {
  sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog code{1, &allow};
  const bool works = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                     ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &code) == 0;
  return tried(works, errno);
}

int install_listener() noexcept {
  const std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kTrapped, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  return install_filter(program);
}

/// The supervised one: it makes the call, and looks whether the answer is a descriptor.
[[noreturn]] void make_call() noexcept {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const long answer = ::syscall(kTrapped, kMarker.data(), socket);
  ::_exit(answer >= 0 && ::fcntl(static_cast<int>(answer), F_GETFD) >= 0 ? 0 : 1);
}

void answer_call(const Listener& listener, Supervision& out) noexcept {
  constexpr int kPatience = 5000;  // ms
  pollfd waiting{listener.fd(), POLLIN, 0};
  if (::poll(&waiting, 1, kPatience) != 1) {
    out.receive = tried(false, ETIMEDOUT);
    return;
  }
  const auto call = listener.receive();
  out.receive = tried(call);
  if (!call) {
    return;
  }
  std::array<char, kMarker.size()> read{};
  iovec here{read.data(), read.size()};
  iovec there{reinterpret_cast<void*>(call->arguments[0]), read.size()};
  const ssize_t count = ::process_vm_readv(call->thread, &here, 1, &there, 1, 0);
  out.vm_readv = tried(count == static_cast<ssize_t>(read.size()) && read == kMarker, errno);
  read = {};
  const auto got = read_exactly(call->thread, RemoteAddress{call->arguments[0]},
                                std::as_writable_bytes(std::span(read)));
  out.read_memory = tried(got && read == kMarker, got ? EIO : got.error().value);
  out.take_socket = tried(duplicate_from(call->thread, static_cast<int>(call->arguments[1])));
  const UniqueFd given{::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  out.add_descriptor = tried(listener.answer_with_fd(call->id, given, CloseOnExec::yes));
}

Supervision supervise_a_child() noexcept {
  Supervision out;
  out.filter = install_plain_filter();
  if (!out.filter.works()) {
    return out;
  }
  const int fd = install_listener();
  out.listener = tried(fd >= 0, -fd);
  if (fd < 0) {
    return out;
  }
  auto listener = Listener::adopt(UniqueFd{fd});
  if (!listener) {
    out.listener = tried(false, listener.error().error);
    return out;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    make_call();
  }
  if (child < 0) {
    out.receive = tried(false, errno);
    return out;
  }
  answer_call(*listener, out);
  if (!out.add_descriptor.works()) {
    ::kill(child, SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (out.add_descriptor.works() && status != 0) {
    out.add_descriptor = tried(false, EBADF);
  }
  return out;
}

}  // namespace

Supervision probe_supervision() {
  Supervision killed;
  killed.filter = tried(false, ECHILD);
  return in_child(killed, supervise_a_child);
}

Trial probe_openat2() { return tried(open_at2(AT_FDCWD, "/", O_PATH | O_DIRECTORY, 0, 0)); }

Trial probe_unshare_fs() {
  return in_child(tried(false, ECHILD), [] { return tried(::unshare(CLONE_FS) == 0, errno); });
}

Trial probe_children_file() {
  const std::string self = std::to_string(::getpid());
  const UniqueFd file{
      ::open(("/proc/" + self + "/task/" + self + "/children").c_str(), O_RDONLY | O_CLOEXEC)};
  return tried(static_cast<bool>(file), errno);
}

KernelRelease kernel_release() {
  utsname name{};
  if (::uname(&name) != 0) {
    return {};
  }
  KernelRelease release{0, 0, name.release};
  const char* const end = release.text.data() + release.text.size();
  const auto major = std::from_chars(release.text.data(), end, release.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.' ||
      std::from_chars(major.ptr + 1, end, release.minor).ec != std::errc{}) {
    release.major = 0;
    release.minor = 0;
  }
  return release;
}

std::optional<std::string> read_setting(const char* path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? std::optional(line) : std::nullopt;
}

}  // namespace pmg::platform
