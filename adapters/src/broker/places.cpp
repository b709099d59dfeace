#include "broker/places.hpp"

#include <cerrno>

#include <sys/stat.h>

#include "broker/host_sockets.hpp"
#include "platform/files.hpp"

namespace pmg::adapters::broker {

using domain::NodeKind;
using domain::PathUse;
using domain::PathView;
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

Result<Place> read_place(const Call& call, Form form, std::size_t first) {
  const auto request =
      form == Form::at ? call.request_at(first, first + 1) : call.request_cwd(first);
  if (!request) {
    return tl::unexpected(request.error());
  }
  return resolve_place(*request);
}

Result<void> judge_removal(const Call& call, const Place& place, NodeKind kind) {
  if (kind == NodeKind::socket && is_host_socket(call.shared(), place)) {
    call.report(domain::OperationKind::remove, place, "is a socket of the host");
    return tl::unexpected(Errno{EACCES});
  }
  return call.judge(domain::Remove{use_of(place), kind});
}

}  // namespace pmg::adapters::broker
