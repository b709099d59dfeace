#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "broker/call.hpp"
#include "domain/operation.hpp"
#include "domain/operation_kind.hpp"
#include "domain/proc_path.hpp"
#include "platform/files.hpp"

namespace pmg::adapters::broker {
namespace {

constexpr mode_t kIdentityBits = S_ISUID | S_ISGID;
constexpr std::string_view kIdentityNote =
    "would give its user's rights to whoever executes it; the bit is left out";

using domain::Decision;
using domain::OperationKind;
using domain::PathUse;
using domain::PathView;
using domain::Reason;
using platform::Errno;

/// The parts of an operation that a refusal tells.
struct Parts {
  PathUse path;
  std::optional<PathUse> to = std::nullopt;
  domain::NodeKind node = domain::NodeKind::regular;
};

struct PartsOf {
  template <class Op>
  Parts operator()(const Op& op) const {
    if constexpr (requires { op.to; }) {
      return {op.from, op.to, op.kind};
    } else if constexpr (requires { op.kind; }) {
      return {op.path, std::nullopt, op.kind};
    } else {
      return {op.path};
    }
  }
};

// The name that an unlinked file had: it is judged by it, so that replacing a denied file does not
// set the old content free for whoever holds a descriptor without rights (O_PATH).
std::string_view judged_name(const Object& object) {
  std::string_view name = object.real;
  if (object.info.st_nlink == 0 && name.ends_with(kDeletedSuffix)) {
    name.remove_suffix(kDeletedSuffix.size());
  }
  return name;
}

/// What an open file is and what it gives.
struct OpenFile {
  int flags;
  std::uint64_t inode;
};

// A number of /proc/<pid>/fdinfo/<n>, by the name of its line.
std::optional<std::uint64_t> field_of(std::string_view info, std::string_view name, int base) {
  const std::size_t at = info.find(name);
  std::uint64_t value = 0;
  if (at == std::string_view::npos ||
      std::from_chars(info.data() + at + name.size(), info.data() + info.size(), value, base).ec !=
          std::errc{}) {
    return std::nullopt;
  }
  return value;
}

// Both facts from one read, so they are of one open file. The kernel tells the inode since 5.14.
std::optional<OpenFile> read_fdinfo(const DescriptorName& descriptor) {
  const std::string path = "/proc/" + std::to_string(descriptor.process) + "/fdinfo/" +
                           std::to_string(descriptor.number);
  const auto file = platform::open_at(AT_FDCWD, path.c_str(), O_RDONLY, 0);
  if (!file) {
    return std::nullopt;
  }
  std::array<char, 256> text{};
  const ssize_t length = ::read(file->get(), text.data(), text.size());
  const std::string_view info(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  const auto flags = field_of(info, "flags:\t", 8);
  const auto inode = field_of(info, "ino:\t", 10);
  if (!flags || !inode) {
    return std::nullopt;
  }
  return OpenFile{static_cast<int>(*flags), *inode};
}

// The flags of a descriptor of the tree, if it is open on this very object. Another thread may have
// put another file under its number since the object was looked up, so what is asked is one open
// file: which object it is and what it gives.
std::optional<int> flags_for(const DescriptorName& descriptor, const Object& object) {
  const auto duplicate = platform::duplicate_from(descriptor.process, descriptor.number);
  if (duplicate) {
    const auto info = platform::status_of(duplicate->get());
    const bool same =
        info && info->st_dev == object.info.st_dev && info->st_ino == object.info.st_ino;
    const int flags = same ? ::fcntl(duplicate->get(), F_GETFL) : -1;
    return flags < 0 ? std::nullopt : std::optional(flags);
  }
  // Containers may refuse pidfd_getfd(2). Pipes have inode numbers of their own; those of files can
  // be the same on two file systems, so files are left to the policy there.
  const auto file = object.real.starts_with('/') ? std::nullopt : read_fdinfo(descriptor);
  return file && file->inode == object.info.st_ino ? std::optional(file->flags) : std::nullopt;
}

// The access mode that a descriptor of the tree already has to the object: O_RDONLY, O_WRONLY,
// O_RDWR; empty for O_PATH.
std::optional<int> access_of(const DescriptorName& descriptor, const Object& object) {
  const auto flags = flags_for(descriptor, object);
  return flags && (*flags & O_PATH) == 0 ? std::optional(*flags & O_ACCMODE) : std::nullopt;
}

bool gives(int access, Use use) {
  switch (use) {
    case Use::read:
      return access == O_RDONLY || access == O_RDWR;
    case Use::write:
      return access == O_WRONLY || access == O_RDWR;
    case Use::read_write:
      return access == O_RDWR;
  }
  return false;
}

OperationKind kind_of(Use use) {
  return use == Use::read ? OperationKind::read : OperationKind::write;
}

}  // namespace

bool is_only_a_name(const DescriptorName& descriptor) {
  const auto file = read_fdinfo(descriptor);
  return file && (file->flags & O_PATH) != 0;
}

void Call::report(Denial denial) const {
  if (shared_.options.on_denial) {
    denial.pid = notification_.thread;
    shared_.options.on_denial(denial);
  }
}

void Call::report(OperationKind operation, const PathUse& path, const Decision& decision) const {
  report({operation, path.real.text(), path.spelled.text(), {}, {}, {}, decision, {}, 0});
}

void Call::report(OperationKind operation, const Object& object, std::string_view note) const {
  report({operation, object.real, object.spelled, {}, {}, {}, Decision{}, note, 0});
}

void Call::report(OperationKind operation, const Place& place, std::string_view note) const {
  report({operation, place.real, place.spelled, {}, {}, {}, Decision{}, note, 0});
}

void Call::report_process(OperationKind operation, pid_t process) const {
  const std::string number = std::to_string(process);
  report({operation,
          number,
          number,
          {},
          {},
          {},
          Decision{},
          "belongs to a process outside the sandbox",
          0});
}

void Call::report_abstract(std::string_view name) const {
  const std::string text = "@" + std::string(name.substr(std::min<std::size_t>(name.size(), 1)));
  report({OperationKind::connect_unix,
          text,
          text,
          {},
          {},
          domain::NodeKind::socket,
          Decision{},
          "is an abstract socket that was not bound inside",
          0});
}

void Call::report_unreadable(Errno error) const {
  if (error.value == EPERM || error.value == EACCES) {
    report({OperationKind::read_arguments,
            {},
            {},
            {},
            {},
            {},
            Decision{},
            "process memory unreadable",
            0});
  }
}

mode_t Call::without_new_identity(mode_t wanted, const Object& file) const {
  const mode_t added = wanted & ~file.info.st_mode & kIdentityBits;
  if (added == 0 || !S_ISREG(file.info.st_mode)) {
    return wanted;
  }
  report(OperationKind::set_identity, file, kIdentityNote);
  return wanted & ~added;
}

mode_t Call::without_new_identity(mode_t wanted, const Place& new_file) const {
  if ((wanted & kIdentityBits) != 0) {
    report(OperationKind::set_identity, new_file, kIdentityNote);
  }
  return wanted & ~kIdentityBits;
}

Result<void> Call::judge(const domain::Operation& operation) const {
  const Decision decision = shared_.rules.decide(operation);
  if (!decision.allowed()) {
    const Parts parts = std::visit(PartsOf{}, operation);
    const PathUse to = parts.to.value_or(PathUse(PathView::unsafe_from({})));
    report({domain::kind_of(operation),
            parts.path.real.text(),
            parts.path.spelled.text(),
            to.real.text(),
            to.spelled.text(),
            parts.node,
            decision,
            {},
            0});
    return tl::unexpected(Errno{EACCES});
  }
  if (!shared_.listener.is_waiting(notification_.id)) {
    return tl::unexpected(Errno{ESRCH});
  }
  return {};
}

Decision Call::decide_open(const PathUse& path, Use use) const {
  Decision decision{domain::Verdict::allow, Reason::allowed_by_rule, {}};
  if (use != Use::write) {
    decision = shared_.rules.decide(domain::Read{path});
  }
  if (use != Use::read && decision.allowed()) {
    decision = shared_.rules.decide(domain::Write{path});
  }
  return decision;
}

// An entry of /proc/<pid>. The tree's own processes may be looked at without a rule; a rule that
// denies still counts. Of others only what ps(1) shows, and only where the policy reads it.
Result<void> Call::judge_proc_entry(const Object& object, const PathUse& path, Use use) const {
  const auto entry = domain::parse_proc_path(object.real);
  const bool inside = entry && shared_.tree.is_inside(entry->pid);
  Decision decision = decide_open(path, use);
  if (!inside && entry && entry->entry == domain::ProcEntry::revealing) {
    report(kind_of(use), object, "belongs to a process outside the sandbox");
    return tl::unexpected(Errno{EACCES});
  }
  if (inside && decision.reason == Reason::nothing_allows &&
      (use == Use::read || domain::is_writable_proc_entry(object.real))) {
    decision.verdict = domain::Verdict::allow;
  }
  if (!decision.allowed()) {
    report(kind_of(use), path, decision);
    return tl::unexpected(Errno{EACCES});
  }
  return {};
}

// Devices: none that holds a file system, none outside /dev, and only the tree's own terminals.
Result<void> Call::judge_device(const Object& object) const {
  const bool in_dev = object.real.starts_with("/dev/");
  if (S_ISBLK(object.info.st_mode) || !in_dev) {
    report(OperationKind::open, object, "is a device outside the allowed ones");
    return tl::unexpected(Errno{EACCES});
  }
  if (object.real.starts_with("/dev/pts/") && object.real != "/dev/pts/ptmx" &&
      !shared_.terminals.contains(object.info)) {
    report(OperationKind::open, object, "is a terminal of somebody else");
    return tl::unexpected(Errno{EACCES});
  }
  return {};
}

Result<void> Call::judge_open(const Object& object, Use use) const {
  if (!shared_.listener.is_waiting(notification_.id)) {
    return tl::unexpected(Errno{ESRCH});
  }
  // A descriptor may be opened again for what it already gives, never for more.
  if (object.via) {
    if (const auto access = access_of(*object.via, object); access && gives(*access, use)) {
      return {};
    }
  }
  const std::string_view name = judged_name(object);
  if (S_ISBLK(object.info.st_mode) || S_ISCHR(object.info.st_mode)) {
    if (auto device = judge_device(object); !device) {
      return device;
    }
  }
  const bool below_proc = name.starts_with("/proc/");
  const PathUse path(PathView::unsafe_from(name), PathView::unsafe_from(object.spelled));
  if (below_proc && domain::parse_proc_path(name)) {
    return judge_proc_entry(object, path, use);
  }
  // Only a file system without a device of its own can be a second mount of procfs.
  if (!below_proc && major(object.info.st_dev) == 0 && name != "/proc" &&
      platform::is_on_procfs(object.fd.get())) {
    report(kind_of(use), object, "is on a second procfs");
    return tl::unexpected(Errno{EACCES});
  }
  const Decision decision = decide_open(path, use);
  if (!decision.allowed()) {
    report(kind_of(use), path, decision);
    return tl::unexpected(Errno{EACCES});
  }
  return {};
}

Result<void> Call::judge_plain_read(const std::string& real) const {
  const PathUse path(PathView::unsafe_from(real));
  const Decision decision = shared_.rules.decide(domain::Read{path});
  if (!decision.allowed()) {
    report(OperationKind::read, path, decision);
    return tl::unexpected(Errno{EACCES});
  }
  return {};
}

Result<void> Call::take_umask() const {
  const auto mask = caller_.umask();
  if (!mask) {
    return tl::unexpected(mask.error());
  }
  // This thread has a file-system context of its own (unshare(CLONE_FS)), so nobody else sees it.
  (void)::umask(*mask);
  return {};
}

}  // namespace pmg::adapters::broker
