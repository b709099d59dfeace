// Creating, removing, renaming and linking names. Each call is carried out on a directory that was
// resolved once and the last component of the path.

#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "broker/call.hpp"
#include "broker/host_sockets.hpp"
#include "platform/files.hpp"

namespace pmg::adapters::broker {
namespace {

using domain::Create;
using domain::Link;
using domain::NodeKind;
using domain::PathUse;
using domain::PathView;
using domain::Remove;
using domain::Rename;
using platform::Errno;
using platform::Trapped;

PathUse use_of(const Place& place) {
  return {PathView::unsafe_from(place.real), PathView::unsafe_from(place.spelled)};
}

NodeKind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return NodeKind::directory;
    case S_IFLNK:
      return NodeKind::symlink;
    case S_IFIFO:
      return NodeKind::fifo;
    case S_IFSOCK:
      return NodeKind::socket;
    case S_IFCHR:
    case S_IFBLK:
      return NodeKind::device;
    default:
      return NodeKind::regular;
  }
}

// The name as the kernel should get it for looking at the entry itself: no trailing '/', which
// would follow a symlink.
std::string entry_name(const Place& place) {
  const std::size_t last = place.name.find_last_not_of('/');
  return last == std::string::npos ? place.name : place.name.substr(0, last + 1);
}

Result<NodeKind> kind_at(const Place& place) {
  const auto info = platform::status_at(place.parent.get(), entry_name(place).c_str());
  if (!info) {
    return tl::unexpected(info.error());
  }
  return kind_of(info->st_mode);
}

// Judges a creation. What exists already answers EEXIST as it does natively: programs that create
// the parents of a path (mkdir -p) rely on it, and stat(2) tells as much.
Result<void> judge_creation(const Call& call, const Place& place, NodeKind kind) {
  if (platform::status_at(place.parent.get(), entry_name(place).c_str())) {
    return tl::unexpected(Errno{EEXIST});
  }
  if (auto judged = call.judge(Create{use_of(place), kind}); !judged) {
    return judged;
  }
  return call.take_umask();
}

// Whether paths come with a descriptor to start at, as in the *at calls, or alone.
enum class Form : std::uint8_t { path, at };

Form form_of(Trapped which) {
  switch (which) {
    case Trapped::mkdirat:
    case Trapped::mknodat:
    case Trapped::symlinkat:
    case Trapped::unlinkat:
    case Trapped::renameat:
    case Trapped::renameat2:
    case Trapped::linkat:
      return Form::at;
    default:
      return Form::path;
  }
}

// The index of the argument after the path that starts at `first`.
std::size_t after_path(Form form, std::size_t first) { return first + (form == Form::at ? 2 : 1); }

Result<Place> read_place(const Call& call, Form form, std::size_t first) {
  const auto request =
      form == Form::at ? call.request_at(first, first + 1) : call.request_cwd(first);
  if (!request) {
    return tl::unexpected(request.error());
  }
  return resolve_place(*request);
}

Reply make_directory(const Call& call, Trapped which) {
  const Form form = form_of(which);
  const auto place = read_place(call, form, 0);
  if (!place) {
    return fail(place.error());
  }
  if (const auto judged = judge_creation(call, *place, NodeKind::directory); !judged) {
    return fail(judged.error());
  }
  const auto mode = static_cast<mode_t>(call.caller().argument(after_path(form, 0)) & 07777);
  return reply_of(platform::check(::mkdirat(place->parent.get(), place->name.c_str(), mode)));
}

Reply make_node(const Call& call, Trapped which) {
  const Form form = form_of(which);
  auto mode = static_cast<mode_t>(call.caller().argument(after_path(form, 0)));
  if ((mode & S_IFMT) == 0) {
    mode |= S_IFREG;
  }
  const NodeKind kind = kind_of(mode);
  if (kind == NodeKind::device || kind == NodeKind::directory) {
    return fail(EPERM);
  }
  if (kind == NodeKind::symlink || (kind == NodeKind::regular && !S_ISREG(mode))) {
    return fail(EINVAL);
  }
  const auto place = read_place(call, form, 0);
  if (!place) {
    return fail(place.error());
  }
  if (const auto judged = judge_creation(call, *place, kind); !judged) {
    return fail(judged.error());
  }
  mode = kind == NodeKind::regular ? call.without_new_identity(mode, *place) : mode;
  return reply_of(platform::check(::mknodat(place->parent.get(), place->name.c_str(), mode, 0)));
}

Reply make_symlink(const Call& call, Trapped which) {
  const auto target = call.caller().read_path(0);
  if (!target) {
    return fail(target.error());
  }
  if (target->empty()) {
    return fail(ENOENT);
  }
  const auto place = read_place(call, form_of(which), 1);
  if (!place) {
    return fail(place.error());
  }
  if (const auto judged = judge_creation(call, *place, NodeKind::symlink); !judged) {
    return fail(judged.error());
  }
  return reply_of(
      platform::check(::symlinkat(target->c_str(), place->parent.get(), place->name.c_str())));
}

struct TwoPlaces {
  Place from;
  Place to;
};

Result<TwoPlaces> read_places(const Call& call, Form form) {
  auto from = read_place(call, form, 0);
  if (!from) {
    return tl::unexpected(from.error());
  }
  auto to = read_place(call, form, after_path(form, 0));
  if (!to) {
    return tl::unexpected(to.error());
  }
  return TwoPlaces{std::move(*from), std::move(*to)};
}

// Judges removing what `place` means now, or replacing it by a rename. A socket to which somebody
// outside is bound stays, or the tree could put its own in its place.
Result<void> judge_removal(const Call& call, const Place& place, NodeKind kind) {
  if (kind == NodeKind::socket && is_host_socket(call.shared(), place)) {
    call.report("remove", place, "is a socket of the host");
    return tl::unexpected(Errno{EACCES});
  }
  return call.judge(Remove{use_of(place), kind});
}

// Judges moving what `from` means now. A socket that the tree did not bind is somebody's address:
// it stays where it is, and so does a directory with one to which somebody is bound.
Result<void> judge_move(const Call& call, const Place& from, const Place& to) {
  const auto info = platform::status_at(from.parent.get(), entry_name(from).c_str());
  if (!info) {
    return tl::unexpected(info.error());
  }
  const bool is_of_host = S_ISSOCK(info->st_mode) && !call.shared().bound_sockets.contains(*info);
  if (is_of_host || (S_ISDIR(info->st_mode) && holds_host_socket(call.shared(), from))) {
    call.report("rename", from,
                is_of_host ? "is a socket of the host" : "holds a socket of the host");
    return tl::unexpected(Errno{EACCES});
  }
  return call.judge(Rename{use_of(from), use_of(to), kind_of(info->st_mode)});
}

Result<void> judge_rename(const Call& call, const TwoPlaces& places, unsigned flags) {
  if (auto judged = judge_move(call, places.from, places.to); !judged) {
    return judged;
  }
  if ((flags & RENAME_EXCHANGE) != 0) {
    return judge_move(call, places.to, places.from);
  }
  const auto replaced = kind_at(places.to);
  // What is replaced is removed.
  return replaced && *replaced != NodeKind::directory ? judge_removal(call, places.to, *replaced)
                                                      : Result<void>{};
}

bool may_move_as_directory(const Call& call, const TwoPlaces& places) {
  return call.shared()
      .rules.decide(Rename{use_of(places.from), use_of(places.to), NodeKind::directory})
      .allowed();
}

enum class Target : std::uint8_t { missing, exists };

// What rename(2) says of the names before it looks at the objects, for something that is no
// directory (do_renameat2 in fs/namei.c); 0: nothing.
int move_error(const TwoPlaces& places, Target target, unsigned flags) {
  if (target == Target::exists && (flags & RENAME_NOREPLACE) != 0) {
    return EEXIST;
  }
  if (places.from.name.ends_with('/') || places.to.name.ends_with('/')) {
    return ENOTDIR;
  }
  return places.from.real.starts_with(places.to.real + "/") ? ENOTEMPTY : 0;
}

// Moves what `from` means now, if it is no directory: links it beside the target, renames that onto
// the target, and removes the old name. EXDEV where the file system has no links: callers that move
// files copy them then.
Result<void> move_object(const Call& call, const TwoPlaces& places, unsigned flags) {
  const auto object = platform::open_at2(places.from.parent.get(), entry_name(places.from).c_str(),
                                         O_PATH | O_NOFOLLOW, 0, 0);
  const auto info = object ? platform::status_of(object->get()) : tl::unexpected(object.error());
  if (!info) {
    return tl::unexpected(info.error());
  }
  if (S_ISDIR(info->st_mode)) {
    return tl::unexpected(Errno{EACCES});
  }
  const auto target = platform::status_at(places.to.parent.get(), entry_name(places.to).c_str());
  if (const int error =
          move_error(places, target.has_value() ? Target::exists : Target::missing, flags);
      error != 0) {
    return tl::unexpected(Errno{error});
  }
  if (target && target->st_ino == info->st_ino && target->st_dev == info->st_dev) {
    return {};  // two names of one file: rename(2) does nothing
  }
  const std::string staged = ".pmg-" + std::to_string(::getpid()) + "-" +
                             std::to_string(call.shared().staged.fetch_add(1));
  const platform::DescriptorPath held(object->get());
  if (::linkat(AT_FDCWD, held.c_str(), places.to.parent.get(), staged.c_str(), AT_SYMLINK_FOLLOW) !=
      0) {
    return tl::unexpected(Errno{EXDEV});
  }
  auto moved = platform::check(::syscall(SYS_renameat2, places.to.parent.get(), staged.c_str(),
                                         places.to.parent.get(), places.to.name.c_str(), flags));
  if (!moved) {
    (void)::unlinkat(places.to.parent.get(), staged.c_str(), 0);
    return moved;
  }
  const auto left = platform::status_at(places.from.parent.get(), entry_name(places.from).c_str());
  if (left && left->st_ino == info->st_ino && left->st_dev == info->st_dev) {
    (void)::unlinkat(places.from.parent.get(), entry_name(places.from).c_str(), 0);
  }
  return {};
}

}  // namespace

Reply handle_create(const Call& call, Trapped which) {
  switch (which) {
    case Trapped::mkdir:
    case Trapped::mkdirat:
      return make_directory(call, which);
    case Trapped::symlink:
    case Trapped::symlinkat:
      return make_symlink(call, which);
    case Trapped::mknod:
    case Trapped::mknodat:
      return make_node(call, which);
    default:
      return fail(ENOSYS);
  }
}

Reply handle_remove(const Call& call, Trapped which) {
  int flags = which == Trapped::rmdir ? AT_REMOVEDIR : 0;
  if (which == Trapped::unlinkat) {
    flags = call.caller().int_argument(2);
  }
  if ((flags & ~AT_REMOVEDIR) != 0) {
    return fail(EINVAL);
  }
  const auto place = read_place(call, form_of(which), 0);
  if (!place) {
    return fail(place.error());
  }
  const auto kind = kind_at(*place);
  if (!kind) {
    return fail(kind.error());
  }
  if (const auto judged = judge_removal(call, *place, *kind); !judged) {
    return fail(judged.error());
  }
  return reply_of(platform::check(::unlinkat(place->parent.get(), place->name.c_str(), flags)));
}

Reply handle_rename(const Call& call, Trapped which) {
  const unsigned flags =
      which == Trapped::renameat2 ? static_cast<unsigned>(call.caller().argument(4)) : 0;
  // RENAME_WHITEOUT would make a device node.
  if (flags != 0 && flags != RENAME_NOREPLACE && flags != RENAME_EXCHANGE) {
    return fail(EINVAL);
  }
  const auto places = read_places(call, form_of(which));
  if (!places) {
    return fail(places.error());
  }
  // The rules depend on what is moved: a file may go where a directory may not.
  const std::lock_guard lock(call.shared().names);
  if (const auto judged = judge_rename(call, *places, flags); !judged) {
    return fail(judged.error());
  }
  if (may_move_as_directory(call, *places)) {
    return reply_of(platform::check(::syscall(SYS_renameat2, places->from.parent.get(),
                                              places->from.name.c_str(), places->to.parent.get(),
                                              places->to.name.c_str(), flags)));
  }
  // A file may go there and a directory may not, and the name could mean either by now (another run
  // shares the tree). So the object that is held is moved, not the name.
  return (flags & RENAME_EXCHANGE) != 0 ? fail(EXDEV) : reply_of(move_object(call, *places, flags));
}

Reply handle_link(const Call& call, Trapped which) {
  const Form form = form_of(which);
  const int flags = form == Form::at ? call.caller().int_argument(4) : 0;
  if ((flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH)) != 0) {
    return fail(EINVAL);
  }
  const auto request = form == Form::at ? call.request_at(0, 1) : call.request_cwd(0);
  if (!request) {
    return fail(request.error());
  }
  const bool by_descriptor = (flags & AT_EMPTY_PATH) != 0 && request->path.empty();
  const auto from =
      by_descriptor
          ? object_at(call.caller(), call.caller().int_argument(0))
          : resolve_object(*request, (flags & AT_SYMLINK_FOLLOW) != 0 ? Follow::yes : Follow::no);
  if (!from) {
    return fail(from.error());
  }
  const auto to = read_place(call, form, after_path(form, 0));
  if (!to) {
    return fail(to.error());
  }
  const std::lock_guard lock(call.shared().names);
  if (platform::status_at(to->parent.get(), entry_name(*to).c_str())) {
    return fail(EEXIST);
  }
  if (S_ISSOCK(from->info.st_mode) && !call.shared().bound_sockets.contains(from->info)) {
    call.report("link", *from, "is a socket of the host");
    return fail(EACCES);  // its new name could be one that a rule of unix_sockets allows
  }
  // An unnamed file (O_TMPFILE) was judged when it was made; it gets its first name now.
  const bool unnamed = from->info.st_nlink == 0;
  const auto judged = unnamed ? call.judge(Create{use_of(*to), kind_of(from->info.st_mode)})
                              : call.judge(Link{PathUse(PathView::unsafe_from(from->real),
                                                        PathView::unsafe_from(from->spelled)),
                                                use_of(*to), kind_of(from->info.st_mode)});
  if (!judged) {
    return fail(judged.error());
  }
  const platform::DescriptorPath held(from->fd.get());
  return reply_of(platform::check(
      ::linkat(AT_FDCWD, held.c_str(), to->parent.get(), to->name.c_str(), AT_SYMLINK_FOLLOW)));
}

}  // namespace pmg::adapters::broker
