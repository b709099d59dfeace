#include "broker/resolve.hpp"

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <linux/openat2.h>

#include "broker/aside.hpp"
#include "domain/path.hpp"

namespace pmg::adapters::broker {
namespace {

using platform::Errno;
using platform::UniqueFd;

bool starts_with_proc(std::string_view real) {
  return real == "/proc" || real.substr(0, 6) == "/proc/";
}

// The absolute text of a path: the base's canonical name and the path, by text alone.
Result<std::string> spelled_path(const PathRequest& request, const std::string& path) {
  if (request.base.is_absolute()) {
    return domain::normalise(domain::AbsolutePath::root(), path).text();
  }
  const auto base = request.caller.own().name_of(request.base.at());
  if (!base) {
    return tl::unexpected(base.error());
  }
  const auto absolute = domain::AbsolutePath::parse(*base);
  if (!absolute) {
    return tl::unexpected(Errno{ENOENT});  // an unreachable directory has no name to judge
  }
  return domain::normalise(*absolute, path).text();
}

struct SplitPath {
  std::string directory;  // empty: the base itself
  std::string name;       // with the slashes that follow it
};

// "a/b//" → "a/", "b//"; "/x" → "/", "x"; "/" → "/", ".".
SplitPath split(const std::string& path) {
  const std::size_t last = path.find_last_not_of('/');
  if (last == std::string::npos) {
    return {path.empty() ? "" : "/", "."};
  }
  const std::size_t slash = path.find_last_of('/', last);
  if (slash == std::string::npos) {
    return {"", path};
  }
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

std::string_view without_slashes(std::string_view name) {
  const std::size_t last = name.find_last_not_of('/');
  return last == std::string_view::npos ? std::string_view{} : name.substr(0, last + 1);
}

std::string join(const std::string& parent, std::string_view name) {
  const auto base = domain::AbsolutePath::parse(parent);
  return base ? domain::normalise(*base, name).text() : std::string{};
}

// An object that was reached by a name it has lost by now, while it has others, is judged by the
// name it had. A name may also really end like that: then it leads to the object.
std::string name_it_had(std::string name, const struct stat& info) {
  if (info.st_nlink == 0 || !name.ends_with(kDeletedSuffix)) {
    return name;
  }
  const auto now = platform::status_at(AT_FDCWD, name.c_str());
  if (!now || now->st_dev != info.st_dev || now->st_ino != info.st_ino) {
    name.resize(name.size() - kDeletedSuffix.size());
  }
  return name;
}

std::uint64_t open_flags(Follow follow) { return O_PATH | (follow == Follow::no ? O_NOFOLLOW : 0); }

// A path on which a symlink lies: by the kernel, and by our own walk where the answer depends on
// who asks.
Result<Object> resolve_links(const PathRequest& request, const std::string& path, Follow follow) {
  auto linked = platform::open_at2(request.base.at(), path.c_str(), open_flags(follow), 0,
                                   request.resolve | RESOLVE_NO_MAGICLINKS);
  // What the broker finds missing below /proc/self may be there for the caller.
  const bool final_error = !linked && linked.error().value != ELOOP &&
                           (linked.error().value != ENOENT || request.resolve != 0);
  if (final_error) {
    return tl::unexpected(linked.error());
  }
  if (linked) {
    auto object = describe(request.caller, std::move(*linked));
    if (!object || !starts_with_proc(object->real)) {
      return object;
    }
  }
  if ((request.resolve & (RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH | RESOLVE_IN_ROOT)) != 0) {
    return tl::unexpected(Errno{ELOOP});
  }
  return walk_path(request, path, follow);
}

// `path` from the start of `request`; the path of the request itself, or the directory part of it.
Result<Object> resolve_from(const PathRequest& request, const std::string& path, Follow follow) {
  // The usual case: no symlink anywhere, so the text used and the object's name are the same.
  auto plain = platform::open_at2(request.base.at(), path.c_str(), open_flags(follow), 0,
                                  request.resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (plain) {
    return describe(request.caller, std::move(*plain));
  }
  if (plain.error().value != ELOOP || (request.resolve & RESOLVE_NO_SYMLINKS) != 0) {
    return tl::unexpected(plain.error());
  }
  auto spelled = spelled_path(request, path);
  if (!spelled) {
    return tl::unexpected(spelled.error());
  }
  auto object = resolve_links(request, path, follow);
  if (object) {
    object->spelled = std::move(*spelled);
  }
  return object;
}

}  // namespace

Result<PathRequest> request_at(const Caller& caller, const ProcessTree& tree, std::size_t dir_index,
                               std::size_t path_index) {
  auto path = caller.read_path(path_index);
  if (!path) {
    return tl::unexpected(path.error());
  }
  auto base = caller.base_of(caller.int_argument(dir_index), *path);
  if (!base) {
    return tl::unexpected(base.error());
  }
  return PathRequest{caller, tree, std::move(*base), std::move(*path)};
}

Result<PathRequest> request_cwd(const Caller& caller, const ProcessTree& tree,
                                std::size_t path_index) {
  auto path = caller.read_path(path_index);
  if (!path) {
    return tl::unexpected(path.error());
  }
  auto base = caller.base_of(AT_FDCWD, *path);
  if (!base) {
    return tl::unexpected(base.error());
  }
  return PathRequest{caller, tree, std::move(*base), std::move(*path)};
}

Result<Object> describe(const Caller& caller, UniqueFd fd) {
  auto real = caller.own().name_of(fd.get());
  if (!real) {
    return tl::unexpected(real.error());
  }
  auto info = platform::status_of(fd.get());
  if (!info) {
    return tl::unexpected(info.error());
  }
  std::string name = name_it_had(std::move(*real), *info);
  std::string spelled = name;
  return Object{std::move(fd), std::move(name), std::move(spelled), *info, std::nullopt};
}

Result<Object> object_of_descriptor(const Caller& caller, int fd) {
  auto object = caller.object_of(fd);
  if (!object) {
    return tl::unexpected(object.error());
  }
  auto described = describe(caller, std::move(*object));
  if (described) {
    described->via = DescriptorName{caller.thread(), fd};
  }
  return described;
}

Result<Object> object_at(const Caller& caller, int fd) {
  if (fd != AT_FDCWD) {
    return object_of_descriptor(caller, fd);
  }
  const auto base = caller.base_of(AT_FDCWD, ".");
  if (!base) {
    return tl::unexpected(base.error());
  }
  auto directory = platform::open_at2(base->at(), ".", O_PATH | O_DIRECTORY, 0, 0);
  if (!directory) {
    return tl::unexpected(directory.error());
  }
  return describe(caller, std::move(*directory));
}

Result<Object> resolve_object(const PathRequest& request, Follow follow) {
  if (request.path.empty()) {
    return tl::unexpected(Errno{ENOENT});
  }
  return resolve_from(request, request.path, follow);
}

Result<Place> resolve_place(const PathRequest& request) {
  if (request.path.empty()) {
    return tl::unexpected(Errno{ENOENT});
  }
  SplitPath parts = split(request.path);
  auto parent = resolve_from(request, parts.directory.empty() ? "." : parts.directory, Follow::yes);
  if (!parent) {
    return tl::unexpected(parent.error());
  }
  if (!S_ISDIR(parent->info.st_mode)) {
    return tl::unexpected(Errno{ENOTDIR});
  }
  std::string real = join(parent->real, without_slashes(parts.name));
  std::string spelled = join(parent->spelled, without_slashes(parts.name));
  if (real.empty()) {
    return tl::unexpected(Errno{ENOENT});
  }
  if (spelled.empty()) {
    spelled = real;
  }
  if (is_aside(real)) {
    return tl::unexpected(Errno{EACCES});  // of a broker that is about to look at it
  }
  return Place{std::move(parent->fd), std::move(parts.name), std::move(real), std::move(spelled)};
}

}  // namespace pmg::adapters::broker
