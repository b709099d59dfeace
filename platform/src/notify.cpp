#include "platform/notify.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/uapi/seccomp.hpp"

namespace pmg::platform {
namespace {

// The kernel's structure may have grown; it writes its own size (SECCOMP_GET_NOTIF_SIZES).
union NotificationBuffer {
  seccomp_notif value;
  std::array<char, 512> room;
};

}  // namespace

tl::expected<void, OsError> probe_notify() {
  seccomp_notif_sizes sizes{};
  if (::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) {
    return tl::unexpected(OsError{"seccomp", errno, "SECCOMP_GET_NOTIF_SIZES"});
  }
  if (sizes.seccomp_notif > sizeof(NotificationBuffer) ||
      sizes.seccomp_notif_resp < sizeof(seccomp_notif_resp)) {
    return tl::unexpected(OsError{"seccomp", EOVERFLOW, "SECCOMP_GET_NOTIF_SIZES"});
  }
  unsigned action = SECCOMP_RET_USER_NOTIF;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0) {
    return tl::unexpected(OsError{"seccomp", errno, "SECCOMP_RET_USER_NOTIF"});
  }
  return {};
}

tl::expected<Listener, OsError> Listener::adopt(UniqueFd fd) {
  if (!fd) {
    return tl::unexpected(OsError{"seccomp", EBADF, "listener"});
  }
  if (::fcntl(fd.get(), F_SETFD, FD_CLOEXEC) != 0) {
    return tl::unexpected(OsError{"fcntl", errno, "listener"});
  }
  // Only a question of speed, so a kernel before 6.6 may refuse it.
  (void)::ioctl(fd.get(), uapi::kNotifSetFlags, uapi::kNotifFdSyncWakeUp);
  return Listener(std::move(fd));
}

tl::expected<Notification, Errno> Listener::receive() const {
  NotificationBuffer buffer;
  std::memset(&buffer, 0, sizeof(buffer));  // the kernel refuses a buffer that is not zero
  if (::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_RECV, &buffer) != 0) {
    return tl::unexpected(Errno{errno});
  }
  Notification call{
      buffer.value.id, static_cast<std::int32_t>(buffer.value.pid), buffer.value.data.nr, {}};
  std::copy(std::begin(buffer.value.data.args), std::end(buffer.value.data.args),
            call.arguments.begin());
  return call;
}

bool Listener::is_abandoned() const noexcept {
  pollfd state{fd_.get(), 0, 0};
  return ::poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0;
}

bool Listener::is_waiting(std::uint64_t id) const noexcept {
  return ::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

void Listener::answer(std::uint64_t id, std::int64_t value) const noexcept {
  seccomp_notif_resp response{id, value, 0, 0};
  // ENOENT: the caller was killed; nobody waits for the answer.
  (void)::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void Listener::refuse(std::uint64_t id, Errno error) const noexcept {
  seccomp_notif_resp response{id, 0, -error.value, 0};
  (void)::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void Listener::restart(std::uint64_t id) const noexcept {
  constexpr int kErestartsys = 512;  // include/linux/errno.h; the kernel's own answer in this case
  refuse(id, Errno{kErestartsys});
}

void Listener::unsafe_continue(std::uint64_t id) const noexcept {
  seccomp_notif_resp response{id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  (void)::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response);
}

tl::expected<int, Errno> Listener::add_fd(std::uint64_t id, const UniqueFd& fd,
                                          CloseOnExec close_on_exec,
                                          std::uint32_t flags) const noexcept {
  seccomp_notif_addfd request{};
  request.id = id;
  request.flags = flags;
  request.srcfd = static_cast<std::uint32_t>(fd.get());
  request.newfd_flags = close_on_exec == CloseOnExec::yes ? O_CLOEXEC : 0;
  int result = 0;
  do {
    result = ::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_ADDFD, &request);
  } while (result < 0 && errno == EINTR);
  if (result < 0) {
    return tl::unexpected(Errno{errno});
  }
  return result;
}

tl::expected<void, Errno> Listener::answer_with_fd(std::uint64_t id, const UniqueFd& fd,
                                                   CloseOnExec close_on_exec) const noexcept {
  return add_fd(id, fd, close_on_exec, SECCOMP_ADDFD_FLAG_SEND).map([](int) {});
}

tl::expected<int, Errno> Listener::inject(std::uint64_t id, const UniqueFd& fd,
                                          CloseOnExec close_on_exec) const noexcept {
  return add_fd(id, fd, close_on_exec, 0);
}

}  // namespace pmg::platform
