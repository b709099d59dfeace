#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include "broker/aside.hpp"
#include "broker/call.hpp"
#include "broker/terminal.hpp"
#include "platform/files.hpp"
#include "platform/process.hpp"

namespace pmg::adapters::broker {
namespace {

using domain::Create;
using domain::NodeKind;
using domain::PathUse;
using domain::PathView;
using platform::CloseOnExec;
using platform::Errno;
using platform::Trapped;
using platform::UniqueFd;

// What the four calls of the open family have in common.
struct OpenArguments {
  PathRequest request;
  std::uint64_t flags;
  mode_t mode;
  /// The absolute form of the caller's own text, once `request` is where a dangling symlink leads.
  std::optional<std::string> spelled{};
  int symlinks = 0;  ///< how many of those were followed
};

// Flags that openat(2) knows; it ignores others where openat2(2) refuses them.
constexpr std::uint64_t kKnownFlags = O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND |
                                      O_NONBLOCK | O_SYNC | O_DSYNC | O_ASYNC | O_DIRECT |
                                      O_LARGEFILE | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | O_PATH |
                                      O_TMPFILE;  // with O_DIRECTORY
constexpr std::uint64_t kKnownResolve = RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS |
                                        RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH | RESOLVE_IN_ROOT;
constexpr std::uint64_t kTemporary = O_TMPFILE & ~std::uint64_t{O_DIRECTORY};
constexpr int kCreateTries = 16;
// Whether the bytes of a newer open_how are all zero, as openat2(2) wants them.
Result<void> check_newer_part(const Call& call, std::uint64_t size) {
  constexpr std::uint64_t kPage = 4096;
  if (size > kPage) {
    return tl::unexpected(Errno{E2BIG});
  }
  std::vector<std::byte> how(size);
  const auto read = platform::read_exactly(call.caller().thread(),
                                           platform::RemoteAddress{call.caller().argument(2)}, how);
  if (!read) {
    return read;
  }
  const auto known = static_cast<std::ptrdiff_t>(sizeof(open_how));
  const bool zero = std::all_of(how.begin() + known, how.end(),
                                [](std::byte value) { return value == std::byte{0}; });
  return zero ? Result<void>{} : tl::unexpected(Errno{E2BIG});
}

// What open(2) refuses for its flags alone, before it looks at the path.
bool has_valid_flags(std::uint64_t flags) {
  if ((flags & kTemporary) != 0) {
    return (flags & O_TMPFILE) == O_TMPFILE && (flags & O_CREAT) == 0 &&
           (flags & O_ACCMODE) != O_RDONLY;
  }
  return (flags & O_CREAT) == 0 || (flags & O_DIRECTORY) == 0;
}

Result<OpenArguments> read_openat2(const Call& call) {
  const std::uint64_t size = call.caller().argument(3);
  if (size < sizeof(open_how)) {
    return tl::unexpected(Errno{EINVAL});
  }
  if (size > sizeof(open_how)) {
    if (const auto known = check_newer_part(call, size); !known) {
      return tl::unexpected(known.error());
    }
  }
  const auto how = call.caller().read_value<open_how>(2);
  if (!how) {
    return tl::unexpected(how.error());
  }
  if ((how->resolve & RESOLVE_CACHED) != 0) {
    return tl::unexpected(Errno{EAGAIN});  // "not without waiting": callers ask again
  }
  const bool makes_file = (how->flags & O_CREAT) != 0 || (how->flags & kTemporary) == kTemporary;
  if ((how->flags & ~kKnownFlags) != 0 || (how->resolve & ~kKnownResolve) != 0 ||
      (how->mode & ~07777ULL) != 0 || (how->mode != 0 && !makes_file)) {
    return tl::unexpected(Errno{EINVAL});
  }
  auto request = call.request_at(0, 1);
  if (!request) {
    return tl::unexpected(request.error());
  }
  request->resolve = how->resolve;
  if ((how->resolve & RESOLVE_IN_ROOT) != 0 && request->base.is_absolute()) {
    // The descriptor is the root, so it is where an absolute path starts.
    auto base = call.caller().base_of(call.caller().int_argument(0), "");
    if (!base) {
      return tl::unexpected(base.error());
    }
    request->base = std::move(*base);
  }
  return OpenArguments{std::move(*request), how->flags, static_cast<mode_t>(how->mode)};
}

Result<OpenArguments> read_arguments(const Call& call, Trapped which) {
  if (which == Trapped::openat2) {
    return read_openat2(call);
  }
  const bool at = which == Trapped::openat;
  auto request = at ? call.request_at(0, 1) : call.request_cwd(0);
  if (!request) {
    return tl::unexpected(request.error());
  }
  if (which == Trapped::creat) {
    return OpenArguments{std::move(*request), O_CREAT | O_WRONLY | O_TRUNC,
                         static_cast<mode_t>(call.caller().argument(1) & 07777)};
  }
  const std::size_t first = at ? 2 : 1;
  const auto flags = static_cast<std::uint32_t>(call.caller().argument(first)) & kKnownFlags;
  return OpenArguments{std::move(*request), flags,
                       static_cast<mode_t>(call.caller().argument(first + 1) & 07777)};
}

CloseOnExec close_on_exec(const OpenArguments& open) {
  return (open.flags & O_CLOEXEC) != 0 ? CloseOnExec::yes : CloseOnExec::no;
}

Use use_of(const OpenArguments& open) {
  const std::uint64_t access = open.flags & O_ACCMODE;
  const bool truncates = (open.flags & O_TRUNC) != 0;
  if (access == O_WRONLY) {
    return Use::write;
  }
  return access == O_RDONLY && !truncates ? Use::read : Use::read_write;
}

Reply give(UniqueFd fd, const OpenArguments& open) {
  const bool writes = (open.flags & O_ACCMODE) != O_RDONLY;
  return GiveDescriptor{std::move(fd), close_on_exec(open),
                        writes ? GiveDescriptor::Release::before : GiveDescriptor::Release::after};
}

Reply give_new(UniqueFd fd, Place place, const OpenArguments& open) {
  return GiveDescriptor{std::move(fd), close_on_exec(open), GiveDescriptor::Release::after,
                        GiveDescriptor::Truncate::no, std::move(place)};
}

// An existing file whose content goes.
Reply give_truncating(UniqueFd fd, const OpenArguments& open) {
  return GiveDescriptor{std::move(fd), close_on_exec(open), GiveDescriptor::Release::before,
                        GiveDescriptor::Truncate::if_there_is_room};
}

// The flags for opening an object that is held already.
int reopen_flags(const OpenArguments& open) {
  return static_cast<int>(open.flags & ~std::uint64_t{O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC});
}

// Whether what was opened with O_NONBLOCK is one of those for which that means nothing; the flag is
// taken away again if the caller did not ask for it.
bool is_as_asked(const UniqueFd& fd, const OpenArguments& open) {
  const auto info = platform::status_of(fd.get());
  if (!info || !(S_ISREG(info->st_mode) || S_ISDIR(info->st_mode))) {
    return false;
  }
  const auto asked = static_cast<int>(open.flags) & ~(O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);
  return (open.flags & O_NONBLOCK) != 0 || ::fcntl(fd.get(), F_SETFL, asked) == 0;
}

// The short way for what most opens are: reading a regular file or a directory whose path meets no
// symlink. The object is opened once instead of twice, and judged by the kernel's name of it before
// anybody gets it. Looking at the kind first keeps devices and FIFOs, whose opening has effects, on
// the long way.
// Nothing: take the long way.
std::optional<Reply> open_plainly(const Call& call, const OpenArguments& open) {
  constexpr std::uint64_t kPlain =
      O_NONBLOCK | O_CLOEXEC | O_DIRECTORY | O_LARGEFILE | O_NOFOLLOW | O_NOCTTY;
  const PathRequest& request = open.request;
  if ((open.flags & ~kPlain) != 0 || request.resolve != 0 || request.path.empty()) {
    return std::nullopt;
  }
  const auto info = platform::status_at(request.base.at(), request.path.c_str());
  if (!info || !(S_ISREG(info->st_mode) || S_ISDIR(info->st_mode))) {
    return std::nullopt;
  }
  // O_NONBLOCK: a FIFO that was put there by now would keep us waiting.
  auto fd = platform::open_at2(request.base.at(), request.path.c_str(), open.flags | O_NONBLOCK, 0,
                               RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (!fd || !is_as_asked(*fd, open)) {
    return std::nullopt;
  }
  auto real = call.caller().own().name_of(fd->get());
  if (!real) {
    return fail(real.error());
  }
  // Only a file system without a device of its own can be a second mount of procfs.
  const bool is_second_proc = major(info->st_dev) == 0 && platform::is_on_procfs(fd->get());
  if (real->starts_with("/proc/") || real->starts_with("/dev/") || is_second_proc ||
      real->ends_with(kDeletedSuffix)) {
    return std::nullopt;
  }
  // Nothing was changed, and a descriptor goes only to the caller that waits under this id, so it
  // need not be asked for before.
  const auto judged = call.judge_plain_read(*real);
  return judged ? give(std::move(*fd), open) : fail(judged.error());
}

// Opening a FIFO waits for the other end, so it gets a thread.
Reply open_fifo(const Call& call, Object object, const OpenArguments& open) {
  auto held = std::make_shared<UniqueFd>(std::move(object.fd));
  const auto waiting = call.waiting();
  const auto started = call.shared().blocking.start(
      waiting, [held, waiting, &own = call.caller().own(), flags = reopen_flags(open),
                cloexec = close_on_exec(open)] {
        auto fd = [&] {
          const Interruptible now;
          return own.reopen(*held, flags);
        }();
        const auto& [listener, id, thread] = waiting;
        const auto number = fd ? listener.inject(id, *fd, cloexec) : tl::unexpected(fd.error());
        if (!fd && fd.error().value == EINTR) {
          return waiting.interrupted();
        }
        if (fd) {
          fd->reset();  // the caller must be the only holder when it goes on
        }
        if (number) {
          listener.answer(id, *number);
        } else {
          listener.refuse(id, number.error());
        }
      });
  return started == BlockingCalls::Started::yes ? Reply{AnsweredLater{}} : fail(EAGAIN);
}

Reply open_existing(const Call& call, Object object, const OpenArguments& open) {
  const mode_t mode = object.info.st_mode;
  if ((open.flags & O_DIRECTORY) != 0 && !S_ISDIR(mode)) {
    return fail(ENOTDIR);
  }
  if (S_ISLNK(mode)) {
    return fail(ELOOP);
  }
  if (S_ISDIR(mode) && (use_of(open) != Use::read || (open.flags & O_CREAT) != 0)) {
    return fail(EISDIR);
  }
  if (const auto judged = call.judge_open(object, use_of(open)); !judged) {
    return fail(judged.error());
  }
  if (S_ISCHR(mode)) {
    auto device = open_device(call, object, reopen_flags(open));
    return device ? Reply{GiveDescriptor{std::move(*device), close_on_exec(open),
                                         GiveDescriptor::Release::before}}
                  : fail(device.error());
  }
  const bool waits = S_ISFIFO(mode) && object.real.starts_with('/') &&
                     (open.flags & O_NONBLOCK) == 0 && (open.flags & O_ACCMODE) != O_RDWR;
  if (waits) {
    return open_fifo(call, std::move(object), open);
  }
  const bool truncates = (open.flags & O_TRUNC) != 0 && (open.flags & O_ACCMODE) != O_RDONLY &&
                         S_ISREG(mode) && object.info.st_nlink > 0;
  const int flags = truncates ? reopen_flags(open) & ~O_TRUNC : reopen_flags(open);
  auto fd = call.caller().own().reopen(object.fd, flags);
  if (!fd) {
    return fail(fd.error());
  }
  if (S_ISFIFO(mode)) {
    return GiveDescriptor{std::move(*fd), close_on_exec(open), GiveDescriptor::Release::before};
  }
  return truncates ? give_truncating(std::move(*fd), open) : give(std::move(*fd), open);
}

// An unnamed file in a directory: creation of a file whose name nobody knows yet.
Reply open_temporary(const Call& call, const Object& directory, const OpenArguments& open) {
  if (!S_ISDIR(directory.info.st_mode)) {
    return fail(ENOTDIR);
  }
  const auto name_in = [](const std::string& parent) {
    return (parent == "/" ? parent : parent + "/") + "#temporary";
  };
  const Place place{{}, {}, name_in(directory.real), name_in(directory.spelled)};
  const auto judged = call.judge(
      Create{PathUse(PathView::unsafe_from(place.real), PathView::unsafe_from(place.spelled)),
             NodeKind::regular});
  if (!judged) {
    return fail(judged.error());
  }
  if (const auto mask = call.take_umask(); !mask) {
    return fail(mask.error());
  }
  auto fd = platform::open_at(directory.fd.get(), ".", static_cast<int>(open.flags),
                              call.without_new_identity(open.mode, place));
  return fd ? give(std::move(*fd), open) : fail(fd.error());
}

// One attempt at a path that does not exist yet. EAGAIN: it exists by now, look again.
Result<UniqueFd> create_file(const Call& call, const Place& place, const OpenArguments& open) {
  const auto judged = call.judge(
      Create{PathUse(PathView::unsafe_from(place.real), PathView::unsafe_from(place.spelled)),
             NodeKind::regular});
  if (!judged) {
    return tl::unexpected(judged.error());
  }
  if (const auto mask = call.take_umask(); !mask) {
    return tl::unexpected(mask.error());
  }
  // O_EXCL: only a file that this call makes is a new file; anything else is judged as what it is.
  const auto flags = static_cast<int>((open.flags | O_EXCL | O_CREAT) & ~std::uint64_t{O_TRUNC});
  auto fd = platform::open_at(place.parent.get(), place.name.c_str(), flags,
                              call.without_new_identity(open.mode, place));
  if (!fd && fd.error().value == EEXIST && (open.flags & O_EXCL) == 0) {
    return tl::unexpected(Errno{EAGAIN});
  }
  return fd;
}

// A dangling symlink at the last step: the file is created where it points.
Result<bool> follow_dangling(PathRequest& request, Place& place) {
  const auto info = platform::status_at(place.parent.get(), place.name.c_str());
  if (!info || !S_ISLNK(info->st_mode)) {
    return false;
  }
  if ((request.resolve & (RESOLVE_BENEATH | RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS)) != 0) {
    return tl::unexpected(Errno{ELOOP});
  }
  auto target = platform::read_link_at(place.parent.get(), place.name.c_str());
  if (!target) {
    return tl::unexpected(target.error());
  }
  request.path = std::move(*target);
  request.base = request.path.starts_with('/') ? Base() : Base(std::move(place.parent));
  return true;
}

// Creates the file of a path at which nothing is. Nothing: the path leads elsewhere, or something
// is there by now; look again.
std::optional<Reply> create_missing(const Call& call, OpenArguments& open, Follow follow) {
  if (open.request.path.ends_with('/')) {
    return fail(EISDIR);  // the target of a dangling symlink
  }
  auto place = resolve_place(open.request);
  if (!place) {
    return fail(place.error());
  }
  if (follow == Follow::yes) {
    const std::string spelled = open.spelled.value_or(place->spelled);
    const auto followed = follow_dangling(open.request, *place);
    if (!followed) {
      return fail(followed.error());
    }
    if (*followed) {
      open.spelled = spelled;
      return ++open.symlinks > platform::kMaxSymlinks ? std::optional(fail(ELOOP)) : std::nullopt;
    }
  }
  if (open.spelled) {
    place->spelled = *open.spelled;
  }
  auto fd = create_file(call, *place, open);
  if (fd) {
    return give_new(std::move(*fd), std::move(*place), open);
  }
  return fd.error().value == EAGAIN ? std::nullopt : std::optional(fail(fd.error()));
}

Reply open_found(const Call& call, Object object, const OpenArguments& open) {
  if (open.spelled) {
    object.spelled = *open.spelled;
  }
  return (open.flags & O_EXCL) != 0 ? fail(EEXIST) : open_existing(call, std::move(object), open);
}

// O_CREAT on a path that ends in '/': the kernel makes no directory here and does not look whether
// there is one.
Reply refuse_directory(const OpenArguments& open) {
  const auto place = resolve_place(open.request);
  if (!place) {
    return fail(place.error());
  }
  const bool is_root = place->name == ".";
  return fail(is_root && (open.flags & O_EXCL) != 0 ? EEXIST : EISDIR);
}

Reply open_or_create(const Call& call, OpenArguments& open) {
  if (open.request.path.ends_with('/')) {
    return refuse_directory(open);
  }
  const Follow follow = (open.flags & (O_EXCL | O_NOFOLLOW)) != 0 ? Follow::no : Follow::yes;
  for (int tries = 0; tries < kCreateTries + open.symlinks; ++tries) {
    auto object = resolve_object(open.request, follow);
    if (object) {
      return open_found(call, std::move(*object), open);
    }
    if (object.error().value != ENOENT) {
      return fail(object.error());
    }
    if (auto reply = create_missing(call, open, follow)) {
      return std::move(*reply);
    }
  }
  return fail(EAGAIN);
}

}  // namespace

// By now a program outside may have put its own file there, as editors do: what is removed is the
// file that was made, and nothing by its name alone.
void GiveDescriptor::undo() const {
  const auto ours = platform::status_of(fd.get());
  const auto there = made ? platform::status_at(made->parent.get(), made->name.c_str())
                          : tl::unexpected(Errno{ENOENT});
  if (!ours || !there || !is_same(*ours, *there)) {
    return;
  }
  auto aside = Aside::take(made->parent.get(), made->name);
  const auto taken = aside ? aside->status() : tl::unexpected(aside.error());
  if (taken && is_same(*ours, *taken)) {
    (void)aside->remove();
  }
}

Reply handle_open(const Call& call, Trapped which) {
  auto open = read_arguments(call, which);
  if (!open) {
    call.report_unreadable(open.error());
    return fail(open.error().value == EPERM ? Errno{EACCES} : open.error());
  }
  if ((open->flags & O_PATH) != 0) {
    // Only openat2 gets here with it. The kernel injects no O_PATH descriptor, so the answer is
    // that of a kernel without openat2, and the caller falls back on openat.
    return fail(ENOSYS);
  }
  if (!has_valid_flags(open->flags)) {
    return fail(EINVAL);
  }
  if (auto reply = open_plainly(call, *open)) {
    return std::move(*reply);
  }
  const bool temporary = (open->flags & kTemporary) == kTemporary;
  if ((open->flags & O_CREAT) != 0) {
    return open_or_create(call, *open);
  }
  const Follow follow = (open->flags & O_NOFOLLOW) != 0 ? Follow::no : Follow::yes;
  auto object = resolve_object(open->request, follow);
  if (!object) {
    return fail(object.error());
  }
  return temporary ? open_temporary(call, *object, *open)
                   : open_existing(call, std::move(*object), *open);
}

}  // namespace pmg::adapters::broker
