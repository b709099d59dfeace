#include "adapters/broker/broker.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "broker/call.hpp"
#include "broker/shared.hpp"
#include "platform/descriptor_room.hpp"
#include "platform/files.hpp"
#include "platform/syscalls.hpp"

namespace pmg::adapters {
namespace {

using broker::AnsweredLater;
using broker::Call;
using broker::CallerCache;
using broker::Fail;
using broker::GiveDescriptor;
using broker::LetKernelRun;
using broker::Reply;
using broker::Result;
using broker::Shared;
using broker::Value;
using platform::Listener;
using platform::Notification;
using platform::Trapped;

// Receivers that wait at the same time. One for each of two busy CPUs, one that is already waiting
// when both work, so that a call is received at once (a signal before that would interrupt it).
constexpr std::size_t kThreads = broker::Budget::kThreads;
static_assert(kThreads <= broker::HeldDescriptors::kThreads);

Reply dispatch(const Call& call, Trapped which) {
  switch (which) {
    case Trapped::open:
    case Trapped::openat:
    case Trapped::openat2:
    case Trapped::creat:
      return broker::handle_open(call, which);
    case Trapped::mkdir:
    case Trapped::mkdirat:
    case Trapped::mknod:
    case Trapped::mknodat:
    case Trapped::symlink:
    case Trapped::symlinkat:
      return broker::handle_create(call, which);
    case Trapped::unlink:
    case Trapped::unlinkat:
    case Trapped::rmdir:
      return broker::handle_remove(call, which);
    case Trapped::rename:
    case Trapped::renameat:
    case Trapped::renameat2:
      return broker::handle_rename(call, which);
    case Trapped::link:
    case Trapped::linkat:
      return broker::handle_link(call, which);
    case Trapped::truncate:
    case Trapped::chmod:
    case Trapped::fchmod:
    case Trapped::fchmodat:
    case Trapped::fchmodat2:
    case Trapped::chown:
    case Trapped::lchown:
    case Trapped::fchown:
    case Trapped::fchownat:
    case Trapped::utime:
    case Trapped::utimes:
    case Trapped::futimesat:
    case Trapped::utimensat:
    case Trapped::setxattr:
    case Trapped::lsetxattr:
    case Trapped::fsetxattr:
    case Trapped::removexattr:
    case Trapped::lremovexattr:
    case Trapped::fremovexattr:
      return broker::handle_metadata(call, which);
    case Trapped::execve:
    case Trapped::execveat:
      return broker::handle_execute(call, which);
    case Trapped::memfd_create:
      return broker::handle_memfd(call);
    case Trapped::bind:
    case Trapped::connect:
    case Trapped::getsockname:
      return broker::handle_socket(call, which);
    case Trapped::sched_setaffinity:
    case Trapped::sched_setscheduler:
    case Trapped::sched_setparam:
    case Trapped::sched_setattr:
    case Trapped::setpriority:
    case Trapped::ioprio_set:
    case Trapped::prlimit64:
      return broker::handle_process_setting(call, which);
    case Trapped::flock:
    case Trapped::fcntl:
      return broker::handle_lock(call);
    case Trapped::setpgid:
      return broker::handle_group(call);
    case Trapped::ioctl:
      return broker::handle_foreground(call);
    case Trapped::umask:
      return broker::handle_umask(call);
    case Trapped::kill:
    case Trapped::tkill:
    case Trapped::tgkill:
    case Trapped::rt_sigqueueinfo:
    case Trapped::rt_tgsigqueueinfo:
    case Trapped::pidfd_send_signal:
      return broker::handle_signal(call, which);
  }
  return broker::fail(ENOSYS);
}

// Sends a reply. Several forms, each in the way that leaves no second holder of a descriptor
// behind.
class Answer {
 public:
  Answer(const Listener& listener, broker::HeldDescriptors::Slot& held, const Notification& call)
      : listener_(listener), held_(held), call_(call) {}

  void operator()(const Value& reply) const { listener_.answer(call_.id, reply.value); }
  void operator()(const Fail& reply) const { listener_.refuse(call_.id, reply.error); }
  void operator()(const LetKernelRun& /*reply*/) const { listener_.unsafe_continue(call_.id); }
  void operator()(const AnsweredLater& /*reply*/) const {}
  void operator()(GiveDescriptor& reply) const {
    switch (reply.release) {
      case GiveDescriptor::Release::after:
        held_.begin();
        give(reply);
        reply.fd.reset();
        return held_.end();
      case GiveDescriptor::Release::before:
        return give_alone(reply);
    }
  }

 private:
  void give(const GiveDescriptor& reply) const {
    const auto sent = listener_.answer_with_fd(call_.id, reply.fd, reply.close_on_exec);
    if (!sent) {  // the caller has no room for one more, or is gone
      reply.undo();
      listener_.refuse(call_.id, sent.error());
    }
  }

  // The caller goes on as the only holder: one round trip more.
  void give_alone(GiveDescriptor& reply) const {
    const auto ready = truncate(reply);
    const auto number = ready ? listener_.inject(call_.id, reply.fd, reply.close_on_exec)
                              : tl::unexpected(ready.error());
    reply.fd.reset();
    if (number) {
      listener_.answer(call_.id, *number);
    } else {
      listener_.refuse(call_.id, number.error());
    }
  }

  // Before the caller has the descriptor: nobody could take it back from there if this fails. And
  // not where it has no room for one, as open(2) that fails for that leaves the content alone.
  [[nodiscard]] Result<void> truncate(const GiveDescriptor& reply) const {
    if (reply.truncate == GiveDescriptor::Truncate::no) {
      return {};
    }
    const auto room = platform::descriptor_room(call_.thread);
    if (!room) {
      return tl::unexpected(room.error());
    }
    return *room == platform::DescriptorRoom::left ? platform::check(::ftruncate(reply.fd.get(), 0))
                                                   : tl::unexpected(platform::Errno{EMFILE});
  }

  const Listener& listener_;
  broker::HeldDescriptors::Slot& held_;
  const Notification& call_;
};

// Whether a call failed because we, or the caller, have too many descriptors open.
bool is_short_of_descriptors(const Reply& reply) {
  const Fail* const failed = std::get_if<Fail>(&reply);
  return failed != nullptr && (failed->error.value == EMFILE || failed->error.value == ENFILE);
}

// Serves until there is nobody left.
void serve(Shared& shared, std::size_t index, const std::atomic<bool>& stopping) {
  broker::accept_interrupts();
  (void)::pthread_setname_np(::pthread_self(), "pmg-broker");
  // A umask and a working directory of this thread's own: they are set to the caller's. A container
  // may refuse that; then the first thread serves alone, and the process's are its own.
  if (::unshare(CLONE_FS) != 0 && index != 0) {
    return;
  }
  broker::HeldDescriptors::Slot& held = shared.held_descriptors.slot(index);
  CallerCache cache(shared.budget.cached_callers);
  while (!stopping) {
    const auto notification = shared.listener.receive();
    if (!notification) {
      const bool again = notification.error().value == EINTR ||
                         (notification.error().value == ENOENT && !shared.listener.is_abandoned());
      if (again) {
        continue;
      }
      return;
    }
    const Call call(shared, *notification, cache);
    const auto which = platform::trapped_call(notification->number);
    Reply reply = which ? dispatch(call, *which) : broker::fail(ENOSYS);
    if (is_short_of_descriptors(reply)) {
      cache.forget();  // what is remembered must not be what stands in the way of the next call
    }
    std::visit(Answer(shared.listener, held, *notification), reply);
  }
}

std::optional<std::size_t> count_descriptors() {
  std::size_t count = 0;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc/self/fd"), &::closedir);
  if (!directory) {
    return std::nullopt;
  }
  while (::readdir(directory.get()) != nullptr) {
    ++count;
  }
  return count;
}

// What the broker may keep open. Its own limit is the program's, which it can raise as far as the
// program could; the program has its own copy since it was started.
std::optional<broker::Budget> plan_budget() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return std::nullopt;
  }
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return std::nullopt;
  }
  const auto open = count_descriptors();
  const auto most = static_cast<std::size_t>(limit.rlim_max);
  return open ? broker::Budget::of(most > *open ? most - *open : 0) : std::nullopt;
}

// Of what is there: one that is missing cannot be used.
std::vector<platform::UniqueFd> objects_of(const std::vector<std::string>& paths) {
  std::vector<platform::UniqueFd> objects;
  for (const std::string& path : paths) {
    if (auto object = platform::open_at(AT_FDCWD, path.c_str(), O_PATH, 0)) {
      objects.push_back(std::move(*object));
    }
  }
  return objects;
}

// The terminals of the standard streams: the tree has them already.
std::vector<platform::UniqueFd> own_terminals() {
  std::vector<std::string> paths;
  for (int fd = 0; fd <= 2; ++fd) {
    if (::isatty(fd) == 1) {
      // /dev/pts/<n> or a console; O_PATH through our own descriptor gives the same inode.
      paths.emplace_back(platform::DescriptorPath(fd).c_str());
    }
  }
  return objects_of(paths);
}

std::vector<std::string> texts_of(const std::vector<domain::AbsolutePath>& paths) {
  std::vector<std::string> texts;
  std::ranges::transform(paths, std::back_inserter(texts), &domain::AbsolutePath::text);
  return texts;
}

// One that is too many is judged by the rules alone.
void hold_all(broker::HeldObjects& held, std::vector<platform::UniqueFd> objects) {
  for (platform::UniqueFd& object : objects) {
    (void)held.hold(std::move(object));
  }
}

}  // namespace

namespace broker {

Reply handle_lock(const Call& call) {
  // Of what is locked from now on, nobody here holds a second descriptor that would keep the lock.
  call.shared().held_descriptors.wait_for_all();
  return LetKernelRun{};
}

Reply handle_umask(const Call& call) {
  // No pointer, so the kernel may run it; what was cached is stale from now on.
  call.shared().umasks.note();
  return LetKernelRun{};
}

}  // namespace broker

namespace {

struct Worker {
  std::atomic<bool> done{false};
  std::thread thread;
};

}  // namespace

struct Broker::State {
  const FileRules& rules;
  const RunOptions& options;
  platform::OwnDescriptors own;
  broker::Budget budget;
  std::vector<platform::UniqueFd> terminals;
  std::vector<platform::UniqueFd> loaders;
  std::unique_ptr<Shared> shared = nullptr;
  std::atomic<bool> stopping{false};
  std::list<Worker> workers = {};
};

Broker::Broker(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Broker::Broker(Broker&&) noexcept = default;
Broker::~Broker() { stop(); }

tl::expected<Broker, platform::OsError> Broker::prepare(
    const FileRules& rules, const RunOptions& options,
    const std::vector<domain::AbsolutePath>& loaders) {
  auto own = platform::OwnDescriptors::open();
  if (!own) {
    return tl::unexpected(platform::OsError{"open", own.error().value, "/proc/self/fd"});
  }
  const auto budget = plan_budget();
  if (!budget) {
    return tl::unexpected(platform::OsError{"open", EMFILE, "the limit of open files"});
  }
  // NOLINTNEXTLINE(modernize-make-unique): clang 14 makes no aggregate from parentheses
  return Broker(std::unique_ptr<State>(new State{rules, options, std::move(*own), *budget,
                                                 own_terminals(), objects_of(texts_of(loaders))}));
}

tl::expected<void, platform::OsError> Broker::start(Listener listener) {
  state_->shared = std::make_unique<Shared>(state_->rules, state_->options, std::move(listener),
                                            std::move(state_->own), state_->budget);
  hold_all(state_->shared->terminals, std::move(state_->terminals));
  hold_all(state_->shared->loaders, std::move(state_->loaders));
  try {
    for (std::size_t i = 0; i < kThreads; ++i) {
      Worker& worker = state_->workers.emplace_back();
      worker.thread = std::thread([state = state_.get(), &worker, i] {
        serve(*state->shared, i, state->stopping);
        worker.done = true;
      });
    }
  } catch (const std::system_error& error) {
    return tl::unexpected(platform::OsError{"pthread_create", error.code().value(), ""});
  }
  return {};
}

bool Broker::is_drained() const {
  return state_->shared == nullptr || state_->shared->listener.is_abandoned();
}

void Broker::stop() {
  if (!state_ || !state_->shared) {
    return;
  }
  state_->stopping = true;
  for (Worker& worker : state_->workers) {
    // The thread may be just about to block, so it is interrupted until it has ended.
    while (worker.thread.joinable() && !worker.done) {
      (void)::pthread_kill(worker.thread.native_handle(), broker::interrupt_signal());
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    if (worker.thread.joinable()) {
      worker.thread.join();
    }
  }
  state_->workers.clear();
  state_->shared->blocking.stop();
  state_->shared.reset();
}

}  // namespace pmg::adapters
