#include "broker/terminal.hpp"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include "platform/files.hpp"
#include "platform/process.hpp"

namespace pmg::adapters::broker {
namespace {

using platform::Errno;
using platform::UniqueFd;

// Device numbers: Documentation/admin-guide/devices.txt.
constexpr unsigned kTtyMajor = 5;
constexpr unsigned kTtyMinor = 0;
constexpr unsigned kPtmxMinor = 2;
constexpr unsigned kFirstPtsMajor = 136;
constexpr unsigned kLastPtsMajor = 143;

// The controlling terminal of the caller, by its device number.
Result<UniqueFd> open_own_terminal(const Call& call, const Object& object, int flags) {
  const auto terminal = platform::controlling_terminal(call.caller().thread());
  if (!terminal) {
    return tl::unexpected(Errno{ENXIO});
  }
  if (terminal == platform::controlling_terminal(::getpid())) {
    return call.caller().own().reopen(object.fd, flags);
  }
  const unsigned kind = major(*terminal);
  if (kind < kFirstPtsMajor || kind > kLastPtsMajor) {
    return tl::unexpected(Errno{ENXIO});
  }
  constexpr unsigned kMinors = 256;
  const std::string path =
      "/dev/pts/" + std::to_string((kind - kFirstPtsMajor) * kMinors + minor(*terminal));
  const auto held = platform::open_at(AT_FDCWD, path.c_str(), O_PATH | O_NOFOLLOW, 0);
  const auto info = held ? platform::status_of(held->get()) : tl::unexpected(held.error());
  if (!info || !call.shared().terminals.contains(*info)) {
    return tl::unexpected(Errno{EACCES});
  }
  return call.caller().own().reopen(*held, flags);
}

}  // namespace

Result<UniqueFd> open_device(const Call& call, const Object& object, int flags) {
  const dev_t device = object.info.st_rdev;
  if (major(device) == kTtyMajor && minor(device) == kTtyMinor) {
    return open_own_terminal(call, object, flags);
  }
  auto fd = call.caller().own().reopen(object.fd, flags);
  if (fd && major(device) == kTtyMajor && minor(device) == kPtmxMinor) {
    unsigned number = 0;
    if (::ioctl(fd->get(), TIOCGPTN, &number) != 0) {
      return tl::unexpected(Errno{errno});
    }
    auto other_end = platform::open_at(AT_FDCWD, ("/dev/pts/" + std::to_string(number)).c_str(),
                                       O_PATH | O_NOFOLLOW, 0);
    const auto held = other_end ? call.shared().terminals.hold(std::move(*other_end))
                                : tl::unexpected(other_end.error());
    if (!held) {
      return tl::unexpected(held.error());
    }
  }
  return fd;
}

}  // namespace pmg::adapters::broker
