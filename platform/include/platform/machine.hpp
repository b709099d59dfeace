/// What this machine's kernel gives, found out by trying it.
///
///   const Supervision supervision = probe_supervision();
///   if (supervision.add_descriptor.state == Trial::State::works) …
///
/// Whatever is tried is tried in a child that ends at once, so nothing stays. Not for: meaning;
/// what pmg needs of this, and what to do about it, is said by the app.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/os_error.hpp"

namespace pmg::platform {

struct Trial {
  enum class State : std::uint8_t {
    not_tried,  ///< something before it failed
    works,
    fails,
  };
  State state = State::not_tried;
  int error = 0;  ///< errno where it fails

  [[nodiscard]] bool works() const noexcept { return state == State::works; }
  [[nodiscard]] bool fails() const noexcept { return state == State::fails; }
};

/// What a broker does with a call of its descendant, done once.
struct Supervision {
  Trial filter;          ///< a seccomp filter, without a listener
  Trial listener;        ///< one with a listener and WAIT_KILLABLE_RECV (Linux 5.19)
  Trial receive;         ///< a call arrives
  Trial add_descriptor;  ///< its answer is a descriptor: SECCOMP_IOCTL_NOTIF_ADDFD, sent at once
                         ///< (5.14)
  Trial vm_readv;        ///< process_vm_readv(2) of the caller
  Trial read_memory;     ///< that, or else /proc/<pid>/mem
  Trial take_socket;     ///< pidfd_getfd(2) (5.6)
};

/// EBUSY of the listener: another one is above this process.
[[nodiscard]] Supervision probe_supervision();

[[nodiscard]] Trial probe_openat2();
/// unshare(CLONE_FS), with which each thread of the broker has a umask and a directory of its own.
[[nodiscard]] Trial probe_unshare_fs();
/// /proc/<pid>/task/<tid>/children, by which background processes are found.
[[nodiscard]] Trial probe_children_file();

struct KernelRelease {
  int major = 0;  ///< 0 where the text makes no sense
  int minor = 0;
  std::string text;  ///< as uname(2) tells it
};
[[nodiscard]] KernelRelease kernel_release();

/// The first line of a small file below /proc or /sys; nothing where it cannot be read.
[[nodiscard]] std::optional<std::string> read_setting(const char* path);

}  // namespace pmg::platform
