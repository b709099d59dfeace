/// What a canonical path below /proc gives away, by name alone (proc(5)). Q1: what is not known to
/// be harmless is revealing.
///
/// Per-process entries are judged here rather than by rules, because the broker opens them with its
/// own rights: `/proc/<pid>/environ` of a process outside the sandbox must be refused whatever the
/// policy reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmg::domain {

enum class ProcEntry : std::uint8_t {
  harmless,  ///< what ps(1) shows of any process: stat, status, cmdline, comm …, and the directory
  revealing,  ///< memory, environment, descriptors, root, cwd and everything not known harmless
};

struct ProcPath {
  std::int32_t pid;  ///< the process (or the thread after task/)
  ProcEntry entry;
  bool is_process_directory;  ///< exactly /proc/<pid> or /proc/<pid>/task/<tid>
};

/// Empty where the path is not below /proc/<number>.
[[nodiscard]] std::optional<ProcPath> parse_proc_path(std::string_view path) noexcept;

/// Q2: entries of its own that a process may write without a rule: comm, coredump_filter,
/// timerslack_ns (and below task/<tid>/).
[[nodiscard]] bool is_writable_proc_entry(std::string_view path) noexcept;

}  // namespace pmg::domain
