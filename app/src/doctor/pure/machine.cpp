#include "doctor/pure/machine.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "doctor/pure/report.hpp"
#include "platform/landlock.hpp"
#include "platform/machine.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using platform::Trial;

constexpr const char* kDocs = "docs/ENFORCEMENT.md";

std::string words_of(int error) { return std::generic_category().message(error); }

Fix newer_kernel() {
  return {"boot Linux 5.19 or newer; on Debian:",
          "sudo apt-get install linux-image-$(dpkg --print-architecture)", kDocs};
}

Fix newer_kernel_on_ubuntu() {
  return {"on Ubuntu 22.04:", "sudo apt-get install linux-generic-hwe-22.04"};
}

Fix container_profile() {
  return {
      "in a container: give it a seccomp profile that allows seccomp, landlock_create_ruleset, "
      "landlock_add_rule, landlock_restrict_self, process_vm_readv and pidfd_getfd; the current "
      "default of Docker does, and to see whether that is it:",
      "docker run --security-opt seccomp=unconfined …", kDocs};
}

Fix container_ptrace() {
  return {"in a container: let it look into its own processes", "docker run --cap-add SYS_PTRACE …",
          kDocs};
}

bool is_before(const platform::KernelRelease& release, int major, int minor) {
  return std::tie(release.major, release.minor) < std::tie(major, minor);
}

ProbeResult judge_release(const MachineFacts& facts) {
  const platform::KernelRelease& release = facts.release;
  ProbeResult result{"kernel.release", Status::ok, "Linux " + release.text};
  if (release.major == 0) {
    return {result.name, Status::warn, "the release of the kernel makes no sense to pmg",
            "it says " + app::quoted(release.text)};
  }
  if (!is_before(release, 5, 19)) {
    return result;
  }
  // Some distributions carry newer features in old kernels: what was tried counts.
  const bool works = facts.supervision.listener.works() && facts.landlock;
  result.status = works ? Status::warn : Status::fail;
  result.summary += works ? " is older than 5.19, but has what pmg needs" : " is too old";
  result.detail = "pmg needs waits that only a kill interrupts (5.19) and Landlock (5.13)";
  if (!works) {
    result.fixes = {newer_kernel(), newer_kernel_on_ubuntu()};
  }
  return result;
}

/// What a kernel with this ABI lacks, as lines.
std::string lacking(platform::LandlockAbi abi) {
  struct Right {
    int since;
    std::string_view means;
  };
  static constexpr std::array kRights{
      Right{2,
            "moves between directories (5.19): the backstop refuses them all, which loses nothing"},
      Right{3,
            "truncation (6.2): if the broker dies, a descriptor is still all it takes to truncate"},
      Right{4, "TCP rights (6.7): not used by this build"},
      Right{5, "requests to devices (6.10): the seccomp filter alone refuses the dangerous ones"},
      Right{6,
            "scopes (6.12): the broker keeps signals and abstract sockets inside, and is seen as "
            "the sender of signals"},
  };
  std::string out;
  for (const Right& right : kRights) {
    if (abi.version < right.since) {
      out += "lacks " + std::string(right.means) + "\n";
    }
  }
  return out;
}

Fix boot_with_landlock(const std::optional<std::string>& lsm) {
  const bool is_plain = lsm && !lsm->empty() &&
                        lsm->find_first_not_of("abcdefghijklmnopqrstuvwxyz_,") == std::string::npos;
  const std::string list = is_plain ? *lsm : "lockdown,yama,integrity,apparmor,bpf";
  return {"put `landlock` into the list of security modules, and boot again; with GRUB:",
          "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&lsm=landlock," + list +
              " /' /etc/default/grub && sudo update-grub && sudo reboot",
          kDocs};
}

ProbeResult judge_landlock(const MachineFacts& facts) {
  ProbeResult result{"kernel.landlock", Status::ok};
  if (facts.landlock) {
    const platform::LandlockAbi abi = *facts.landlock;
    constexpr int kTruncate = 3;
    result.status = abi.version < kTruncate ? Status::warn : Status::ok;
    result.summary = "ABI " + std::to_string(abi.version);
    result.detail = lacking(abi);
    if (!abi.scopes_signals()) {
      result.summary += "; signals and abstract sockets are kept inside by the broker";
    }
    if (result.status == Status::warn) {
      result.fixes = {
          {"a newer kernel has more rights; on Debian:", newer_kernel().command, kDocs}};
    }
    return result;
  }
  const int error = facts.landlock.error().error;
  result.status = Status::fail;
  result.detail = "landlock_create_ruleset: " + words_of(error);
  if (error == EOPNOTSUPP) {
    result.summary = "Landlock is switched off at boot";
    result.fixes = {boot_with_landlock(facts.lsm)};
  } else if (error == ENOSYS && is_before(facts.release, 5, 13)) {
    result.summary = "this kernel has no Landlock";
    result.fixes = {newer_kernel(), newer_kernel_on_ubuntu()};
  } else {
    result.summary = "Landlock is refused by a filter, or this kernel was built without it";
    result.fixes = {container_profile(), newer_kernel()};
  }
  return result;
}

ProbeResult inside(std::string name) {
  return {std::move(name), Status::skipped, "cannot be tried inside a sandbox"};
}

/// The first of the steps that failed; empty where all work.
struct Step {
  std::string_view what;
  Trial trial;
};
template <std::size_t N>
std::optional<Step> first_failure(const std::array<Step, N>& steps) {
  const auto* found =
      std::ranges::find_if(steps, [](const Step& step) { return step.trial.fails(); });
  return found == steps.end() ? std::nullopt : std::optional(*found);
}

ProbeResult judge_notify(const MachineFacts& facts) {
  const platform::Supervision& tried = facts.supervision;
  const Trial asked = facts.notify ? Trial{Trial::State::works, 0}
                                   : Trial{Trial::State::fails, facts.notify.error().error};
  const auto failure = first_failure(std::array{
      Step{"installing a seccomp filter", tried.filter},
      Step{"asking for user notification", asked},
      Step{"a listener whose waits only a kill interrupts", tried.listener},
      Step{"receiving a call", tried.receive},
      Step{"answering it with a descriptor", tried.add_descriptor},
  });
  ProbeResult result{"kernel.notify", Status::ok,
                     "calls are received, waits are killable, answers are descriptors"};
  if (!failure) {
    return result;
  }
  result.status = Status::fail;
  result.summary = "seccomp user notification does not work";
  result.detail = std::string(failure->what) + ": " + words_of(failure->trial.error);
  // EINVAL: the kernel does not know the flag.
  const bool is_old = is_before(facts.release, 5, 19) || failure->trial.error == EINVAL;
  result.fixes = is_old ? std::vector{newer_kernel(), newer_kernel_on_ubuntu()}
                        : std::vector{container_profile()};
  return result;
}

ProbeResult judge_memory(const MachineFacts& facts) {
  const platform::Supervision& tried = facts.supervision;
  ProbeResult result{"kernel.memory", Status::ok, "the memory of a child can be read"};
  if (tried.read_memory.state == Trial::State::not_tried) {
    return {result.name, Status::skipped, "needs a call that was received"};
  }
  const std::string scope =
      facts.ptrace_scope ? "kernel.yama.ptrace_scope is " + *facts.ptrace_scope : "Yama is not on";
  if (tried.read_memory.fails()) {
    result.status = Status::fail;
    result.summary = "the memory of a child cannot be read";
    result.detail = words_of(tried.read_memory.error) + "\n" + scope;
    if (facts.ptrace_scope && *facts.ptrace_scope > "1") {
      result.fixes.push_back(
          {"let a process look into its children (a value of 3 lasts until the "
           "next boot):",
           "sudo sysctl kernel.yama.ptrace_scope=1", kDocs});
    }
    result.fixes.push_back(container_ptrace());
  } else if (tried.vm_readv.fails()) {
    result.status = Status::warn;
    result.summary = "the memory of a child can be read, but only through /proc";
    result.detail = "process_vm_readv: " + words_of(tried.vm_readv.error) + "\n" + scope +
                    "\neach call costs some microseconds more";
    result.fixes = {container_ptrace()};
  }
  return result;
}

ProbeResult judge_sockets(const MachineFacts& facts) {
  const Trial& trial = facts.supervision.take_socket;
  if (trial.state == Trial::State::not_tried) {
    return {"kernel.sockets", Status::skipped, "needs a call that was received"};
  }
  if (trial.works()) {
    return {"kernel.sockets", Status::ok, "a socket of a child can be used on its behalf"};
  }
  return {"kernel.sockets",
          Status::fail,
          "programs inside can neither connect nor bind",
          "pidfd_getfd: " + words_of(trial.error),
          {container_ptrace(), container_profile()}};
}

ProbeResult judge_openat2(const MachineFacts& facts) {
  if (facts.openat2.works()) {
    return {"kernel.openat2", Status::ok, "works"};
  }
  return {"kernel.openat2",
          Status::fail,
          "openat2 is missing or refused",
          "openat2: " + words_of(facts.openat2.error),
          {newer_kernel(), container_profile()}};
}

ProbeResult judge_threads(const MachineFacts& facts) {
  if (facts.unshare_fs.works()) {
    return {"kernel.threads", Status::ok, "several threads serve one tree"};
  }
  return {"kernel.threads",
          Status::warn,
          "one thread serves a whole tree, which is slower",
          "unshare(CLONE_FS): " + words_of(facts.unshare_fs.error) +
              "\nthe broker's threads would share their umask and working directory",
          {{"in a container: allow unshare, for instance with", "docker run --cap-add SYS_ADMIN …",
            kDocs}}};
}

ProbeResult judge_children(const MachineFacts& facts) {
  if (facts.children.works()) {
    return {"kernel.children", Status::ok, "background processes end with a run"};
  }
  return {"kernel.children",
          Status::warn,
          "background processes may outlive a run; they stay confined",
          "/proc/<pid>/task/<tid>/children: " + words_of(facts.children.error),
          {{"boot a kernel with CONFIG_PROC_CHILDREN; that of Debian has it:",
            newer_kernel().command, kDocs}}};
}

ProbeResult judge_nesting(const MachineFacts& facts) {
  switch (facts.nesting) {
    case Nesting::none:
      return {"nesting", Status::ok, "no other supervisor of system calls is above"};
    case Nesting::inside_pmg:
      return {"nesting", Status::skipped, "this runs inside a sandbox of pmg, which is no fault",
              "the kernel allows one supervisor, so nothing more can be tried from here; "
              "run it outside to test the machine"};
    case Nesting::other:
      return {"nesting",
              Status::fail,
              "another seccomp supervisor is above, and the kernel allows one",
              "a container runtime or another sandbox answers system calls of this process",
              {{"start pmg outside of it; this tells who started this shell:",
                "ps -o pid,ppid,comm -p $PPID", kDocs}}};
  }
  return {"nesting", Status::fail};
}

ProbeResult judge_apparmor(const MachineFacts& facts) {
  const std::string restriction = !facts.apparmor_userns ? "there is no such setting here"
                                  : *facts.apparmor_userns == "0"
                                      ? "user namespaces are not restricted"
                                      : "user namespaces are restricted, as on Ubuntu 24.04";
  return {"linux.apparmor.userns", Status::skipped, "not needed: pmg makes no user namespaces",
          restriction + "; nothing has to be changed for pmg"};
}

}  // namespace

std::vector<ProbeResult> judge(const MachineFacts& facts) {
  const bool is_inside = facts.nesting == Nesting::inside_pmg;
  const bool is_supervised = facts.nesting != Nesting::none;
  const auto unless = [&facts](bool skip, std::string_view name,
                               ProbeResult (*judge_it)(const MachineFacts&)) {
    return skip ? inside(std::string(name)) : judge_it(facts);
  };
  return {judge_nesting(facts),
          unless(is_inside, "kernel.release", judge_release),
          judge_landlock(facts),
          unless(is_supervised, "kernel.notify", judge_notify),
          unless(is_supervised, "kernel.memory", judge_memory),
          unless(is_supervised, "kernel.sockets", judge_sockets),
          unless(is_inside, "kernel.openat2", judge_openat2),
          unless(is_inside, "kernel.threads", judge_threads),
          unless(is_inside, "kernel.children", judge_children),
          judge_apparmor(facts)};
}

}  // namespace pmg::app
