#include "platform/process_group.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include "platform/files.hpp"

namespace pmg::platform {
namespace {

std::optional<pid_t> number_in(const char* name) {
  pid_t number = 0;
  const char* const end = name + std::strlen(name);
  const auto read = std::from_chars(name, end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

// A set of signals in a status file, of which bit N-1 is signal N.
std::uint64_t signals_in(std::string_view status, std::string_view field) {
  const std::string key = "\n" + std::string(field) + ":\t";
  const std::size_t at = status.find(key);
  std::uint64_t mask = 0;
  if (at != std::string_view::npos) {
    constexpr int kHex = 16;
    (void)std::from_chars(status.data() + at + key.size(), status.data() + status.size(), mask,
                          kHex);
  }
  return mask;
}

}  // namespace

tl::expected<std::vector<pid_t>, Errno> members_of_group(pid_t group) {
  std::vector<pid_t> members;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), &::closedir);
  if (!proc) {
    return tl::unexpected(Errno{errno});
  }
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(proc.get());
    if (entry == nullptr && errno != 0) {
      return tl::unexpected(Errno{errno});
    }
    if (entry == nullptr) {
      break;
    }
    const auto process = number_in(&entry->d_name[0]);
    if (process && ::getpgid(*process) == group) {
      members.push_back(*process);
    }
  }
  // With hidepid (proc(5)) the members may be there and not be listed.
  if (members.empty() && (::kill(-group, 0) == 0 || errno != ESRCH)) {
    return tl::unexpected(Errno{EACCES});
  }
  return members;
}

bool holds_back(pid_t thread, int signal) {
  const auto status = read_whole("/proc/" + std::to_string(thread) + "/status");
  if (!status) {
    return false;
  }
  const std::uint64_t held = signals_in(*status, "SigBlk") | signals_in(*status, "SigIgn");
  return (held >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

}  // namespace pmg::platform
