#include "domain/proc_path.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace pmg::domain {
namespace {

using std::string_view_literals::operator""sv;

// What proc(5) shows to every user about every process, and ps(1) prints. Everything else is
// revealing, so that an entry of a later kernel starts out refused.
constexpr std::array kHarmless{
    "stat"sv,      "statm"sv,           "status"sv,   "cmdline"sv,   "comm"sv,
    "limits"sv,    "cgroup"sv,          "cpuset"sv,   "loginuid"sv,  "sessionid"sv,
    "oom_score"sv, "oom_score_adj"sv,   "sched"sv,    "schedstat"sv, "autogroup"sv,
    "wchan"sv,     "coredump_filter"sv, "children"sv, "task"sv,
};

constexpr std::array kWritable{"comm"sv, "coredump_filter"sv, "timerslack_ns"sv};

/// Splits off the part of `rest` before the first '/', which is dropped.
std::string_view take_segment(std::string_view& rest) noexcept {
  const std::size_t slash = rest.find('/');
  const std::string_view segment = rest.substr(0, slash);
  rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
  return segment;
}

/// A number too large for a process id still is one that nobody has: the largest stands for it.
std::optional<std::int32_t> parse_pid(std::string_view text) noexcept {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  std::int64_t value = 0;
  for (const char c : text) {
    value = std::min(kMax, value * 10 + (c - '0'));
  }
  return static_cast<std::int32_t>(value);
}

/// A path below /proc/<number>; task/<number> counts as the number.
struct Parts {
  std::int32_t pid;
  std::string_view entry;  ///< what follows; empty for the directory itself
};

std::optional<Parts> split(std::string_view path) noexcept {
  constexpr std::string_view kProc = "/proc/";
  if (!path.starts_with(kProc)) {
    return std::nullopt;
  }
  std::string_view rest = path.substr(kProc.size());
  const auto pid = parse_pid(take_segment(rest));
  if (!pid) {
    return std::nullopt;
  }
  std::string_view below_task = rest;
  if (take_segment(below_task) == "task") {
    if (const auto thread = parse_pid(take_segment(below_task))) {
      return Parts{*thread, below_task};
    }
  }
  return Parts{*pid, rest};
}

bool contains(std::span<const std::string_view> entries, std::string_view entry) noexcept {
  return std::ranges::find(entries, entry) != entries.end();
}

}  // namespace

std::optional<ProcPath> parse_proc_path(std::string_view path) noexcept {
  const auto parts = split(path);
  if (!parts) {
    return std::nullopt;
  }
  const bool is_directory = parts->entry.empty();
  const bool is_harmless = is_directory || contains(kHarmless, parts->entry);
  return ProcPath{parts->pid, is_harmless ? ProcEntry::harmless : ProcEntry::revealing,
                  is_directory};
}

bool is_writable_proc_entry(std::string_view path) noexcept {
  const auto parts = split(path);
  return parts && contains(kWritable, parts->entry);
}

}  // namespace pmg::domain
