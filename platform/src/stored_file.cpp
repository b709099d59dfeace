#include "platform/stored_file.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/files.hpp"

namespace pmg::platform {
namespace {

constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kPrivateDirectory = 0700;
constexpr int kTries = 16;

tl::unexpected<OsError> failed(const char* call, const std::string& operand) {
  return tl::unexpected(OsError{call, errno, operand});
}

std::string directory_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
}

/// Where the symlinks at the end of `file` lead; `file` itself where there are none. A dangling one
/// is an error: what it meant was lost, and is not for us to make.
tl::expected<std::string, OsError> target_of(const std::string& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) {
    return file;
  }
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(file.c_str(), nullptr),
                                                         &std::free);
  return real ? tl::expected<std::string, OsError>(real.get()) : failed("realpath", file);
}

/// A file beside `file` that nobody knows the name of; removed unless it was moved into place.
class Staged {
 public:
  static tl::expected<Staged, OsError> beside(const std::string& file, mode_t mode) {
    for (int i = 0; i < kTries; ++i) {
      std::uint64_t number = 0;
      if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
        return failed("getrandom", file);
      }
      std::string name = directory_of(file) + "/.pmg-" + std::to_string(number);
      auto fd = open_at(AT_FDCWD, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      if (fd) {
        return Staged(std::move(name), std::move(*fd));
      }
      if (fd.error().value != EEXIST) {
        return tl::unexpected(OsError{"open", fd.error().value, std::move(name)});
      }
    }
    return tl::unexpected(OsError{"open", EEXIST, file});
  }
  Staged(Staged&& other) noexcept
      : name_(std::exchange(other.name_, {})), fd_(std::move(other.fd_)) {}
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;
  Staged& operator=(Staged&&) = delete;
  ~Staged() {
    if (!name_.empty()) {
      ::unlink(name_.c_str());
    }
  }

  tl::expected<void, OsError> write(std::string_view text, mode_t mode) const {
    while (!text.empty()) {
      const ssize_t count = ::write(fd_.get(), text.data(), text.size());
      if (count < 0 && errno != EINTR) {
        return failed("write", name_);
      }
      text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
    if (::fchmod(fd_.get(), mode) != 0) {  // the umask took bits away
      return failed("chmod", name_);
    }
    return ::fsync(fd_.get()) == 0 ? tl::expected<void, OsError>{} : failed("fsync", name_);
  }

  tl::expected<void, OsError> move_to(const std::string& file, IfThere if_there) && {
    const unsigned flags = if_there == IfThere::fail ? RENAME_NOREPLACE : 0U;
    if (::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, file.c_str(), flags) == 0) {
      name_.clear();
      return {};
    }
    // Some file systems, NFS among them, know no flags (rename(2)). A second name is never made
    // over another one either; the first one goes with this value.
    return errno == EINVAL && flags != 0 && ::link(name_.c_str(), file.c_str()) == 0
               ? tl::expected<void, OsError>{}
               : failed("rename", file);
  }

 private:
  Staged(std::string name, UniqueFd fd) noexcept : name_(std::move(name)), fd_(std::move(fd)) {}
  std::string name_;
  UniqueFd fd_;
};

}  // namespace

tl::expected<void, OsError> make_directories(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    errno = ENOTDIR;
    return S_ISDIR(status.st_mode) ? tl::expected<void, OsError>{} : failed("mkdir", path);
  }
  if (const auto parent = directory_of(path); parent != path && parent != ".") {
    if (auto made = make_directories(parent); !made) {
      return made;
    }
  }
  // Somebody else may have been faster.
  return ::mkdir(path.c_str(), kPrivateDirectory) == 0 || errno == EEXIST
             ? tl::expected<void, OsError>{}
             : failed("mkdir", path);
}

tl::expected<void, OsError> store(const std::string& file, std::string_view text,
                                  IfThere if_there) {
  if (auto made = make_directories(directory_of(file)); !made) {
    return made;
  }
  const auto found = if_there == IfThere::replace ? target_of(file) : file;
  if (!found) {
    return tl::unexpected(found.error());
  }
  const std::string& target = *found;
  struct stat status {};
  const bool there = ::stat(target.c_str(), &status) == 0;
  const mode_t mode = there ? status.st_mode & ACCESSPERMS : kPrivateFile;
  auto staged = Staged::beside(target, kPrivateFile);
  if (!staged) {
    return tl::unexpected(staged.error());
  }
  if (auto written = staged->write(text, mode); !written) {
    return written;
  }
  if (auto moved = std::move(*staged).move_to(target, if_there); !moved) {
    return moved;
  }
  const auto directory = open_at(AT_FDCWD, directory_of(target).c_str(), O_RDONLY | O_DIRECTORY, 0);
  if (!directory) {
    return tl::unexpected(OsError{"open", directory.error().value, directory_of(target)});
  }
  return ::fsync(directory->get()) == 0 ? tl::expected<void, OsError>{}
                                        : failed("fsync", directory_of(target));
}

tl::expected<FileLock, OsError> FileLock::acquire(const std::string& file) {
  if (auto made = make_directories(directory_of(file)); !made) {
    return tl::unexpected(made.error());
  }
  auto fd = open_at(AT_FDCWD, file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, kPrivateFile);
  if (!fd) {
    return tl::unexpected(OsError{"open", fd.error().value, file});
  }
  while (::flock(fd->get(), LOCK_EX) != 0) {
    if (errno != EINTR) {
      return failed("flock", file);
    }
  }
  return FileLock(std::move(*fd));
}

}  // namespace pmg::platform
