/// What the comparison asks a probe, and how it is written on the pipe.
///
///   Command + text of the first path + NUL + text of the second path + NUL   →   one int32_t
///
/// The answer is 0 or an errno. It is the same program that runs inside the sandbox and, as the
/// reference for what the plain kernel says, outside. Plain structures only: the probe is static
/// and small, so that its own start asks for nothing.
#pragma once

#include <cstdint>

namespace pmg::model {

enum class Op : std::uint8_t {
  open_read,
  open_write,
  open_read_write,
  open_truncate,
  open_create,
  open_exclusive,
  open_nofollow,
  open_directory,
  open_temporary,      ///< O_TMPFILE
  open_path,           ///< O_PATH
  open_read_truncate,  ///< O_RDONLY | O_TRUNC
  open_create_both,    ///< O_RDWR | O_CREAT
  open_beneath,        ///< openat2(2), RESOLVE_BENEATH
  open_no_links,       ///< openat2(2), RESOLVE_NO_SYMLINKS
  reopen_write,        ///< opened for reading, then as /proc/self/fd/N for writing
  create,              ///< creat(2): create or truncate
  make_directory,
  make_fifo,
  make_file,  ///< mknod(2) of a regular file
  make_symlink,
  bind,
  connect,
  unlink,
  remove_directory,
  chmod,
  chmod_held,  ///< opened for reading, then fchmod(2)
  chown,
  chown_link,  ///< lchown(2)
  set_times,
  set_times_link,  ///< AT_SYMLINK_NOFOLLOW
  set_attribute,
  truncate,
  execute,
  rename,
  rename_no_replace,
  exchange,
  link,
  link_followed,  ///< AT_SYMLINK_FOLLOW
  // Not under test: they set the scene.
  change_directory,
  hold,  ///< opens the path (O_PATH) under descriptor kFirstHeld + base2
  ask_process,
};
inline constexpr unsigned kTestedOps = static_cast<unsigned>(Op::change_directory);

/// Which of the calls that do the same is used.
enum class Form : std::uint8_t {
  at,     ///< openat(2), mkdirat(2), …
  plain,  ///< open(2), mkdir(2), …: from the working directory only
};

inline constexpr int kCommands = 3;    ///< descriptor from which a probe reads commands
inline constexpr int kAnswers = 4;     ///< … and to which it writes answers
inline constexpr int kReopened = 99;   ///< of reopen_write
inline constexpr int kFirstHeld = 10;  ///< descriptors that paths start at
inline constexpr int kFromCwd = -1;    ///< for Command::base

struct Command {
  std::uint16_t size;  ///< of all, in bytes
  Op op;
  Form form;
  std::int16_t base;     ///< index of a held descriptor, or kFromCwd
  std::int16_t base2;    ///< the same for the second path
  std::uint16_t second;  ///< where the second text starts, from the start of the command
};

inline constexpr int kMagicTime = 1000000;    ///< what set_times sets, seconds
inline constexpr unsigned kMagicMode = 0711;  ///< what chmod sets
inline constexpr const char* kAttribute = "user.pmg";
inline constexpr int kProgramExit = 42;  ///< how the programs of the tree end
/// execve(2) succeeded and something else than the program of the tree ran.
inline constexpr int kOtherProgram = 4095;

}  // namespace pmg::model
