#include "broker/blocking.hpp"

#include <chrono>
#include <memory>

#include <pthread.h>
#include <signal.h>

namespace pmg::adapters::broker {

int interrupt_signal() noexcept { return SIGRTMAX - 1; }

void accept_interrupts() noexcept {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  (void)::sigaction(interrupt_signal(), &action, nullptr);
  sigset_t set;
  (void)::sigemptyset(&set);
  (void)::sigaddset(&set, interrupt_signal());
  (void)::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

BlockingCalls::~BlockingCalls() { stop(); }

BlockingCalls::Started BlockingCalls::start(const platform::Listener& listener, std::uint64_t id,
                                            std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  collect();
  if (calls_.size() >= kLimit || stopping_) {
    return Started::too_many;
  }
  auto done = std::make_shared<std::atomic<bool>>(false);
  calls_.push_back({&listener, id, done, std::thread([work = std::move(work), done] {
                      accept_interrupts();
                      work();
                      done->store(true);
                    })});
  if (!watcher_.joinable()) {
    watcher_ = std::thread([this] { watch(); });
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

// A caller that was killed leaves its call blocked; interrupt it until it notices. The signal can
// arrive just before the thread blocks, so it is sent again on every round.
void BlockingCalls::watch() {
  while (!stopping_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::lock_guard lock(mutex_);
    collect();
    for (Call& call : calls_) {
      if (!call.listener->is_waiting(call.id)) {
        (void)::pthread_kill(call.thread.native_handle(), interrupt_signal());
      }
    }
  }
}

void BlockingCalls::stop() {
  stopping_ = true;
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
