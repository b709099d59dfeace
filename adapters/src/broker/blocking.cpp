#include "broker/blocking.hpp"

#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <signal.h>

#include "platform/process.hpp"

namespace pmg::adapters::broker {

namespace {

void change_mask(int how) noexcept {
  sigset_t set;
  (void)::sigemptyset(&set);
  (void)::sigaddset(&set, interrupt_signal());
  (void)::pthread_sigmask(how, &set, nullptr);
}

}  // namespace

int interrupt_signal() noexcept { return SIGRTMAX - 1; }

void accept_interrupts() noexcept {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  (void)::sigaction(interrupt_signal(), &action, nullptr);
  change_mask(SIG_UNBLOCK);
}

Interruptible::Interruptible() noexcept { change_mask(SIG_UNBLOCK); }
Interruptible::~Interruptible() { change_mask(SIG_BLOCK); }

BlockingCalls::~BlockingCalls() { stop(); }

void BlockingCalls::Waiting::interrupted() const {
  // Without a signal the caller would see the kernel's own number for "start again".
  if (platform::has_pending_signal(thread)) {
    listener.restart(id);
  } else {
    listener.refuse(id, platform::Errno{EINTR});
  }
}

BlockingCalls::Started BlockingCalls::start(const Waiting& waiting, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  collect();
  if (calls_.size() >= limit_ || stopping_) {
    return Started::too_many;
  }
  auto done = std::make_shared<std::atomic<bool>>(false);
  try {
    if (!watcher_.joinable()) {
      watcher_ = std::thread([this] { watch(); });
    }
    calls_.push_back({waiting, done, std::thread([work = std::move(work), done] {
                        change_mask(SIG_BLOCK);
                        (void)::pthread_setname_np(::pthread_self(), "pmg-wait");
                        work();
                        done->store(true);
                      })});
    changed_.notify_one();
  } catch (const std::system_error&) {
    return Started::too_many;  // EAGAIN: the user's limit of processes is reached
  }
  return Started::yes;
}

// Joins what has finished. Called with the mutex held.
void BlockingCalls::collect() {
  for (auto call = calls_.begin(); call != calls_.end();) {
    if (call->done->load()) {
      call->thread.join();
      call = calls_.erase(call);
    } else {
      ++call;
    }
  }
}

// A caller that was killed leaves its call blocked, and so does one for which a signal arrived: the
// kernel lets only those that kill end a call that was received. Interrupt it until it notices. Our
// own signal can arrive just before the thread blocks, so it is sent again on every round.
void BlockingCalls::watch() {
  constexpr std::chrono::microseconds kRound{10'000};
  constexpr std::chrono::microseconds kEach{200};  // many calls are looked at less often
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (calls_.empty()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, kRound + kEach * calls_.size());
    }
    collect();
    for (Call& call : calls_) {
      if (!call.waiting.listener.is_waiting(call.waiting.id) ||
          platform::has_pending_signal(call.waiting.thread)) {
        (void)::pthread_kill(call.thread.native_handle(), interrupt_signal());
      }
    }
  }
}

void BlockingCalls::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (watcher_.joinable()) {
    watcher_.join();
  }
  const std::lock_guard lock(mutex_);
  for (Call& call : calls_) {
    while (!call.done->load()) {
      (void)::pthread_kill(call.thread.native_handle(), interrupt_signal());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    call.thread.join();
  }
  calls_.clear();
}

}  // namespace pmg::adapters::broker
