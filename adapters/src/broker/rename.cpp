// rename and its relatives. What is moved or replaced by its name is judged by its name; where the
// object decides, it is taken aside first, looked at, and put in place (aside.hpp).

#include <cerrno>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "broker/aside.hpp"
#include "broker/host_sockets.hpp"
#include "broker/places.hpp"
#include "platform/files.hpp"

namespace pmg::adapters::broker {
namespace {

using domain::NodeKind;
using domain::Rename;
using platform::Errno;
using platform::Trapped;

struct TwoPlaces {
  Place from;
  Place to;
};

// What both names mean now.
struct Judged {
  NodeKind moved;
  std::optional<NodeKind> replaced;  // nothing: the name is free
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

Result<void> refuse_move(const Call& call, const Place& from, const char* note) {
  call.report(domain::OperationKind::rename, from, note);
  return tl::unexpected(Errno{EACCES});
}

bool is_socket_of_host(const Call& call, const struct stat& info) {
  return S_ISSOCK(info.st_mode) && !call.shared().bound_sockets.contains(info);
}

// Judges moving what `from` means now. A socket that the tree did not bind is somebody's address:
// it stays where it is, and so does a directory with one to which somebody is bound.
Result<NodeKind> judge_move(const Call& call, const Place& from, const Place& to) {
  const auto info = platform::status_at(from.parent.get(), entry_name(from).c_str());
  if (!info) {
    return tl::unexpected(info.error());
  }
  const NodeKind kind = kind_of(info->st_mode);
  auto judged = Result<void>{};
  if (is_socket_of_host(call, *info)) {
    judged = refuse_move(call, from, "is a socket of the host");
  } else {
    judged = call.judge(Rename{use_of(from), use_of(to), kind});
  }
  if (judged && kind == NodeKind::directory) {
    judged = judge_content(call, from);
  }
  return judged.map([kind] { return kind; });
}

Result<Judged> judge_rename(const Call& call, const TwoPlaces& places, unsigned flags) {
  const auto moved = judge_move(call, places.from, places.to);
  if (!moved) {
    return tl::unexpected(moved.error());
  }
  if ((flags & RENAME_EXCHANGE) != 0) {
    return judge_move(call, places.to, places.from).map([&](NodeKind other) {
      return Judged{*moved, other};
    });
  }
  const auto replaced = kind_at(places.to);
  if (!replaced) {
    return replaced.error().value == ENOENT ? Result<Judged>(Judged{*moved, std::nullopt})
                                            : tl::unexpected(replaced.error());
  }
  // What is replaced is removed.
  const auto judged =
      *replaced == NodeKind::directory ? Result<void>{} : judge_removal(call, places.to, *replaced);
  return judged.map([&] { return Judged{*moved, *replaced}; });
}

bool may_move_as_directory(const Call& call, const TwoPlaces& places) {
  return call.shared()
      .rules.decide(Rename{use_of(places.from), use_of(places.to), NodeKind::directory})
      .allowed();
}

// What rename(2) says of the names before it looks at the objects, for something that is no
// directory (do_renameat2 in fs/namei.c); 0: nothing.
int move_error(const TwoPlaces& places, const Judged& judged, unsigned flags) {
  if (judged.replaced && (flags & RENAME_NOREPLACE) != 0) {
    return EEXIST;
  }
  if (places.from.name.ends_with('/') || places.to.name.ends_with('/')) {
    return ENOTDIR;
  }
  return places.from.real.starts_with(places.to.real + "/") ? ENOTEMPTY : 0;
}

// Onto a name that was free when it was judged: what has come there since is not replaced unseen
// (EEXIST). Some file systems cannot say so (EINVAL).
template <class Move>
Result<void> move_to_free(Move move) {
  auto moved = move(RENAME_NOREPLACE);
  return moved || moved.error().value != EINVAL ? moved : move(0);
}

// Replaces a socket that was judged. The two change places first, so that the name is there all the
// time and what had it can be looked at: by now it may be an address of the host.
Result<void> replace_socket(const Call& call, Aside& what, const Place& to) {
  const auto exchanged = what.exchange_with(to.parent.get(), to.name);
  if (!exchanged) {
    return exchanged.error().value == EINVAL ? what.move_to(to.parent.get(), to.name, 0)
                                             : exchanged;
  }
  const auto replaced = what.status();
  auto removed = Result<void>{tl::unexpected(Errno{EACCES})};
  if (replaced && !S_ISDIR(replaced->st_mode) &&
      !is_host_socket(call.shared(), what.directory(), what.name())) {
    removed = what.remove();
  }
  if (!removed) {
    call.report(domain::OperationKind::remove, to, "is a socket of the host");
    (void)what.exchange_with(to.parent.get(), to.name);
  }
  return removed;
}

Result<void> put_in_place(const Call& call, Aside& what, const Place& to, const Judged& judged,
                          unsigned flags) {
  if (!judged.replaced) {
    return move_to_free([&](unsigned no_replace) {
      return what.move_to(to.parent.get(), to.name, flags | no_replace);
    });
  }
  return *judged.replaced == NodeKind::socket ? replace_socket(call, what, to)
                                              : what.move_to(to.parent.get(), to.name, flags);
}

// Moves what `from` means now, if it is no directory. It is put back if it cannot have the new
// name.
Result<void> move_object(const Call& call, const TwoPlaces& places, const Judged& judged,
                         unsigned flags) {
  if (const int error = move_error(places, judged, flags); error != 0) {
    return tl::unexpected(Errno{error});
  }
  const auto source = platform::status_at(places.from.parent.get(), places.from.name.c_str());
  const auto target = platform::status_at(places.to.parent.get(), places.to.name.c_str());
  if (source && target && is_same(*source, *target)) {
    return {};  // two names of one file: rename(2) does nothing
  }
  auto aside = Aside::take(places.from.parent.get(), places.from.name);
  if (!aside) {
    return tl::unexpected(aside.error());
  }
  const auto info = aside->status();
  if (!info) {
    return tl::unexpected(info.error());
  }
  if (S_ISDIR(info->st_mode) || is_socket_of_host(call, *info)) {
    return tl::unexpected(Errno{EACCES});
  }
  return put_in_place(call, *aside, places.to, judged, flags);
}

Result<void> move_name(const TwoPlaces& places, const Judged& judged, unsigned flags) {
  const auto move = [&](unsigned no_replace) {
    return platform::check(::syscall(SYS_renameat2, places.from.parent.get(),
                                     places.from.name.c_str(), places.to.parent.get(),
                                     places.to.name.c_str(), flags | no_replace));
  };
  return judged.replaced ? move(0) : move_to_free(move);
}

Result<void> rename_once(const Call& call, const TwoPlaces& places, unsigned flags) {
  const auto judged = judge_rename(call, places, flags);
  if (!judged) {
    return tl::unexpected(judged.error());
  }
  if (!may_move_as_directory(call, places)) {
    // A file may go there and a directory may not, and the name could mean either by now (another
    // run shares the tree). So the object is moved, not the name.
    return (flags & RENAME_EXCHANGE) != 0 ? tl::unexpected(Errno{EXDEV})
                                          : move_object(call, places, *judged, flags);
  }
  const bool replaces_socket = flags == 0 && judged->replaced == NodeKind::socket;
  return replaces_socket && judged->moved != NodeKind::directory
             ? move_object(call, places, *judged, flags)
             : move_name(places, *judged, flags);
}

}  // namespace

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
  constexpr int kTries = 16;
  auto renamed = Result<void>{};
  for (int tries = 0; tries < kTries; ++tries) {
    renamed = rename_once(call, *places, flags);
    // Somebody has put something there meanwhile: it is judged, then replaced.
    const bool again = !renamed && renamed.error().value == EEXIST && flags == 0;
    if (!again) {
      break;
    }
  }
  return reply_of(renamed);
}

}  // namespace pmg::adapters::broker
