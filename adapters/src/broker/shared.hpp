/// What all broker threads of one run share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <sys/types.h>

#include "adapters/file_rules.hpp"
#include "adapters/run.hpp"
#include "broker/blocking.hpp"
#include "broker/budget.hpp"
#include "broker/shared_set.hpp"
#include "broker/tree.hpp"
#include "broker/umask_changes.hpp"
#include "platform/files.hpp"
#include "platform/notify.hpp"

namespace pmg::adapters::broker {

/// Descriptors that a broker thread still holds after their caller has gone on.
///
/// execve fails with ETXTBSY while anybody holds its file open for writing, and a lock of an open
/// file (flock(2), F_OFD_SETLK) lasts until its last holder closes it. So these calls wait for the
/// holders of that moment: each closes within microseconds.
class HeldDescriptors {
 public:
  /// One broker thread's part; used by that thread alone, watched by the others.
  class Slot {
   public:
    void begin() noexcept { turns_.fetch_add(1, std::memory_order_acq_rel); }
    void end() noexcept { turns_.fetch_add(1, std::memory_order_acq_rel); }
    /// Returns when what is held now is held no longer. Bounded: after a second it gives up, and
    /// the worst is an ETXTBSY.
    void wait() const noexcept;

   private:
    std::atomic<std::uint64_t> turns_{0};  // odd while something is held
  };

  [[nodiscard]] Slot& slot(std::size_t thread) noexcept { return slots_.at(thread); }
  void wait_for_all() const noexcept;

  static constexpr std::size_t kThreads = 8;

 private:
  std::array<Slot, kThreads> slots_;
};

/// Objects of the file system that belong to the tree. Each is held open, so its inode number
/// cannot come to mean somebody else's object; one that has lost its last name is let go.
class HeldObjects {
 public:
  explicit HeldObjects(std::size_t limit) : limit_(limit) {}
  /// ENFILE when the tree has too many of them; `fd` is O_PATH.
  [[nodiscard]] tl::expected<void, platform::Errno> hold(platform::UniqueFd fd);
  /// Whether one more may be held.
  [[nodiscard]] bool has_room();
  /// Whether `info` is one of them, and still has a name.
  [[nodiscard]] bool contains(const struct stat& info) const;

 private:
  using Id = std::pair<dev_t, ino_t>;
  void sweep();
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::map<Id, platform::UniqueFd> held_;
  std::size_t sweep_at_ = 0;  // how many to have before looking again for those without a name
};

struct Shared {
  Shared(const FileRules& file_rules, const RunOptions& run_options, platform::Listener calls,
         platform::OwnDescriptors descriptors, const Budget& room)
      : rules(file_rules),
        options(run_options),
        listener(std::move(calls)),
        own(std::move(descriptors)),
        budget(room),
        tree(ProcessTree::of_this_process()),
        terminals(room.held_objects),
        loaders(room.held_objects),
        bound_sockets(room.held_objects),
        blocking(room.blocking_calls) {}

  const FileRules& rules;
  const RunOptions& options;
  platform::Listener listener;
  platform::OwnDescriptors own;
  Budget budget;
  ProcessTree tree;
  UmaskChanges umasks;
  /// Terminals that the tree may open: its own standard streams and those it created.
  HeldObjects terminals;
  /// The loaders that the kernel may start along with a program.
  HeldObjects loaders;
  /// Unix sockets bound inside: path sockets by object, abstract ones by name.
  HeldObjects bound_sockets;
  SharedSet<std::string> abstract_sockets;
  /// The text that a socket (by its inode on sockfs) was bound to, for getsockname.
  SharedMap<ino_t, std::string> socket_names;
  /// Held from looking at what a name means until the call that relies on it is done: renaming,
  /// linking, binding. Those are the calls by which the tree puts one object in another's place.
  std::mutex names;
  HeldDescriptors held_descriptors;
  BlockingCalls blocking;
};

}  // namespace pmg::adapters::broker
