// bind and connect, carried out on a duplicate of the caller's socket with the address copied once.
// The number of a socket says nothing about its family, so every family passes here.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "broker/aside.hpp"
#include "broker/call.hpp"
#include "platform/abstract_names.hpp"
#include "platform/files.hpp"

namespace pmg::adapters::broker {
namespace {

using domain::Create;
using domain::NodeKind;
using domain::PathUse;
using domain::PathView;
using platform::Errno;
using platform::Trapped;
using platform::UniqueFd;

/// An address in our memory.
struct Address {
  sockaddr_storage value{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&value);  // NOLINT: the type of the socket interface
  }
  [[nodiscard]] sa_family_t family() const noexcept { return value.ss_family; }
  /// The bytes after the family, for a unix address.
  [[nodiscard]] std::string_view unix_name() const noexcept {
    constexpr std::size_t kStart = offsetof(sockaddr_un, sun_path);
    if (length <= kStart) {
      return {};
    }
    // NOLINTNEXTLINE: sockaddr_storage is at least as long as any address
    return {reinterpret_cast<const char*>(&value) + kStart, length - kStart};
  }
};

Result<Address> read_address(const Call& call) {
  const auto length = static_cast<std::uint32_t>(call.caller().argument(2));
  Address address;
  if (length < sizeof(sa_family_t) || length > sizeof(address.value)) {
    return tl::unexpected(Errno{EINVAL});
  }
  address.length = length;
  const auto read = platform::read_exactly(
      call.caller().thread(), platform::RemoteAddress{call.caller().argument(1)},
      std::as_writable_bytes(std::span(&address.value, 1)).first(length));
  if (!read) {
    return tl::unexpected(read.error());
  }
  return address;
}

Result<Address> unix_address(const std::string& path) {
  Address address;
  auto* const unix_form = reinterpret_cast<sockaddr_un*>(&address.value);  // NOLINT: see get()
  constexpr std::size_t kRoom = sizeof(unix_form->sun_path);
  if (path.size() > kRoom) {
    return tl::unexpected(Errno{ENAMETOOLONG});
  }
  unix_form->sun_family = AF_UNIX;
  // A name may fill the whole room, without the NUL that otherwise ends it: unix(7).
  const std::size_t used = std::min(path.size() + 1, kRoom);
  std::memcpy(&unix_form->sun_path, path.c_str(), used);
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + used);
  return address;
}

Result<UniqueFd> duplicate_socket(const Call& call) {
  auto socket = platform::duplicate_from(call.caller().thread(), call.caller().int_argument(0));
  if (!socket) {
    return tl::unexpected(Errno{socket.error().value == EPERM ? EACCES : socket.error().value});
  }
  const auto info = platform::status_of(socket->get());
  if (!info || !S_ISSOCK(info->st_mode)) {
    return tl::unexpected(Errno{ENOTSOCK});
  }
  return socket;
}

// Whether the address is a name in the file system or the abstract namespace, and must be judged. A
// socket that does not tell its family counts as one for which it is.
bool is_unix(const UniqueFd& socket, const Address& address) {
  int family = AF_UNIX;
  socklen_t size = sizeof(family);
  const bool told = ::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &family, &size) == 0;
  return address.family() == AF_UNIX && (!told || family == AF_UNIX);
}

Result<PathRequest> request_for(const Call& call, std::string_view name) {
  std::string path(name.substr(0, name.find('\0')));
  auto base = call.caller().base_of(AT_FDCWD, path);
  if (!base) {
    return tl::unexpected(base.error());
  }
  return PathRequest{call.caller(), call.shared().tree, std::move(*base), std::move(path)};
}

// An address to use, and what must stay open while it is used.
struct Judged {
  Address address;
  UniqueFd held;
  /// An abstract name can change hands, so whoever answers it is looked at.
  enum class Peer : std::uint8_t { known, to_be_checked } peer = Peer::known;
};

// Without a rule (R11) only sockets that the tree itself bound may be connected to: the host's
// agents, daemons and displays would run or sign things on its behalf.
Result<Judged> judge_unix_connect(const Call& call, const Address& address) {
  const std::string_view name = address.unix_name();
  if (name.empty() || name.front() == '\0') {
    if (!call.shared().abstract_sockets.contains(std::string(name))) {
      call.report_abstract(name);
      return tl::unexpected(Errno{ECONNREFUSED});
    }
    return Judged{address, {}, Judged::Peer::to_be_checked};
  }
  const auto request = request_for(call, name);
  if (!request) {
    return tl::unexpected(request.error());
  }
  auto object = resolve_object(*request, Follow::yes);
  if (!object) {
    return tl::unexpected(object.error());
  }
  // What is no socket is not judged: nobody answers there, and the kernel says so.
  if (S_ISSOCK(object->info.st_mode) && !call.shared().bound_sockets.contains(object->info)) {
    const PathUse path(PathView::unsafe_from(object->real), PathView::unsafe_from(object->spelled));
    if (const auto judged = call.judge(domain::ConnectUnix{path}); !judged) {
      return tl::unexpected(judged.error());
    }
  }
  // Through the descriptor: the name is not read a second time.
  auto by_descriptor = unix_address(platform::DescriptorPath(object->fd.get()).c_str());
  if (!by_descriptor) {
    return tl::unexpected(by_descriptor.error());
  }
  return Judged{*by_descriptor, std::move(object->fd)};
}

Result<Judged> judge_connect(const Call& call, const UniqueFd& socket, const Address& address) {
  if (is_unix(socket, address)) {
    return judge_unix_connect(call, address);
  }
  return Judged{address, {}};
}

// connect(2); a peer outside the tree is hung up on before the caller goes on.
Result<void> connect_judged(const ProcessTree& tree, const UniqueFd& socket, const Judged& judged) {
  auto connected =
      platform::check(::connect(socket.get(), judged.address.get(), judged.address.length));
  if (!connected || judged.peer == Judged::Peer::known) {
    return connected;
  }
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
      tree.is_inside(peer.pid)) {
    return connected;
  }
  (void)::shutdown(socket.get(), SHUT_RDWR);
  return tl::unexpected(Errno{ECONNREFUSED});
}

// Whether connect(2) can wait. O_NONBLOCK says no more than what is so now: another thread of the
// caller may take it away in the next moment.
bool can_wait(const UniqueFd& socket, const Address& address) {
  int type = 0;
  socklen_t size = sizeof(type);
  const bool told = ::getsockopt(socket.get(), SOL_SOCKET, SO_TYPE, &type, &size) == 0;
  return address.family() != AF_UNSPEC && (!told || (type != SOCK_DGRAM && type != SOCK_RAW));
}

// A connect that can wait does so on a thread of its own.
Reply connect_later(const Call& call, UniqueFd socket, Judged judged) {
  struct Work {
    UniqueFd socket;
    Judged judged;
  };
  auto work = std::make_shared<Work>(Work{std::move(socket), std::move(judged)});
  const auto waiting = call.waiting();
  const auto started =
      call.shared().blocking.start(waiting, [work, waiting, &tree = call.shared().tree] {
        const auto result = [&] {
          const Interruptible now;
          return connect_judged(tree, work->socket, work->judged);
        }();
        work->socket.reset();  // the caller must be the only holder when it goes on
        if (result) {
          waiting.listener.answer(waiting.id, 0);
        } else if (result.error().value == EINTR) {
          waiting.interrupted();
        } else {
          waiting.listener.refuse(waiting.id, result.error());
        }
      });
  return started == BlockingCalls::Started::yes ? Reply{AnsweredLater{}} : fail(EAGAIN);
}

Reply handle_connect(const Call& call, UniqueFd socket, const Address& address) {
  auto judged = judge_connect(call, socket, address);
  if (!judged) {
    return fail(judged.error());
  }
  return can_wait(socket, address) ? connect_later(call, std::move(socket), std::move(*judged))
                                   : reply_of(connect_judged(call.shared().tree, socket, *judged));
}

// Binds the socket in a directory of its own, where nobody else puts anything, holds what was made
// and moves it to its name: looked up by its name in the end, it could be another one by then.
Result<void> bind_aside(const Call& call, const UniqueFd& socket, const Place& place) {
  const auto local = unix_address(place.name);
  if (!local) {
    return tl::unexpected(local.error());
  }
  auto directory = PrivateDirectory::make(place.parent.get(), place.name);
  if (!directory) {
    return tl::unexpected(directory.error());
  }
  if (auto mask = call.take_umask(); !mask) {
    return mask;
  }
  // By its name alone, which is what its peers see: this thread has a working directory of its own.
  if (::fchdir(directory->fd()) != 0) {
    return tl::unexpected(Errno{errno});
  }
  if (auto bound = platform::check(::bind(socket.get(), local->get(), local->length)); !bound) {
    return bound;
  }
  auto made = platform::open_at(directory->fd(), place.name.c_str(), O_PATH | O_NOFOLLOW, 0);
  if (!made) {
    return tl::unexpected(made.error());
  }
  const auto info = platform::status_of(made->get());
  if (!info || !S_ISSOCK(info->st_mode)) {
    return tl::unexpected(Errno{EADDRINUSE});
  }
  if (auto held = call.shared().bound_sockets.hold(std::move(*made)); !held) {
    return held;
  }
  auto moved = directory->move_out();
  return !moved && moved.error().value == EEXIST ? tl::unexpected(Errno{EADDRINUSE}) : moved;
}

Reply bind_path(const Call& call, const UniqueFd& socket, const Address& address) {
  const auto request = request_for(call, address.unix_name());
  if (!request) {
    return fail(request.error());
  }
  const auto place = resolve_place(*request);
  if (!place) {
    return fail(place.error());
  }
  // Until the new socket is held: else a socket of the host could be renamed to its name in
  // between.
  const std::lock_guard lock(call.shared().names);
  if (platform::status_at(place->parent.get(), place->name.c_str())) {
    return fail(EADDRINUSE);
  }
  if (!call.shared().bound_sockets.has_room()) {
    return fail(ENFILE);
  }
  const auto judged = call.judge(
      Create{PathUse(PathView::unsafe_from(place->real), PathView::unsafe_from(place->spelled)),
             NodeKind::socket});
  if (!judged) {
    return fail(judged.error());
  }
  if (const auto bound = bind_aside(call, socket, *place); !bound) {
    return fail(bound.error());
  }
  // getsockname would show that name, so the text the caller used is kept for it.
  if (const auto info = platform::status_of(socket.get())) {
    call.shared().socket_names.set(info->st_ino, std::string(address.unix_name()));
  }
  return Value{0};
}

// Forgets the abstract names that nobody has bound any more, to have room for others.
void forget_unbound(SharedSet<std::string>& names) {
  const auto bound = platform::abstract_names();
  if (!bound) {
    return;
  }
  names.remove_if([&bound](const std::string& name) { return !bound->may_hold(name); });
}

Reply bind_abstract(const Call& call, const UniqueFd& socket, const Address& address) {
  // From looking at what is bound until the name is known, so that none is forgotten in between.
  const std::lock_guard lock(call.shared().names);
  if (call.shared().abstract_sockets.is_full()) {
    forget_unbound(call.shared().abstract_sockets);
  }
  if (call.shared().abstract_sockets.is_full()) {
    return fail(ENFILE);
  }
  const auto bound = platform::check(::bind(socket.get(), address.get(), address.length));
  if (!bound) {
    return fail(bound.error());
  }
  Address name;  // autobind chooses one
  name.length = sizeof(name.value);
  // NOLINTNEXTLINE: the type of the socket interface
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name.value), &name.length) == 0) {
    call.shared().abstract_sockets.insert(std::string(name.unix_name()));
  }
  return Value{0};
}

Reply handle_bind(const Call& call, const UniqueFd& socket, const Address& address) {
  if (is_unix(socket, address)) {
    const std::string_view name = address.unix_name();
    const bool abstract = name.empty() || name.front() == '\0';
    return abstract ? bind_abstract(call, socket, address) : bind_path(call, socket, address);
  }
  return reply_of(platform::check(::bind(socket.get(), address.get(), address.length)));
}

// getsockname(2), with the name that the caller bound in place of the broker's.
Reply handle_getsockname(const Call& call, const UniqueFd& socket) {
  Address name;
  name.length = sizeof(name.value);
  // NOLINTNEXTLINE: the type of the socket interface
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name.value), &name.length) != 0) {
    return fail(errno);
  }
  const auto info = platform::status_of(socket.get());
  const auto given = info ? call.shared().socket_names.get(info->st_ino) : std::nullopt;
  if (given && name.family() == AF_UNIX && !name.unix_name().empty() &&
      name.unix_name().front() != '\0') {
    const std::string path = given->substr(0, given->find('\0'));
    if (const auto address = unix_address(path)) {
      name = *address;
      name.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    }
  }
  const auto room = call.caller().read_value<socklen_t>(2);
  if (!room) {
    return fail(room.error());
  }
  if (static_cast<int>(*room) < 0) {
    return fail(EINVAL);
  }
  const std::span<const std::byte> bytes =
      std::as_bytes(std::span(&name.value, 1)).first(std::min(*room, name.length));
  if (!call.shared().listener.is_waiting(call.id())) {
    return fail(ESRCH);
  }
  for (const auto& written : {call.caller().write(1, bytes),
                              call.caller().write(2, std::as_bytes(std::span(&name.length, 1)))}) {
    if (!written) {
      return fail(written.error());
    }
  }
  return Value{0};
}

}  // namespace

Reply handle_socket(const Call& call, Trapped which) {
  auto socket = duplicate_socket(call);
  if (!socket) {
    return fail(socket.error());
  }
  if (which == Trapped::getsockname) {
    return handle_getsockname(call, *socket);
  }
  const auto address = read_address(call);
  if (!address) {
    return fail(address.error());
  }
  if (!call.shared().listener.is_waiting(call.id())) {
    return fail(ESRCH);  // what was read, and the socket itself, may be somebody else's
  }
  return which == Trapped::bind ? handle_bind(call, *socket, *address)
                                : handle_connect(call, std::move(*socket), *address);
}

}  // namespace pmg::adapters::broker
