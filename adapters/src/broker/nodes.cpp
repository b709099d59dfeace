// Creating, removing and linking names. Each call is carried out on a directory that was
// resolved once and the last component of the path.

#include <cerrno>
#include <mutex>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/aside.hpp"
#include "broker/host_sockets.hpp"
#include "broker/places.hpp"
#include "platform/files.hpp"

namespace pmg::adapters::broker {
namespace {

using domain::Create;
using domain::Link;
using domain::NodeKind;
using domain::PathUse;
using domain::PathView;
using platform::Errno;
using platform::Trapped;

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

// Removes a socket that was judged: taken aside, it is what it is, while its old name may be an
// address of the host again.
Result<void> remove_socket(const Call& call, const Place& place) {
  // Until it is put back, if it is: else the tree could bind its own there.
  const std::lock_guard lock(call.shared().names);
  auto aside = Aside::take(place.parent.get(), place.name);
  if (!aside) {
    return tl::unexpected(aside.error());
  }
  if (is_host_socket(call.shared(), aside->directory(), aside->name())) {
    call.report(domain::OperationKind::remove, place, "is a socket of the host");
    return tl::unexpected(Errno{EACCES});
  }
  return aside->remove();
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
  if (*kind == NodeKind::socket && flags == 0 && !place->name.ends_with('/')) {
    return reply_of(remove_socket(call, *place));
  }
  return reply_of(platform::check(::unlinkat(place->parent.get(), place->name.c_str(), flags)));
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
    call.report(domain::OperationKind::link, *from, "is a socket of the host");
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
