// execve and execveat: the one place where the kernel reads the arguments again (B1). The broker
// judges exactly; Landlock holds what a swapped path could reach to the directories that the policy
// lets execute, and memfd_create never makes an executable file.

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "broker/call.hpp"
#include "platform/files.hpp"
#include "run/loader.hpp"

namespace pmg::adapters::broker {
namespace {

using domain::Execute;
using domain::PathUse;
using domain::PathView;
using platform::CloseOnExec;
using platform::Errno;
using platform::Trapped;
using platform::UniqueFd;

constexpr int kMaxInterpreters = 5;         // BINPRM recursion limit of the kernel
constexpr std::size_t kScriptHeader = 256;  // BINPRM_BUF_SIZE

// Linux 6.3; newer than Debian 12's header.
constexpr unsigned kMfdNoexecSeal = 0x0008U;
constexpr unsigned kMfdExec = 0x0010U;

// The path after "#!", or empty for anything but a script (binfmt_script).
Result<std::string> interpreter_of(const UniqueFd& file) {
  std::array<char, kScriptHeader> text{};
  const ssize_t length = ::pread(file.get(), text.data(), text.size(), 0);
  if (length < 0) {
    return tl::unexpected(Errno{errno});
  }
  std::string_view line(text.data(), static_cast<std::size_t>(length));
  if (!line.starts_with("#!")) {
    return std::string{};
  }
  line.remove_prefix(2);
  const bool ends = line.find('\n') != std::string_view::npos;
  line = line.substr(0, line.find('\n'));
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    return std::string{};
  }
  line.remove_prefix(begin);
  const std::size_t end = line.find_first_of(std::string_view(" \t\0", 3));
  if (end == std::string_view::npos && !ends && length == static_cast<ssize_t>(text.size())) {
    return std::string{};  // cut off: the kernel takes it for no script, either
  }
  return std::string(line.substr(0, end));
}

Result<void> judge_program(const Call& call, const Object& object) {
  if (!S_ISREG(object.info.st_mode)) {
    return tl::unexpected(Errno{EACCES});
  }
  if (object.info.st_nlink == 0) {
    call.report(domain::OperationKind::execute, object, "has no name in the file system");
    return tl::unexpected(Errno{EACCES});
  }
  return call.judge(
      Execute{PathUse(PathView::unsafe_from(object.real), PathView::unsafe_from(object.spelled))});
}

// A file that a program names, as the kernel finds it for the caller.
Result<Object> named_by_program(const Call& call, std::string path) {
  auto base = call.caller().base_of(AT_FDCWD, path);
  if (!base) {
    return tl::unexpected(base.error());
  }
  const PathRequest request{call.caller(), call.shared().tree, std::move(*base), std::move(path)};
  return resolve_object(request, Follow::yes);
}

// Those of the granted programs need no rule of their own (plan_loaders).
Result<void> judge_loader(const Call& call, std::string name) {
  const auto loader = named_by_program(call, std::move(name));
  if (!loader) {
    return tl::unexpected(loader.error());
  }
  const PathUse path(PathView::unsafe_from(loader->real), PathView::unsafe_from(loader->spelled));
  const auto decision = call.shared().rules.decide(Execute{path});
  return decision.reason == domain::Reason::nothing_allows &&
                 call.shared().loaders.contains(loader->info)
             ? Result<void>{}
             : judge_program(call, *loader);
}

// The loader that an ELF file names is what the kernel starts in its place.
Result<void> judge_loaders(const Call& call, const UniqueFd& program) {
  auto names = loaders_named_in(program);
  if (!names) {
    return tl::unexpected(names.error());
  }
  for (std::string& name : *names) {
    if (auto judged = judge_loader(call, std::move(name)); !judged) {
      return judged;
    }
  }
  return {};
}

// Judges a program, every interpreter that the kernel will start for a script, and the loader.
Result<void> judge_chain(const Call& call, Object object) {
  for (int depth = 0; depth <= kMaxInterpreters; ++depth) {
    if (auto judged = judge_program(call, object); !judged) {
      return judged;
    }
    const auto file = call.caller().own().reopen(object.fd, O_RDONLY);
    if (!file) {
      // Executable but not readable: the kernel cannot be told what it would run.
      return tl::unexpected(file.error());
    }
    auto interpreter = interpreter_of(*file);
    if (!interpreter) {
      return tl::unexpected(interpreter.error());
    }
    if (interpreter->empty()) {
      return judge_loaders(call, *file);
    }
    auto next = named_by_program(call, std::move(*interpreter));
    if (!next) {
      return tl::unexpected(next.error());
    }
    object = std::move(*next);
  }
  return tl::unexpected(Errno{ELOOP});
}

Result<Object> read_program(const Call& call, Trapped which) {
  if (which == Trapped::execve) {
    const auto request = call.request_cwd(0);
    if (!request) {
      return tl::unexpected(request.error());
    }
    return resolve_object(*request, Follow::yes);
  }
  const int flags = call.caller().int_argument(4);
  if ((flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) != 0) {
    return tl::unexpected(Errno{EINVAL});
  }
  const auto request = call.request_at(0, 1);
  if (!request) {
    return tl::unexpected(request.error());
  }
  if ((flags & AT_EMPTY_PATH) != 0) {
    // The path could become empty after we read it, so the descriptor's object must be allowed,
    // too, whatever the path says now.
    auto object = object_of_descriptor(call.caller(), call.caller().int_argument(0));
    if (request->path.empty()) {
      return object;
    }
    if (object) {
      if (const auto judged = judge_program(call, *object); !judged) {
        return tl::unexpected(judged.error());
      }
    }
  }
  return resolve_object(*request, (flags & AT_SYMLINK_NOFOLLOW) != 0 ? Follow::no : Follow::yes);
}

}  // namespace

Reply handle_execute(const Call& call, Trapped which) {
  auto object = read_program(call, which);
  if (!object) {
    call.report_unreadable(object.error());
    return fail(object.error());
  }
  if (S_ISLNK(object->info.st_mode)) {
    return fail(ELOOP);
  }
  if (const auto judged = judge_chain(call, std::move(*object)); !judged) {
    return fail(judged.error());
  }
  // A thread that is not the leader takes over its number, and brings a umask that may be its own.
  const auto process = call.caller().process();
  if (!process) {
    return fail(process.error());
  }
  if (*process != call.caller().thread()) {
    call.shared().umasks.never_remember(*process);
  }
  call.shared().held_descriptors.wait_for_all();
  return LetKernelRun{};
}

// memfd_create: made here, so that it can never be executed (MFD_NOEXEC_SEAL). Landlock does not
// see files that have no mount point, so nothing else would hold a memfd back.
Reply handle_memfd(const Call& call) {
  constexpr std::size_t kNameLimit = 249;
  const auto name = call.caller().read_text(0, kNameLimit);
  if (!name) {
    return fail(name.error().value == ENAMETOOLONG ? Errno{EINVAL} : name.error());
  }
  const auto flags = static_cast<unsigned>(call.caller().argument(1));
  if ((flags & kMfdExec) != 0) {
    return fail((flags & kMfdNoexecSeal) != 0 ? EINVAL : EACCES);
  }
  UniqueFd fd{static_cast<int>(
      ::syscall(SYS_memfd_create, name->c_str(), flags | kMfdNoexecSeal | MFD_CLOEXEC))};
  if (!fd && errno == EINVAL) {
    // Before Linux 6.3: without the seal, so the mode is what keeps it from being executed; the
    // broker never gives the execute bits back (metadata.cpp).
    fd =
        UniqueFd{static_cast<int>(::syscall(SYS_memfd_create, name->c_str(), flags | MFD_CLOEXEC))};
    if (fd && ::fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0) {
      return fail(errno);
    }
  }
  if (!fd) {
    return fail(errno);
  }
  // The seal against execution comes with the right to add others; the caller did not ask for it.
  if ((flags & (MFD_ALLOW_SEALING | kMfdNoexecSeal)) == 0 &&
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SEAL) != 0 && errno != EPERM) {
    return fail(errno);
  }
  return GiveDescriptor{std::move(fd),
                        (flags & MFD_CLOEXEC) != 0 ? CloseOnExec::yes : CloseOnExec::no,
                        GiveDescriptor::Release::after};
}

}  // namespace pmg::adapters::broker
