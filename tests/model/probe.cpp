// Carries out one operation after the other and says how each ended. Runs inside the sandbox and,
// for comparison, outside. No allocation, no library but libc's wrappers, no opens of its own.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "model/wire.hpp"

namespace pmg::model {
namespace {

constexpr unsigned kFileMode = 0666;
constexpr unsigned kDirectoryMode = 0777;

// One command with its texts, where they stand in the buffer.
struct Request {
  Op op;
  Form form;
  int base;
  int base2;
  const char* path;
  const char* path2;
};

int descriptor_of(int base) { return base == kFromCwd ? AT_FDCWD : kFirstHeld + base; }

int result_of(long value) { return value < 0 ? errno : 0; }

int close_opened(long fd) {
  if (fd < 0) {
    return errno;
  }
  (void)::close(static_cast<int>(fd));
  return 0;
}

int flags_of(Op op) {
  switch (op) {
    case Op::open_write:
      return O_WRONLY;
    case Op::open_read_write:
      return O_RDWR;
    case Op::open_truncate:
      return O_WRONLY | O_TRUNC;
    case Op::open_create:
      return O_WRONLY | O_CREAT;
    case Op::open_exclusive:
      return O_WRONLY | O_CREAT | O_EXCL;
    case Op::open_nofollow:
      return O_RDONLY | O_NOFOLLOW;
    case Op::open_directory:
      return O_RDONLY | O_DIRECTORY;
    case Op::open_temporary:
      return O_RDWR | O_TMPFILE;
    case Op::open_path:
      return O_PATH;
    case Op::open_read_truncate:
      return O_RDONLY | O_TRUNC;
    case Op::open_create_both:
      return O_RDWR | O_CREAT;
    default:
      return O_RDONLY;
  }
}

int open_it(const Request& request) {
  const int flags = flags_of(request.op) | O_NONBLOCK | O_CLOEXEC;  // no wait at a FIFO
  return close_opened(request.form == Form::plain
                          ? ::syscall(SYS_open, request.path, flags, kFileMode)
                          : ::syscall(SYS_openat, request.base, request.path, flags, kFileMode));
}

int open_restricted(const Request& request) {
  open_how how{};
  how.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
  how.resolve = request.op == Op::open_beneath ? RESOLVE_BENEATH : RESOLVE_NO_SYMLINKS;
  return close_opened(::syscall(SYS_openat2, request.base, request.path, &how, sizeof(how)));
}

// What is done with a descriptor that can only read.
int use_descriptor(const Request& request) {
  const long fd =
      ::syscall(SYS_openat, request.base, request.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
  if (fd < 0) {
    return errno;
  }
  int result = 0;
  if (request.op == Op::chmod_held) {
    result = result_of(::fchmod(static_cast<int>(fd), kMagicMode));
  } else {
    static_assert(kReopened == 99);
    result = ::dup3(static_cast<int>(fd), kReopened, O_CLOEXEC) < 0
                 ? errno
                 : close_opened(::syscall(SYS_open, "/proc/self/fd/99",
                                          O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0));
    (void)::close(kReopened);
  }
  (void)::close(static_cast<int>(fd));
  return result;
}

// creat(2) has no O_NONBLOCK. A FIFO is not asked for, but may be there after a failure.
int create(const Request& request) {
  struct stat info {};
  if (::stat(request.path, &info) == 0 && S_ISFIFO(info.st_mode)) {
    return ENXIO;
  }
  return close_opened(::syscall(SYS_creat, request.path, kFileMode));
}

int make_node(const Request& request, unsigned kind) {
  const unsigned mode = kind | kFileMode;
  return result_of(request.form == Form::plain
                       ? ::syscall(SYS_mknod, request.path, mode, 0)
                       : ::syscall(SYS_mknodat, request.base, request.path, mode, 0));
}

int make_directory(const Request& request) {
  return result_of(request.form == Form::plain
                       ? ::syscall(SYS_mkdir, request.path, kDirectoryMode)
                       : ::syscall(SYS_mkdirat, request.base, request.path, kDirectoryMode));
}

int make_symlink(const Request& request) {
  return result_of(request.form == Form::plain
                       ? ::syscall(SYS_symlink, "made", request.path)
                       : ::syscall(SYS_symlinkat, "made", request.base, request.path));
}

int use_address(const Request& request) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(request.path) >= sizeof(address.sun_path)) {
    return ENAMETOOLONG;
  }
  std::strcpy(static_cast<char*>(address.sun_path), request.path);  // NOLINT: measured above
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // NOLINTNEXTLINE: the type of the socket interface
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  const auto call = request.op == Op::bind ? &::bind : &::connect;
  const int result = result_of(call(fd, name, sizeof(address)));
  (void)::close(fd);
  return result;
}

int remove_it(const Request& request) {
  const bool directory = request.op == Op::remove_directory;
  if (request.form == Form::plain) {
    return result_of(::syscall(directory ? SYS_rmdir : SYS_unlink, request.path));
  }
  return result_of(
      ::syscall(SYS_unlinkat, request.base, request.path, directory ? AT_REMOVEDIR : 0));
}

int change_mode(const Request& request) {
  return result_of(request.form == Form::plain
                       ? ::syscall(SYS_chmod, request.path, kMagicMode)
                       : ::syscall(SYS_fchmodat, request.base, request.path, kMagicMode));
}

int change_owner(const Request& request) {
  const auto user = static_cast<int>(::getuid());
  const auto group = static_cast<int>(::getgid());
  const bool link = request.op == Op::chown_link;
  if (request.form == Form::plain) {
    return result_of(::syscall(link ? SYS_lchown : SYS_chown, request.path, user, group));
  }
  return result_of(::syscall(SYS_fchownat, request.base, request.path, user, group,
                             link ? AT_SYMLINK_NOFOLLOW : 0));
}

int set_times(const Request& request) {
  const std::array<timespec, 2> times{timespec{kMagicTime, 0}, timespec{kMagicTime, 0}};
  return result_of(::syscall(SYS_utimensat, request.base, request.path, times.data(),
                             request.op == Op::set_times_link ? AT_SYMLINK_NOFOLLOW : 0));
}

// The child shares our memory until it runs another program, so it can leave its errno here.
int execute(const Request& request) {
  const std::array<const char*, 2> arguments{request.path, nullptr};
  const std::array<const char*, 1> environment{nullptr};
  volatile int error = 0;
  const pid_t child = ::vfork();
  if (child == 0) {
    if (request.path[0] == '\0') {
      (void)::syscall(SYS_execveat, request.base, request.path, arguments.data(),
                      environment.data(), AT_EMPTY_PATH);
    } else if (request.form == Form::plain) {
      (void)::syscall(SYS_execve, request.path, arguments.data(), environment.data());
    } else {
      (void)::syscall(SYS_execveat, request.base, request.path, arguments.data(),
                      environment.data(), 0);
    }
    error = errno;
    ::_exit(0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) {
    return kOtherProgram;
  }
  if (error != 0) {
    return error;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == kProgramExit ? 0 : kOtherProgram;
}

int rename_it(const Request& request) {
  if (request.op == Op::rename && request.form == Form::plain) {
    return result_of(::syscall(SYS_rename, request.path, request.path2));
  }
  unsigned flags = request.op == Op::exchange ? RENAME_EXCHANGE : 0;
  if (request.op == Op::rename_no_replace) {
    flags = RENAME_NOREPLACE;
  }
  return result_of(
      ::syscall(SYS_renameat2, request.base, request.path, request.base2, request.path2, flags));
}

int link_it(const Request& request) {
  if (request.op == Op::link && request.form == Form::plain) {
    return result_of(::syscall(SYS_link, request.path, request.path2));
  }
  return result_of(::syscall(SYS_linkat, request.base, request.path, request.base2, request.path2,
                             request.op == Op::link_followed ? AT_SYMLINK_FOLLOW : 0));
}

int hold(const Request& request, int number) {
  const long fd = ::syscall(SYS_openat, AT_FDCWD, request.path, O_PATH | O_CLOEXEC, 0);
  if (fd < 0) {
    return errno;
  }
  const int result = result_of(::dup2(static_cast<int>(fd), number));  // without close-on-exec
  (void)::close(static_cast<int>(fd));
  return result;
}

int carry_out(const Request& request) {
  switch (request.op) {
    case Op::open_read:
    case Op::open_write:
    case Op::open_read_write:
    case Op::open_truncate:
    case Op::open_create:
    case Op::open_exclusive:
    case Op::open_nofollow:
    case Op::open_directory:
    case Op::open_temporary:
    case Op::open_path:
    case Op::open_read_truncate:
    case Op::open_create_both:
      return open_it(request);
    case Op::open_beneath:
    case Op::open_no_links:
      return open_restricted(request);
    case Op::reopen_write:
    case Op::chmod_held:
      return use_descriptor(request);
    case Op::create:
      return create(request);
    case Op::make_directory:
      return make_directory(request);
    case Op::make_fifo:
      return make_node(request, S_IFIFO);
    case Op::make_file:
      return make_node(request, S_IFREG);
    case Op::make_symlink:
      return make_symlink(request);
    case Op::bind:
    case Op::connect:
      return use_address(request);
    case Op::unlink:
    case Op::remove_directory:
      return remove_it(request);
    case Op::chmod:
      return change_mode(request);
    case Op::chown:
    case Op::chown_link:
      return change_owner(request);
    case Op::set_times:
    case Op::set_times_link:
      return set_times(request);
    case Op::set_attribute:
      return result_of(::setxattr(request.path, kAttribute, "x", 1, 0));
    case Op::truncate:
      return result_of(::truncate(request.path, 1));
    case Op::execute:
      return execute(request);
    case Op::rename:
    case Op::rename_no_replace:
    case Op::exchange:
      return rename_it(request);
    case Op::link:
    case Op::link_followed:
      return link_it(request);
    case Op::change_directory:
      return result_of(::chdir(request.path));
    case Op::hold:
      return hold(request, request.base2);
    case Op::ask_process:
      return 0;
  }
  return ENOSYS;
}

class Pipe {
 public:
  // True while a whole command is at the front of the buffer.
  bool fill(std::size_t wanted) {
    while (end_ - begin_ < wanted) {
      if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
      }
      const ssize_t got = ::read(kCommands, buffer_.data() + end_, buffer_.size() - end_);
      if (got <= 0) {
        return false;
      }
      end_ += static_cast<std::size_t>(got);
    }
    return true;
  }
  [[nodiscard]] const char* front() const { return buffer_.data() + begin_; }
  void drop(std::size_t size) { begin_ += size; }
  [[nodiscard]] bool holds_a_command() const {
    Command command{};
    if (end_ - begin_ < sizeof(command)) {
      return false;
    }
    std::memcpy(&command, front(), sizeof(command));
    return end_ - begin_ >= command.size;
  }

 private:
  std::array<char, 65536> buffer_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

class Answers {
 public:
  void add(std::int32_t value) {
    values_[count_++] = value;
    if (count_ == values_.size()) {
      send();
    }
  }
  void send() {
    const std::size_t size = count_ * sizeof(std::int32_t);
    if (size > 0 && ::write(kAnswers, values_.data(), size) != static_cast<ssize_t>(size)) {
      ::_exit(1);
    }
    count_ = 0;
  }

 private:
  std::array<std::int32_t, 1024> values_{};
  std::size_t count_ = 0;
};

void serve() {
  static Pipe pipe;
  static Answers answers;
  Command command{};
  while (pipe.fill(sizeof(command))) {
    std::memcpy(&command, pipe.front(), sizeof(command));
    if (!pipe.fill(command.size)) {
      return;
    }
    Request request{command.op,
                    command.form,
                    descriptor_of(command.base),
                    descriptor_of(command.base2),
                    pipe.front() + sizeof(command),
                    pipe.front() + command.second};
    answers.add(command.op == Op::ask_process ? static_cast<std::int32_t>(::getpid())
                                              : carry_out(request));
    pipe.drop(command.size);
    if (!pipe.holds_a_command()) {
      answers.send();
    }
  }
}

}  // namespace
}  // namespace pmg::model

int main() { pmg::model::serve(); }
