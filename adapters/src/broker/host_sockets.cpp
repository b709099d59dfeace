#include "broker/host_sockets.hpp"

#include <cerrno>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>

#include "platform/files.hpp"
#include "platform/unix_socket.hpp"

namespace pmg::adapters::broker {
namespace {

using platform::Errno;
using platform::UniqueFd;

// About a second's work. Copying as many files, which is what follows, takes far longer.
constexpr std::size_t kMostEntries = 1'000'000;

// A walk through a directory, without recursion and with one descriptor: both would be bounded by
// what the program has put there.
class Search {
 public:
  Search(const Call& call, const Place& directory) : call_(call), directory_(directory) {}

  Result<void> run() {
    std::string name = directory_.name;
    name.resize(name.find_last_not_of('/') + 1);
    rest_.push_back(std::move(name));
    while (!rest_.empty()) {
      const std::string next = std::move(rest_.back());
      rest_.pop_back();
      if (auto looked = look_into(next); !looked) {
        return looked;
      }
    }
    // It may have taken a while.
    return call_.shared().listener.is_waiting(call_.id()) ? Result<void>{}
                                                          : tl::unexpected(Errno{ESRCH});
  }

 private:
  using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

  [[nodiscard]] Result<Directory> open(const std::string& path) const {
    auto fd = platform::open_at2(directory_.parent.get(), path.c_str(),
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK, 0,
                                 RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
    if (!fd) {
      return tl::unexpected(fd.error());
    }
    Directory opened(::fdopendir(fd->get()), &::closedir);
    if (!opened) {
      return tl::unexpected(Errno{errno});
    }
    (void)fd->release();
    return opened;
  }

  Result<void> look_into(const std::string& path) {
    const auto opened = open(path);
    if (!opened) {
      switch (opened.error().value) {
        case ENOENT:
        case ENOTDIR:
          return {};  // it is no directory any more
        case ENAMETOOLONG:
          return tl::unexpected(Errno{EXDEV});
        case EACCES:
          return refuse("holds a directory that cannot be read");
        default:
          return tl::unexpected(opened.error());
      }
    }
    while (true) {
      errno = 0;
      const dirent* const entry = ::readdir(opened->get());
      if (entry == nullptr) {
        return errno == 0 ? Result<void>{} : tl::unexpected(Errno{errno});
      }
      if (auto looked = look_at(path, ::dirfd(opened->get()), *entry); !looked) {
        return looked;
      }
    }
  }

  Result<void> look_at(const std::string& path, int parent, const dirent& entry) {
    const std::string_view name(&entry.d_name[0]);
    if (name == "." || name == "..") {
      return {};
    }
    if (++seen_ > kMostEntries) {
      return tl::unexpected(Errno{EXDEV});
    }
    unsigned char type = entry.d_type;
    if (type == DT_UNKNOWN) {
      const auto info = platform::status_at(parent, &entry.d_name[0]);
      if (!info && info.error().value != ENOENT) {
        return refuse("holds what cannot be looked at");
      }
      type = info ? static_cast<unsigned char>(IFTODT(info->st_mode)) : type;
    }
    if (type == DT_DIR) {
      rest_.push_back(path + "/" + std::string(name));
    }
    return type == DT_SOCK && is_host_socket(call_.shared(), parent, std::string(name))
               ? refuse("holds a socket of the host")
               : Result<void>{};
  }

  Result<void> refuse(std::string_view note) {
    call_.report(domain::OperationKind::rename, directory_, note);
    return tl::unexpected(Errno{EACCES});
  }

  const Call& call_;
  const Place& directory_;
  std::vector<std::string> rest_;
  std::size_t seen_ = 0;
};

}  // namespace

bool is_host_socket(const Shared& shared, int directory, const std::string& name) {
  const auto object = platform::open_at2(directory, name.c_str(), O_PATH | O_NOFOLLOW, 0, 0);
  if (!object) {
    return object.error().value != ENOENT && object.error().value != ENOTDIR;
  }
  const auto info = platform::status_of(object->get());
  return !info || (S_ISSOCK(info->st_mode) && !shared.bound_sockets.contains(*info) &&
                   platform::is_bound(*object));
}

bool is_host_socket(const Shared& shared, const Place& place) {
  return is_host_socket(shared, place.parent.get(), place.name);
}

Result<void> judge_content(const Call& call, const Place& directory) {
  return Search(call, directory).run();
}

}  // namespace pmg::adapters::broker
