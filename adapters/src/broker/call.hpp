/// One trapped call in the hands of a broker thread: reading its arguments, judging, answering.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "broker/caller.hpp"
#include "broker/resolve.hpp"
#include "broker/shared.hpp"
#include "domain/operation.hpp"
#include "domain/operation_kind.hpp"
#include "platform/syscalls.hpp"

namespace pmg::adapters::broker {

/// The call returns this value.
struct Value {
  std::int64_t value;
};
/// The call fails.
struct Fail {
  platform::Errno error;
};
/// The call returns a new descriptor.
struct GiveDescriptor {
  platform::UniqueFd fd;
  platform::CloseOnExec close_on_exec;
  /// When ours is closed, as seen from the caller.
  enum class Release : std::uint8_t {
    after,   ///< just after it goes on; what of the tree would notice waits (HeldDescriptors)
    before,  ///< before it goes on, which costs one more round trip. For what can write: a second
             ///< holder would make an execve fail (ETXTBSY) or keep a lock; for FIFOs and devices:
             ///< it would keep the other end from seeing that this one was closed
  } release;
  /// Whether the content goes before the caller gets the descriptor, but not where it has no room
  /// for one; only with Release::before.
  enum class Truncate : std::uint8_t { no, if_there_is_room } truncate = Truncate::no;
  /// Where a new file was made: it is removed again if the caller cannot have its descriptor.
  std::optional<Place> made = std::nullopt;

  /// Removes the new file.
  void undo() const;
};
/// The kernel runs the call: only execve and execveat, and calls without a path whose pointers
/// decide nothing (umask, locks, signals of a process to itself, scheduling and limits of the
/// tree's own processes, process groups, and the terminal of a session that is the tree's) (B1).
struct LetKernelRun {};
/// A thread of its own will answer.
struct AnsweredLater {};

using Reply = std::variant<Value, Fail, GiveDescriptor, LetKernelRun, AnsweredLater>;

[[nodiscard]] inline Reply fail(int error) { return Fail{platform::Errno{error}}; }
[[nodiscard]] inline Reply fail(platform::Errno error) { return Fail{error}; }
[[nodiscard]] inline Reply reply_of(const Result<void>& result) {
  return result ? Reply{Value{0}} : fail(result.error());
}

/// What an open is going to do with the content.
enum class Use : std::uint8_t { read, write, read_write };

class Call {
 public:
  Call(Shared& shared, const platform::Notification& notification, CallerCache& cache)
      : shared_(shared),
        notification_(notification),
        caller_(notification, cache, shared.own, shared.umasks) {}

  [[nodiscard]] const Caller& caller() const noexcept { return caller_; }
  [[nodiscard]] Shared& shared() const noexcept { return shared_; }
  [[nodiscard]] std::uint64_t id() const noexcept { return notification_.id; }

  /// The caller, for a thread that answers later.
  [[nodiscard]] BlockingCalls::Waiting waiting() const noexcept {
    return {shared_.listener, notification_.id, caller_.thread()};
  }

  [[nodiscard]] Result<PathRequest> request_at(std::size_t dir_index,
                                               std::size_t path_index) const {
    return broker::request_at(caller_, shared_.tree, dir_index, path_index);
  }
  [[nodiscard]] Result<PathRequest> request_cwd(std::size_t path_index) const {
    return broker::request_cwd(caller_, shared_.tree, path_index);
  }

  /// Asks the policy and reports a refusal. Also refuses when the caller is gone (ESRCH), so that
  /// nothing is done for somebody else who got its id. EACCES for a denial.
  [[nodiscard]] Result<void> judge(const domain::Operation& operation) const;

  /// As `judge`, and additionally what only the object can tell: device nodes, entries of /proc.
  [[nodiscard]] Result<void> judge_open(const Object& object, Use use) const;

  /// Judges reading a regular file or directory, known to be none of those. Does not ask whether
  /// the caller still waits.
  [[nodiscard]] Result<void> judge_plain_read(const std::string& real) const;

  /// Reports a refusal that no rule made.
  void report(domain::OperationKind operation, const Object& object, std::string_view note) const;
  void report(domain::OperationKind operation, const Place& place, std::string_view note) const;
  void report_process(domain::OperationKind operation, pid_t process) const;
  /// `name`: as in an address, with the NUL in front.
  void report_abstract(std::string_view name) const;
  void report_unreadable(platform::Errno error) const;

  /// B12: a regular file gets no set-user-ID or set-group-ID bit that it does not have: who
  /// executes it outside would have the rights of our user. They are left out without an error, as
  /// chmod(2) does with those of a foreign group, so that archives unpack. The refusal is reported.
  [[nodiscard]] mode_t without_new_identity(mode_t wanted, const Object& file) const;
  [[nodiscard]] mode_t without_new_identity(mode_t wanted, const Place& new_file) const;

  /// Sets this thread's umask to the caller's.
  [[nodiscard]] Result<void> take_umask() const;

 private:
  void report(Denial denial) const;
  void report(domain::OperationKind operation, const domain::PathUse& path,
              const domain::Decision& decision) const;
  [[nodiscard]] domain::Decision decide_open(const domain::PathUse& path, Use use) const;
  [[nodiscard]] Result<void> judge_proc_entry(const Object& object, const domain::PathUse& path,
                                              Use use) const;
  [[nodiscard]] Result<void> judge_device(const Object& object) const;

  Shared& shared_;
  const platform::Notification& notification_;
  Caller caller_;
};

// One function for each kind of call. Those of several calls get the call as an argument.
[[nodiscard]] Reply handle_open(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_create(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_remove(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_rename(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_link(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_metadata(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_execute(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_memfd(const Call& call);
[[nodiscard]] Reply handle_socket(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_process_setting(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_signal(const Call& call, platform::Trapped which);
[[nodiscard]] Reply handle_group(const Call& call);
[[nodiscard]] Reply handle_foreground(const Call& call);
[[nodiscard]] Reply handle_umask(const Call& call);
[[nodiscard]] Reply handle_lock(const Call& call);

}  // namespace pmg::adapters::broker
