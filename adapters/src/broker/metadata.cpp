// Mode, owner, times, extended attributes and size. Judged on the object; changed through the
// descriptor that was judged.

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "broker/call.hpp"
#include "platform/files.hpp"
#include "platform/process.hpp"

namespace pmg::adapters::broker {
namespace {

using domain::ChangeMetadata;
using domain::PathUse;
using domain::PathView;
using platform::DescriptorPath;
using platform::Errno;
using platform::Trapped;

// Which object a call is about and where its other arguments start.
struct Target {
  Object object;
  std::size_t next;  ///< index of the first argument after descriptor and path
};

Result<Target> by_path(const Call& call, Follow follow) {
  const auto request = call.request_cwd(0);
  if (!request) {
    return tl::unexpected(request.error());
  }
  auto object = resolve_object(*request, follow);
  if (!object) {
    return tl::unexpected(object.error());
  }
  return Target{std::move(*object), 1};
}

// A descriptor that is only a name (O_PATH) changes nothing; with AT_EMPTY_PATH it is a path.
Result<Target> by_open_file(const Call& call, std::size_t next) {
  const int number = call.caller().int_argument(0);
  auto object = object_of_descriptor(call.caller(), number);
  if (!object) {
    return tl::unexpected(object.error());
  }
  if (is_only_a_name({call.caller().thread(), number})) {
    return tl::unexpected(Errno{EBADF});
  }
  return Target{std::move(*object), next};
}

Result<Target> by_empty_path(const Call& call, std::size_t next) {
  auto object = object_at(call.caller(), call.caller().int_argument(0));
  if (!object) {
    return tl::unexpected(object.error());
  }
  return Target{std::move(*object), next};
}

Result<Target> by_path_at(const Call& call, int flags) {
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0) {
    return tl::unexpected(Errno{EINVAL});
  }
  const auto request = call.request_at(0, 1);
  if (!request) {
    return tl::unexpected(request.error());
  }
  if ((flags & AT_EMPTY_PATH) != 0 && request->path.empty()) {
    return by_empty_path(call, 2);
  }
  auto object =
      resolve_object(*request, (flags & AT_SYMLINK_NOFOLLOW) != 0 ? Follow::no : Follow::yes);
  if (!object) {
    return tl::unexpected(object.error());
  }
  return Target{std::move(*object), 2};
}

// An object without a name in the file system (a pipe, a memfd, an unlinked file) may be changed by
// whoever may write to it.
Result<void> judge_change(const Call& call, const Object& object) {
  if (object.info.st_nlink == 0 || !object.real.starts_with('/')) {
    return call.judge_open(object, Use::write);
  }
  // Whom a socket of the host serves is not the tree's to say.
  if (S_ISSOCK(object.info.st_mode) && !call.shared().bound_sockets.contains(object.info)) {
    call.report(domain::OperationKind::change_metadata, object, "is a socket of the host");
    return tl::unexpected(Errno{EACCES});
  }
  return call.judge(ChangeMetadata{
      PathUse(PathView::unsafe_from(object.real), PathView::unsafe_from(object.spelled))});
}

Reply change_mode(const Call& call, const Target& target) {
  auto mode = static_cast<mode_t>(call.caller().argument(target.next) & 07777);
  if (S_ISLNK(target.object.info.st_mode)) {
    return fail(EOPNOTSUPP);  // as fchmodat2(2) says it
  }
  mode = call.without_new_identity(mode, target.object);
  if (target.object.real.starts_with("/memfd:")) {
    mode &= ~mode_t{S_IXUSR | S_IXGRP | S_IXOTH};  // a memfd is never a program (execute.cpp)
  }
  const DescriptorPath path(target.object.fd.get());
  return reply_of(platform::check(::chmod(path.c_str(), mode)));
}

Reply change_owner(const Call& call, const Target& target) {
  const auto owner = static_cast<uid_t>(call.caller().argument(target.next));
  const auto group = static_cast<gid_t>(call.caller().argument(target.next + 1));
  return reply_of(
      platform::check(::fchownat(target.object.fd.get(), "", owner, group, AT_EMPTY_PATH)));
}

using Times = std::array<timespec, 2>;

timespec from_timeval(const timeval& value) {
  constexpr long kNanoseconds = 1000;
  return {value.tv_sec, value.tv_usec * kNanoseconds};
}

// The two times of a call; empty: now.
Result<std::optional<Times>> read_times(const Call& call, Trapped which, std::size_t index) {
  if (call.caller().argument(index) == 0) {
    return std::optional<Times>{};
  }
  if (which == Trapped::utimensat) {
    return call.caller().read_value<Times>(index).map(
        [](const Times& times) { return std::optional<Times>(times); });
  }
  if (which == Trapped::utime) {
    return call.caller().read_value<utimbuf>(index).map([](const utimbuf& times) {
      return std::optional<Times>(Times{timespec{times.actime, 0}, timespec{times.modtime, 0}});
    });
  }
  const auto values = call.caller().read_value<std::array<timeval, 2>>(index);
  if (!values) {
    return tl::unexpected(values.error());
  }
  constexpr long kLimit = 1'000'000;
  for (const timeval& value : *values) {
    if (value.tv_usec < 0 || value.tv_usec >= kLimit) {
      return tl::unexpected(Errno{EINVAL});
    }
  }
  return std::optional<Times>(Times{from_timeval((*values)[0]), from_timeval((*values)[1])});
}

Reply set_attribute(const Call& call, const Target& target) {
  const auto name = call.caller().read_text(target.next, XATTR_NAME_MAX);
  if (!name) {
    return fail(name.error().value == ENAMETOOLONG ? Errno{ERANGE} : name.error());
  }
  const std::uint64_t size = call.caller().argument(target.next + 2);
  if (size > XATTR_SIZE_MAX) {
    return fail(E2BIG);
  }
  std::vector<std::byte> value(size);
  if (const auto read = platform::read_exactly(
          call.caller().thread(), platform::RemoteAddress{call.caller().argument(target.next + 1)},
          value);
      size > 0 && !read) {
    return fail(read.error());
  }
  if (S_ISLNK(target.object.info.st_mode)) {
    return fail(EPERM);  // user attributes of symlinks do not exist, others are not for the tree
  }
  const DescriptorPath path(target.object.fd.get());
  return reply_of(platform::check(::setxattr(path.c_str(), name->c_str(), value.data(), size,
                                             call.caller().int_argument(target.next + 3))));
}

Reply remove_attribute(const Call& call, const Target& target) {
  const auto name = call.caller().read_text(target.next, XATTR_NAME_MAX);
  if (!name) {
    return fail(name.error().value == ENAMETOOLONG ? Errno{ERANGE} : name.error());
  }
  if (S_ISLNK(target.object.info.st_mode)) {
    return fail(EPERM);
  }
  const DescriptorPath path(target.object.fd.get());
  return reply_of(platform::check(::removexattr(path.c_str(), name->c_str())));
}

Reply truncate_object(const Call& call) {
  const auto size = static_cast<off_t>(call.caller().argument(1));
  if (size < 0) {
    return fail(EINVAL);
  }
  const auto found = by_path(call, Follow::yes);
  if (!found) {
    return fail(found.error());
  }
  const Target& target = *found;
  const mode_t mode = target.object.info.st_mode;
  if (S_ISDIR(mode)) {
    return fail(EISDIR);
  }
  if (!S_ISREG(mode)) {
    return fail(EINVAL);
  }
  if (const auto judged = call.judge_open(target.object, Use::write); !judged) {
    return fail(judged.error());
  }
  // The limit is the caller's, and the kernel would look at ours.
  const auto limit = platform::file_size_limit(call.caller().thread());
  if (!limit) {
    return fail(limit.error());
  }
  if (size > target.object.info.st_size && static_cast<rlim_t>(size) > *limit) {
    return fail(EFBIG);
  }
  const DescriptorPath path(target.object.fd.get());
  return reply_of(platform::check(::truncate(path.c_str(), size)));
}

Result<Target> read_utimensat(const Call& call) {
  const int flags = call.caller().int_argument(3);
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0) {
    return tl::unexpected(Errno{EINVAL});
  }
  // A null path means the descriptor itself: futimens(3).
  const bool by_number =
      call.caller().argument(1) == 0 && call.caller().int_argument(0) != AT_FDCWD;
  if (by_number && flags != 0) {
    return tl::unexpected(Errno{EINVAL});
  }
  return by_number ? by_open_file(call, 2) : by_path_at(call, flags);
}

Result<Target> read_target(const Call& call, Trapped which) {
  switch (which) {
    case Trapped::lchown:
    case Trapped::lsetxattr:
    case Trapped::lremovexattr:
      return by_path(call, Follow::no);
    case Trapped::fchmod:
    case Trapped::fchown:
    case Trapped::fsetxattr:
    case Trapped::fremovexattr:
      return by_open_file(call, 1);
    case Trapped::fchmodat:
      return by_path_at(call, 0);  // the system call has no flags, whatever register 3 holds
    case Trapped::fchmodat2:
      return by_path_at(call, call.caller().int_argument(3));
    case Trapped::fchownat:
      return by_path_at(call, call.caller().int_argument(4));
    case Trapped::futimesat:
      return call.caller().argument(1) == 0 && call.caller().int_argument(0) != AT_FDCWD
                 ? by_open_file(call, 2)
                 : by_path_at(call, 0);
    case Trapped::utimensat:
      return read_utimensat(call);
    default:
      return by_path(call, Follow::yes);
  }
}

Reply change_times(const Call& call, Trapped which) {
  const bool at = which == Trapped::futimesat || which == Trapped::utimensat;
  const auto times = read_times(call, which, at ? 2 : 1);
  if (!times) {
    return fail(times.error());
  }
  if (times->has_value() && (**times)[0].tv_nsec == UTIME_OMIT &&
      (**times)[1].tv_nsec == UTIME_OMIT && which == Trapped::utimensat) {
    return Value{0};  // nothing to do: utimensat(2) does not look at the path
  }
  const auto found = read_target(call, which);
  if (!found) {
    return fail(found.error());
  }
  const Target& target = *found;
  if (const auto judged = judge_change(call, target.object); !judged) {
    return fail(judged.error());
  }
  const timespec* const values = times->has_value() ? (*times)->data() : nullptr;
  // The raw call: glibc refuses the empty path.
  return reply_of(
      platform::check(::syscall(SYS_utimensat, target.object.fd.get(), "", values, AT_EMPTY_PATH)));
}

}  // namespace

Reply handle_metadata(const Call& call, Trapped which) {
  switch (which) {
    case Trapped::truncate:
      return truncate_object(call);
    case Trapped::utime:
    case Trapped::utimes:
    case Trapped::futimesat:
    case Trapped::utimensat:
      return change_times(call, which);
    default:
      break;
  }
  const auto target = read_target(call, which);
  if (!target) {
    return fail(target.error());
  }
  if (const auto judged = judge_change(call, target->object); !judged) {
    return fail(judged.error());
  }
  switch (which) {
    case Trapped::chmod:
    case Trapped::fchmod:
    case Trapped::fchmodat:
    case Trapped::fchmodat2:
      return change_mode(call, *target);
    case Trapped::chown:
    case Trapped::lchown:
    case Trapped::fchown:
    case Trapped::fchownat:
      return change_owner(call, *target);
    case Trapped::setxattr:
    case Trapped::lsetxattr:
    case Trapped::fsetxattr:
      return set_attribute(call, *target);
    case Trapped::removexattr:
    case Trapped::lremovexattr:
    case Trapped::fremovexattr:
      return remove_attribute(call, *target);
    default:
      return fail(ENOSYS);
  }
}

}  // namespace pmg::adapters::broker
