#include "domain/proc_path.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

using namespace pmg::domain;

TEST_CASE("Q1: what is below /proc/<number>, whose it is and what it gives away") {
  using enum ProcEntry;
  struct {
    std::string_view path;
    std::int32_t pid;
    ProcEntry entry;
    bool is_directory;
    const char* why;
  } const table[] = {
      {"/proc/1", 1, harmless, true, "the directory itself"},
      {"/proc/4194304", 4194304, harmless, true, "the largest id"},
      {"/proc/12/stat", 12, harmless, false, "ps"},
      {"/proc/12/status", 12, harmless, false, "ps"},
      {"/proc/12/statm", 12, harmless, false, "ps"},
      {"/proc/12/cmdline", 12, harmless, false, "ps"},
      {"/proc/12/comm", 12, harmless, false, "ps"},
      {"/proc/12/task", 12, harmless, false, "the list of threads"},
      {"/proc/12/task/13", 13, harmless, true, "the thread's directory"},
      {"/proc/12/task/13/stat", 13, harmless, false, "ps -L"},
      {"/proc/12/task/13/environ", 13, revealing, false, "as in the process"},
      {"/proc/12/task/x", 12, revealing, false, "not a thread"},
      {"/proc/12/task/13/task/14/mem", 13, revealing, false, "only one level of task"},
      {"/proc/12/environ", 12, revealing, false, "values of variables"},
      {"/proc/12/mem", 12, revealing, false, "memory"},
      {"/proc/12/maps", 12, revealing, false, "addresses"},
      {"/proc/12/auxv", 12, revealing, false, "addresses"},
      {"/proc/12/io", 12, revealing, false, "needs ptrace in the kernel too"},
      {"/proc/12/fd", 12, revealing, false, "descriptors"},
      {"/proc/12/fd/3", 12, revealing, false, "a descriptor"},
      {"/proc/12/fdinfo/3", 12, revealing, false, "a descriptor"},
      {"/proc/12/map_files/1-2", 12, revealing, false, "a file"},
      {"/proc/12/root", 12, revealing, false, "the whole file system"},
      {"/proc/12/root/proc/1/stat", 12, revealing, false, "below root"},
      {"/proc/12/cwd", 12, revealing, false, "its directory"},
      {"/proc/12/exe", 12, revealing, false, "its program"},
      {"/proc/12/ns/net", 12, revealing, false, "a namespace"},
      {"/proc/12/attr/current", 12, revealing, false, "not known harmless"},
      {"/proc/12/stat2", 12, revealing, false, "names are whole"},
      {"/proc/12/stat/x", 12, revealing, false, "nothing is below a file"},
      {"/proc/12/from_the_future", 12, revealing, false, "unknown is revealing"},
      {"/proc/12//stat", 12, revealing, false, "not canonical"},
      {"/proc/99999999999999999999/mem", 2147483647, revealing, false,
       "no such process, still refused"},
      {"/proc/0/mem", 0, revealing, false, "no such process, still refused"},
  };
  for (const auto& row : table) {
    CAPTURE(row.path);
    CAPTURE(row.why);
    const auto parsed = parse_proc_path(row.path);
    REQUIRE(parsed.has_value());
    CHECK(parsed->pid == row.pid);
    CHECK(parsed->entry == row.entry);
    CHECK(parsed->is_process_directory == row.is_directory);
  }
}

TEST_CASE("Q1: every other path is left to the rules") {
  for (const std::string_view path :
       {"", "/", "/proc", "/proc/", "/proc/self/mem", "/proc/thread-self", "/proc/cpuinfo",
        "/proc/sys/kernel", "/proc/1x", "/proc/-1", "/proc/+1", "/proc/ 1", "/procx/1/mem",
        "/x/proc/1/mem", "proc/1/mem", "//proc/1/mem"}) {
    CAPTURE(path);
    CHECK_FALSE(parse_proc_path(path).has_value());
    CHECK_FALSE(is_writable_proc_entry(path));
  }
  CHECK(parse_proc_path(std::string_view("/proc/1/stat\0", 13))->entry == ProcEntry::revealing);
}

TEST_CASE("Q2: the few entries of its own that a process writes without a rule") {
  struct {
    std::string_view path;
    bool writable;
    const char* why;
  } const table[] = {
      {"/proc/12/comm", true, "its name"},
      {"/proc/12/coredump_filter", true, "its own core dumps"},
      {"/proc/12/timerslack_ns", true, "its own timers"},
      {"/proc/12/task/13/comm", true, "a thread's name"},
      {"/proc/12/oom_score_adj", false, "may outlive the run's own limits"},
      {"/proc/12/mem", false, "memory"},
      {"/proc/12/uid_map", false, "namespaces"},
      {"/proc/12/attr/exec", false, "security labels"},
      {"/proc/12/clear_refs", false, "not listed"},
      {"/proc/12/comm/x", false, "nothing is below a file"},
      {"/proc/12/task/comm", false, "not a thread"},
      {"/proc/12/fd/1", false, "a descriptor"},
      {"/proc/12", false, "the directory"},
      {"/proc/sys/kernel/core_pattern", false, "the machine's"},
      {"/proc/sysrq-trigger", false, "the machine's"},
  };
  for (const auto& row : table) {
    CAPTURE(row.path);
    CAPTURE(row.why);
    CHECK(is_writable_proc_entry(row.path) == row.writable);
  }
}
