#include "adapters/broker/broker.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "broker/confined.hpp"
#include "broker/world.hpp"
#include "domain/decisions.hpp"
#include "platform/filter.hpp"
#include "platform/landlock.hpp"
#include "platform/syscalls.hpp"

using namespace pmg;
using pmg::test::Child;
using pmg::test::Confined;
using pmg::test::World;
using Policy = pmg::tests::World;

namespace {

constexpr uid_t kNobody = 65534;

// 0, or the errno of a raw call: no C library in between that has an opinion on the arguments.
template <class... Arguments>
int outcome(long number, Arguments... arguments) {
  return ::syscall(number, arguments...) < 0 ? errno : 0;
}

// Runs `work` under a broker; the tree has no rights of its own beyond what `restrict` leaves.
int under_broker(Policy& policy, const std::function<void()>& restrict_tree,
                 const std::function<int()>& work,
                 platform::Signals signals = platform::Signals::scoped) {
  const adapters::RunOptions options;
  const adapters::FileRules rules(policy.compiled());
  auto prepared = adapters::Broker::prepare(rules, options, {});
  REQUIRE(prepared.has_value());
  adapters::Broker broker = std::move(*prepared);
  Confined tree(platform::filter_program(signals), work, restrict_tree);
  REQUIRE(broker.start(tree.take_listener()).has_value());
  const int code = tree.child().exit_code();
  broker.stop();
  return code;
}

// Neither Landlock nor, where there is another user to become, ownership lets this process do
// anything in the world: what succeeds, somebody else has done.
void give_up_everything() {
  (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const auto abi = platform::probe_landlock();
  if (!abi) {
    ::_exit(126);
  }
  const auto rules = platform::create_ruleset(*abi);
  if (!rules || platform::restrict_self(rules->get()) != 0) {
    ::_exit(126);
  }
  if (::geteuid() == 0 &&
      (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
    ::_exit(126);
  }
}

struct Step {
  const char* name;
  std::function<int()> run;
};

// The exit code is the number of the first step that fails, counted from 1.
int first_failure(const std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].run() != 0) {
      return static_cast<int>(i) + 1;
    }
  }
  return 0;
}

sockaddr_un address(const char* path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  (void)std::string(path).copy(&name.sun_path[0], sizeof(name.sun_path) - 1);
  return name;
}

// One of each kind of call, in the working directory.
std::vector<Step> path_calls() {
  return {
      {"open", [] { return outcome(SYS_open, "f", O_CREAT | O_WRONLY, 0600); }},
      {"openat", [] { return outcome(SYS_openat, AT_FDCWD, "f", O_RDWR); }},
      {"openat2",
       [] {
         open_how how{};
         how.flags = O_RDONLY;
         return outcome(SYS_openat2, AT_FDCWD, "f", &how, sizeof(how));
       }},
      {"creat", [] { return outcome(SYS_creat, "g", 0600); }},
      {"mkdir", [] { return outcome(SYS_mkdir, "d", 0700); }},
      {"mkdirat", [] { return outcome(SYS_mkdirat, AT_FDCWD, "d/e", 0700); }},
      {"mknod", [] { return outcome(SYS_mknod, "p", S_IFIFO | 0600, 0); }},
      {"mknodat", [] { return outcome(SYS_mknodat, AT_FDCWD, "q", S_IFREG | 0600, 0); }},
      {"symlink", [] { return outcome(SYS_symlink, "f", "s"); }},
      {"symlinkat", [] { return outcome(SYS_symlinkat, "f", AT_FDCWD, "t"); }},
      {"link", [] { return outcome(SYS_link, "f", "h"); }},
      {"linkat", [] { return outcome(SYS_linkat, AT_FDCWD, "f", AT_FDCWD, "i", 0); }},
      {"rename", [] { return outcome(SYS_rename, "h", "j"); }},
      {"renameat", [] { return outcome(SYS_renameat, AT_FDCWD, "j", AT_FDCWD, "d/j"); }},
      {"renameat2", [] { return outcome(SYS_renameat2, AT_FDCWD, "d/j", AT_FDCWD, "k", 0); }},
      {"unlink", [] { return outcome(SYS_unlink, "k"); }},
      {"unlinkat", [] { return outcome(SYS_unlinkat, AT_FDCWD, "i", 0); }},
      {"rmdir", [] { return outcome(SYS_rmdir, "d/e"); }},
      {"truncate", [] { return outcome(SYS_truncate, "f", 10); }},
      {"chmod", [] { return outcome(SYS_chmod, "f", 0640); }},
      {"fchmodat", [] { return outcome(SYS_fchmodat, AT_FDCWD, "f", 0600); }},
      {"utimensat", [] { return outcome(SYS_utimensat, AT_FDCWD, "f", nullptr, 0); }},
      {"utime", [] { return outcome(SYS_utime, "f", nullptr); }},
      {"utimes", [] { return outcome(SYS_utimes, "f", nullptr); }},
      {"futimesat", [] { return outcome(SYS_futimesat, AT_FDCWD, "f", nullptr); }},
      {"chown", [] { return outcome(SYS_chown, "f", -1, -1); }},
      {"lchown", [] { return outcome(SYS_lchown, "f", -1, -1); }},
      {"fchownat", [] { return outcome(SYS_fchownat, AT_FDCWD, "f", -1, -1, 0); }},
      {"bind and connect",
       [] {
         const auto name = address("x");
         const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
         const int client = ::socket(AF_UNIX, SOCK_STREAM, 0);
         const int bound = outcome(SYS_bind, server, &name, sizeof(name));
         return bound != 0 || ::listen(server, 1) != 0
                    ? 1
                    : outcome(SYS_connect, client, &name, sizeof(name));
       }},
  };
}

// The control: with the same rights and nobody who helps, each of them fails where it would work.
void refused_without_a_broker(const std::vector<Step>& steps) {
  const World world;
  REQUIRE(::chdir(world.root().c_str()) == 0);
  for (const Step& step : steps) {
    CAPTURE(step.name);
    Child helpless([&] {
      give_up_everything();
      return step.run() == 0 ? 1 : 0;
    });
    CHECK(helpless.exit_code() == 0);
    Child free([&] { return step.run(); });
    CHECK(free.exit_code() == 0);
  }
}

}  // namespace

TEST_CASE("B1: who may do nothing gets every call that names a path carried out") {
  const auto steps = path_calls();
  if (::geteuid() == 0) {  // else the world is the caller's own, and its metadata not Landlock's
    refused_without_a_broker(steps);
  }
  const World world;
  REQUIRE(::chdir(world.root().c_str()) == 0);
  Policy policy;
  policy.read({world.root()}).write({world.root() + "/**"});
  const int failed = under_broker(policy, give_up_everything, [&] { return first_failure(steps); });
  CAPTURE((failed > 0 ? steps[static_cast<std::size_t>(failed) - 1].name : "none"));
  CHECK(failed == 0);
  REQUIRE(::chdir("/") == 0);
}

TEST_CASE("B1: execve and umask are run by the kernel, so Landlock is what stops a program") {
  const World world;
  Policy policy;
  policy.read({"/"}).exec({"/bin", "/usr", "/lib", "/lib64"});
  const auto execute = [] {
    const char* const arguments[] = {"true", nullptr};
    return outcome(SYS_execve, "/bin/true", static_cast<const void*>(arguments), nullptr);
  };
  CHECK(under_broker(
            policy, [] {}, execute) == 0);
  CHECK(under_broker(policy, give_up_everything, execute) == EACCES);
  CHECK(under_broker(policy, give_up_everything, [] {
          (void)::umask(027);
          return ::umask(0) == 027 ? 0 : 1;
        }) == 0);
}

namespace {

// Calls with a pointer at `index`; the arguments before it are good, those after it are zero.
struct PointerCall {
  long number;
  std::size_t index;
  const char* name;
};

constexpr std::array kPointerCalls{
    PointerCall{SYS_open, 0, "open"},
    PointerCall{SYS_openat, 1, "openat"},
    PointerCall{SYS_creat, 0, "creat"},
    PointerCall{SYS_mkdir, 0, "mkdir"},
    PointerCall{SYS_mkdirat, 1, "mkdirat"},
    PointerCall{SYS_mknod, 0, "mknod"},
    PointerCall{SYS_mknodat, 1, "mknodat"},
    PointerCall{SYS_symlink, 0, "symlink"},
    PointerCall{SYS_symlinkat, 0, "symlinkat"},
    PointerCall{SYS_unlink, 0, "unlink"},
    PointerCall{SYS_unlinkat, 1, "unlinkat"},
    PointerCall{SYS_rmdir, 0, "rmdir"},
    PointerCall{SYS_rename, 0, "rename"},
    PointerCall{SYS_renameat, 1, "renameat"},
    PointerCall{SYS_renameat2, 1, "renameat2"},
    PointerCall{SYS_link, 0, "link"},
    PointerCall{SYS_linkat, 1, "linkat"},
    PointerCall{SYS_truncate, 0, "truncate"},
    PointerCall{SYS_chmod, 0, "chmod"},
    PointerCall{SYS_fchmodat, 1, "fchmodat"},
    PointerCall{SYS_chown, 0, "chown"},
    PointerCall{SYS_lchown, 0, "lchown"},
    PointerCall{SYS_fchownat, 1, "fchownat"},
    PointerCall{SYS_utime, 0, "utime"},
    PointerCall{SYS_utimes, 0, "utimes"},
    PointerCall{SYS_futimesat, 1, "futimesat"},
    PointerCall{SYS_utimensat, 1, "utimensat"},
    PointerCall{SYS_setxattr, 0, "setxattr"},
    PointerCall{SYS_lsetxattr, 0, "lsetxattr"},
    PointerCall{SYS_removexattr, 0, "removexattr"},
    PointerCall{SYS_lremovexattr, 0, "lremovexattr"},
    PointerCall{SYS_execve, 0, "execve"},
    PointerCall{SYS_execveat, 1, "execveat"},
};

int call_with(const PointerCall& call, std::uint64_t pointer) {
  std::array<std::uint64_t, 6> a{};
  if (call.index == 1) {
    a[0] = static_cast<std::uint64_t>(AT_FDCWD);
  }
  a.at(call.index) = pointer;
  return outcome(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// The errno of each call, from a process that does them under a broker.
std::vector<int> errors(Policy& policy, const std::function<void()>& restrict_tree,
                        std::uint64_t pointer) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const int code = under_broker(policy, restrict_tree, [&] {
    for (const PointerCall& call : kPointerCalls) {
      const int error = call_with(call, pointer);
      (void)::write(ends[1], &error, sizeof(error));
    }
    return 0;
  });
  CHECK(code == 0);
  std::vector<int> all(kPointerCalls.size());
  const auto size = static_cast<ssize_t>(all.size() * sizeof(int));
  CHECK(::read(ends[0], all.data(), static_cast<std::size_t>(size)) == size);
  (void)::close(ends[0]);
  (void)::close(ends[1]);
  return all;
}

void check_all(const std::vector<int>& got, int want) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(kPointerCalls.at(i).name);
    CHECK(got[i] == want);
  }
}

}  // namespace

TEST_CASE("B12: no file gets the bits by which others get its owner's rights") {
  const World world;
  REQUIRE(::chdir(world.root().c_str()) == 0);
  Policy policy;
  policy.read({world.root()}).write({world.root() + "/**"});
  CHECK(under_broker(
            policy, [] {},
            [] {
              const auto mode_of = [](const char* name) {
                struct stat info {};
                return ::stat(name, &info) == 0 ? info.st_mode & ALLPERMS : ALLPERMS;
              };
              ::umask(0);
              (void)outcome(SYS_openat, AT_FDCWD, "created", O_CREAT | O_WRONLY, 07755);
              (void)outcome(SYS_mknodat, AT_FDCWD, "made", S_IFREG | 06644, 0);
              (void)outcome(SYS_openat, AT_FDCWD, "changed", O_CREAT | O_WRONLY, 0644);
              (void)outcome(SYS_chmod, "changed", 06711);
              (void)outcome(SYS_mkdir, "directory", 0755);
              (void)outcome(SYS_chmod, "directory", 06775);
              return mode_of("created") == 01755 && mode_of("made") == 0644 &&
                             mode_of("changed") == 0711 && mode_of("directory") == 06775
                         ? 0
                         : 1;
            }) == 0);
  REQUIRE(::chdir("/") == 0);
}

TEST_CASE("B3: a path that is nowhere in the caller's memory is EFAULT") {
  Policy policy;
  policy.read({"/"}).write({"/tmp/**"}).exec({"/"});
  for (const std::uint64_t pointer : {std::uint64_t{8}, ~std::uint64_t{4095}}) {
    CAPTURE(pointer);
    check_all(errors(
                  policy, [] {}, pointer),
              EFAULT);
  }
}

TEST_CASE("B3: what cannot be read of the caller is refused, not let through") {
  // As an ordinary user, since nothing is unreadable for root. In a process of its own, which
  // becomes one and reports by its exit code.
  Child user([] {
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
      return 125;
    }
    (void)::prctl(PR_SET_DUMPABLE, 1);
    Policy policy;
    policy.read({"/"}).write({"/tmp/**"}).exec({"/"});
    const auto got = errors(
        policy, [] { (void)::prctl(PR_SET_DUMPABLE, 0); }, reinterpret_cast<std::uint64_t>("/tmp"));
    check_all(got, EACCES);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] != EACCES) {
        return static_cast<int>(i) + 1;
      }
    }
    return 0;
  });
  CHECK(user.exit_code() == 0);
}

namespace {

int opened(const char* path, int flags) {
  const int fd = ::open(path, flags | O_CLOEXEC, 0600);
  const int error = fd < 0 ? errno : 0;
  (void)::close(fd);
  return error;
}

int wrong(int got, int want) { return got == want ? 0 : 1; }

// The number of the first step that does not end as it should, in the working directory of a world
// in which `*.key` is denied, and everything else allowed but directories in `sealed`.
int first_wrong(const std::vector<Step>& steps, const World& world) {
  REQUIRE(::chdir(world.root().c_str()) == 0);
  Policy policy;
  policy.read({"/"}).write({world.root() + "/**"}).deny_read({"**/*.key"}).deny_write({"**/*.key"});
  policy.deny_write({world.root() + "/sealed/*/x"});
  const int failed = under_broker(
      policy, [] {}, [&] { return first_failure(steps); });
  REQUIRE(::chdir("/") == 0);
  return failed;
}

}  // namespace

TEST_CASE("B2: the spelling used counts where a new file gets another name or none") {
  const World world;
  std::filesystem::create_symlink("new", world.root() + "/a.key");
  std::filesystem::create_symlink("fresh", world.root() + "/allowed");
  std::filesystem::create_symlink("a", world.root() + "/d.key");
  const std::vector<Step> steps{
      {"dangling", [] { return wrong(opened("a.key", O_CREAT | O_WRONLY), EACCES); }},
      {"creat", [] { return wrong(outcome(SYS_creat, "a.key", 0600), EACCES); }},
      {"dangling, allowed", [] { return wrong(opened("allowed", O_CREAT | O_WRONLY), 0); }},
      {"unnamed", [] { return wrong(opened("d.key", O_TMPFILE | O_RDWR), EACCES); }},
      {"unnamed, allowed", [] { return wrong(opened("a", O_TMPFILE | O_RDWR), 0); }},
  };
  CHECK(first_wrong(steps, world) == 0);
  CHECK_FALSE(std::filesystem::exists(world.root() + "/new"));
  CHECK(std::filesystem::exists(world.root() + "/fresh"));
}

TEST_CASE("a file that goes where a directory may not is refused as the kernel refuses it") {
  const World world;
  for (const char* const name : {"/sealed", "/sealed/d", "/a/d"}) {
    std::filesystem::create_directory(world.root() + name);
  }
  std::ofstream(world.root() + "/sealed/f") << "text";
  std::filesystem::create_hard_link(world.root() + "/sealed/f", world.root() + "/a/same");
  std::ofstream(world.root() + "/sealed/d/f") << "text";
  const auto rename = [](const char* from, const char* to, unsigned flags) {
    return outcome(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
  };
  const std::vector<Step> steps{
      {"directory", [&] { return wrong(rename("a/d", "sealed/new", 0), EACCES); }},
      {"second name",
       [&] { return wrong(rename("a/same", "sealed/f", RENAME_NOREPLACE), EEXIST); }},
      {"slash", [&] { return wrong(rename("a/file/", "sealed/new", 0), ENOTDIR); }},
      {"slash behind the target",
       [&] { return wrong(rename("a/file", "sealed/new/", 0), ENOTDIR); }},
      {"its own directory", [&] { return wrong(rename("sealed/d/f", "sealed/d", 0), ENOTEMPTY); }},
      {"another directory", [&] { return wrong(rename("a/file", "sealed/d", 0), EISDIR); }},
      {"file", [&] { return wrong(rename("a/file", "sealed/new", 0), 0); }},
  };
  CHECK(first_wrong(steps, world) == 0);
  CHECK(std::filesystem::exists(world.root() + "/sealed/new"));
}

namespace {

// The number that the next descriptor would get.
int next_number() {
  const int fd = ::dup(0);
  (void)::close(fd);
  return fd;
}

// Whether an open that truncates fails with `error` and leaves neither a descriptor nor a change.
int fails_to_truncate(const char* path, int flags, int error) {
  const int next = next_number();
  struct stat before {};
  struct stat after {};
  (void)::stat(path, &before);
  const int fd = ::open(path, flags | O_TRUNC | O_CLOEXEC);
  const int got = fd < 0 ? errno : 0;
  (void)::stat(path, &after);
  return got == error && before.st_size > 0 && before.st_size == after.st_size &&
                 next_number() == next
             ? 0
             : 1;
}

// A file that can be opened to append and not be truncated; only root can make one.
class AppendOnly {
 public:
  explicit AppendOnly(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    int flags = FS_APPEND_FL;
    is_made_ = ::ioctl(file_.get(), FS_IOC_SETFLAGS, &flags) == 0;
  }
  AppendOnly(const AppendOnly&) = delete;
  AppendOnly& operator=(const AppendOnly&) = delete;
  ~AppendOnly() {
    int flags = 0;
    (void)::ioctl(file_.get(), FS_IOC_SETFLAGS, &flags);
  }
  [[nodiscard]] bool is_made() const { return is_made_; }

 private:
  platform::UniqueFd file_;
  bool is_made_ = false;
};

}  // namespace

TEST_CASE("an open that fails to truncate leaves no descriptor and no change behind") {
  const World world;
  std::ofstream(world.root() + "/log") << "text";
  const AppendOnly log(world.root() + "/log");
  std::vector<Step> steps{{"no room for a descriptor", [] {
                             const rlimit none{static_cast<rlim_t>(next_number()), 1024};
                             const rlimit some{1024, 1024};
                             const bool limited = ::setrlimit(RLIMIT_NOFILE, &none) == 0;
                             const int got = outcome(SYS_open, "a/file", O_WRONLY | O_TRUNC);
                             struct stat info {};
                             return limited && got == EMFILE &&
                                            ::setrlimit(RLIMIT_NOFILE, &some) == 0 &&
                                            ::stat("a/file", &info) == 0 && info.st_size == 4
                                        ? 0
                                        : 1;
                           }}};
  if (log.is_made()) {
    steps.push_back(
        {"append only", [] { return fails_to_truncate("log", O_WRONLY | O_APPEND, EPERM); }});
    steps.push_back({"as often as one likes", [] {
                       for (int round = 0; round < 100; ++round) {
                         (void)outcome(SYS_open, "log", O_WRONLY | O_APPEND | O_TRUNC);
                       }
                       return next_number() < 100 ? 0 : 1;
                     }});
  } else {
    MESSAGE("no append-only file can be made here");
  }
  steps.push_back({"where it works", [] {
                     struct stat info {};
                     return opened("a/file", O_WRONLY | O_TRUNC) != 0 ||
                            ::stat("a/file", &info) != 0 || info.st_size != 0;
                   }});
  CHECK(first_wrong(steps, world) == 0);
}

TEST_CASE("B14: names of the broker's own are not for the tree") {
  const World world;
  std::ofstream(world.root() + "/.pmg-aside-1") << "text";
  std::filesystem::create_directory(world.root() + "/.pmg-aside-2");
  const std::vector<Step> steps{
      {"make", [] { return wrong(outcome(SYS_mkdir, ".pmg-aside-3", 0700), EACCES); }},
      {"open to write", [] { return wrong(opened(".pmg-aside-4", O_CREAT | O_WRONLY), EACCES); }},
      {"remove", [] { return wrong(outcome(SYS_unlink, ".pmg-aside-1"), EACCES); }},
      {"remove a directory", [] { return wrong(outcome(SYS_rmdir, ".pmg-aside-2"), EACCES); }},
      {"move away", [] { return wrong(outcome(SYS_rename, ".pmg-aside-1", "mine"), EACCES); }},
      {"replace", [] { return wrong(outcome(SYS_rename, "a/file", ".pmg-aside-1"), EACCES); }},
      {"put in", [] { return wrong(outcome(SYS_rename, "a/file", ".pmg-aside-2/x"), EACCES); }},
      {"link", [] { return wrong(outcome(SYS_link, "a/file", ".PMG-ASIDE-5"), EACCES); }},
  };
  CHECK(first_wrong(steps, world) == 0);
}

TEST_CASE("a file that cannot be taken from its directory keeps its name, and gets no other") {
  const World world;
  REQUIRE(::chmod(world.root().c_str(), 0755) == 0);
  for (const char* const name : {"/sealed", "/locked"}) {
    std::filesystem::create_directory(world.root() + name);
    REQUIRE(::chmod((world.root() + name).c_str(), 0777) == 0);
  }
  std::ofstream(world.root() + "/locked/f") << "text";
  REQUIRE(::chmod((world.root() + "/locked").c_str(), 0555) == 0);
  // As an ordinary user, since root may write to every directory.
  Child user([&] {
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
      return 125;
    }
    (void)::prctl(PR_SET_DUMPABLE, 1);
    return first_wrong(
        {{"rename", [] { return wrong(outcome(SYS_rename, "locked/f", "sealed/new"), EACCES); }}},
        world);
  });
  CHECK(user.exit_code() == 0);
  CHECK(std::filesystem::exists(world.root() + "/locked/f"));
  CHECK(std::filesystem::is_empty(world.root() + "/sealed"));
}

TEST_CASE("an end of a FIFO that was given to a caller is held by nobody else") {
  const World world;
  REQUIRE(::mkfifo((world.root() + "/p").c_str(), 0600) == 0);
  const std::vector<Step> steps{
      {"no reader is left",
       [] {
         for (int round = 0; round < 200; ++round) {
           if (opened("p", O_RDONLY | O_NONBLOCK) != 0 ||
               opened("p", O_WRONLY | O_NONBLOCK) != ENXIO) {
             return 1;
           }
         }
         return 0;
       }},
  };
  CHECK(first_wrong(steps, world) == 0);
}

TEST_CASE("O_CREAT on a name that ends in a slash is EISDIR, whatever is there") {
  const World world;
  const std::vector<Step> steps{
      {"directory", [] { return wrong(opened("a/", O_CREAT | O_WRONLY), EISDIR); }},
      {"directory, O_EXCL",
       [] { return wrong(opened("a/", O_CREAT | O_EXCL | O_WRONLY), EISDIR); }},
      {"nothing", [] { return wrong(opened("new/", O_CREAT | O_WRONLY), EISDIR); }},
      {"no directory", [] { return wrong(opened("none/new/", O_CREAT | O_WRONLY), ENOENT); }},
  };
  CHECK(first_wrong(steps, world) == 0);
}
