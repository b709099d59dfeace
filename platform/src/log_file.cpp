#include "platform/log_file.hpp"

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/files.hpp"

namespace pmg::platform {
namespace {

constexpr mode_t kPrivate = 0600;

}  // namespace

tl::expected<UniqueFd, OsError> create_log(const std::string& file) {
  auto fd = open_at(AT_FDCWD, file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW,
                    kPrivate);
  if (!fd) {
    return tl::unexpected(OsError{"open", fd.error().value, file});
  }
  return std::move(*fd);
}

tl::expected<void, Errno> append(const UniqueFd& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return tl::unexpected(Errno{errno});
    }
    text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return {};
}

tl::expected<std::string, OsError> read_regular_file(const std::string& file, std::size_t limit) {
  const auto failed = [&file](const char* call, int error) {
    return tl::unexpected(OsError{call, error, file});
  };
  const auto fd = open_at(AT_FDCWD, file.c_str(), O_RDONLY | O_NONBLOCK, 0);
  if (!fd) {
    return failed("open", fd.error().value);
  }
  const auto status = status_of(fd->get());
  if (!status || !S_ISREG(status->st_mode)) {
    return failed("read", status ? EINVAL : status.error().value);
  }
  std::string text;
  for (;;) {
    constexpr std::size_t kStep = 64UL * 1024;
    const std::size_t before = text.size();
    text.resize(before + kStep);
    const ssize_t count = ::read(fd->get(), text.data() + before, kStep);
    const int error = errno;
    text.resize(before + (count < 0 ? 0 : static_cast<std::size_t>(count)));
    if (count < 0 && error != EINTR) {
      return failed("read", error);
    }
    if (text.size() > limit) {
      return failed("read", EFBIG);
    }
    if (count == 0) {
      return text;
    }
  }
}

}  // namespace pmg::platform
