#include "broker/aside.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "domain/ascii.hpp"
#include "platform/files.hpp"

namespace pmg::adapters::broker {
namespace {

using platform::Errno;
using platform::UniqueFd;

constexpr std::string_view kPrefix = ".pmg-aside-";

Result<std::string> new_name() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return tl::unexpected(Errno{EAGAIN});
  }
  std::string name(kPrefix);
  for (const unsigned char byte : bytes) {
    domain::append_hex(name, byte);
  }
  return name;
}

Result<void> rename_at(int from, const std::string& old_name, int to, const std::string& new_name,
                       unsigned flags) {
  return platform::check(
      ::syscall(SYS_renameat2, from, old_name.c_str(), to, new_name.c_str(), flags));
}

// To a name that is free. Some file systems have no RENAME_NOREPLACE; there a second name is made
// and the first removed, or where there are no hard links either, it is looked first.
Result<void> rename_to_free(int from, const std::string& old_name, int to,
                            const std::string& new_name) {
  auto renamed = rename_at(from, old_name, to, new_name, RENAME_NOREPLACE);
  if (renamed || renamed.error().value != EINVAL) {
    return renamed;
  }
  const auto linked = platform::check(::linkat(from, old_name.c_str(), to, new_name.c_str(), 0));
  if (linked) {
    return platform::check(::unlinkat(from, old_name.c_str(), 0));
  }
  if (linked.error().value == EEXIST || platform::status_at(to, new_name.c_str())) {
    return tl::unexpected(Errno{EEXIST});
  }
  return rename_at(from, old_name, to, new_name, 0);
}

}  // namespace

bool is_aside(std::string_view path) noexcept {
  while (path.size() >= kPrefix.size()) {
    if (std::ranges::equal(path.substr(0, kPrefix.size()), kPrefix, {}, domain::lower)) {
      return true;
    }
    path.remove_prefix(std::min(path.find('/'), path.size() - 1) + 1);
  }
  return false;
}

Result<Aside> Aside::take(int directory, std::string name) {
  auto aside = new_name();
  if (!aside) {
    return tl::unexpected(aside.error());
  }
  if (const auto taken = rename_at(directory, name, directory, *aside, 0); !taken) {
    return tl::unexpected(taken.error());
  }
  return Aside(directory, std::move(name), std::move(*aside));
}

Aside::~Aside() {
  if (!aside_.empty()) {
    (void)rename_to_free(directory_, aside_, directory_, name_);
  }
}

Result<struct stat> Aside::status() const {
  return platform::status_at(directory_, aside_.c_str());
}

Result<void> Aside::remove() {
  auto removed = platform::check(::unlinkat(directory_, aside_.c_str(), 0));
  if (removed) {
    aside_.clear();
  }
  return removed;
}

Result<void> Aside::move_to(int directory, const std::string& name, unsigned flags) {
  auto moved = rename_at(directory_, aside_, directory, name, flags);
  if (moved) {
    aside_.clear();
  }
  return moved;
}

Result<void> Aside::exchange_with(int directory, const std::string& name) {
  return rename_at(directory_, aside_, directory, name, RENAME_EXCHANGE);
}

Result<PrivateDirectory> PrivateDirectory::make(int parent, std::string name) {
  const auto own = new_name();
  if (!own) {
    return tl::unexpected(own.error());
  }
  (void)::umask(0);
  if (::mkdirat(parent, own->c_str(), S_IRWXU) != 0) {
    return tl::unexpected(Errno{errno});
  }
  auto fd = platform::open_at(parent, own->c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
  if (!fd) {
    (void)::unlinkat(parent, own->c_str(), AT_REMOVEDIR);
    return tl::unexpected(fd.error());
  }
  return PrivateDirectory(parent, *own, std::move(name), std::move(*fd));
}

PrivateDirectory::~PrivateDirectory() {
  if (fd_) {
    (void)::unlinkat(fd_.get(), entry_.c_str(), 0);
    (void)::unlinkat(parent_, name_.c_str(), AT_REMOVEDIR);
  }
}

Result<void> PrivateDirectory::move_out() {
  return rename_to_free(fd_.get(), entry_, parent_, entry_);
}

}  // namespace pmg::adapters::broker
