/// The broker: carries out the path calls of a sandboxed tree on what it resolved and judged
/// itself.
///
///   Broker broker(rules, options, loaders);
///   broker.start(std::move(listener));     // threads
///   …                                      // the tree runs
///   broker.stop();                         // after the last process of the tree ended
///
/// Invariants: B1 no call that names a path is answered with CONTINUE, except execve and execveat,
/// whose backstop is Landlock. B2 what was judged is what is used: a descriptor, never a name that
/// is read again. B3 any error on the way is a refusal.
#pragma once

#include <memory>
#include <vector>

#include "adapters/file_rules.hpp"
#include "adapters/run.hpp"
#include "domain/path.hpp"
#include "platform/notify.hpp"
#include "platform/os_error.hpp"

namespace pmg::adapters {

class Broker {
 public:
  /// Opens what it needs; no thread runs yet. `loaders`: what the kernel may start along with a
  /// granted program, without a rule. `rules` and `options` must outlive it.
  [[nodiscard]] static tl::expected<Broker, platform::OsError> prepare(
      const FileRules& rules, const RunOptions& options,
      const std::vector<domain::AbsolutePath>& loaders);
  Broker(Broker&&) noexcept;
  Broker& operator=(Broker&&) = delete;
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;
  ~Broker();

  /// Starts the threads that serve `listener`. Signals are as the calling thread has them.
  [[nodiscard]] tl::expected<void, platform::OsError> start(platform::Listener listener);

  /// True when no process is left that could make a call.
  [[nodiscard]] bool is_drained() const;

  /// Ends the threads. Calls that still wait get no answer: the listener closes and they fail.
  void stop();

 private:
  struct State;
  explicit Broker(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace pmg::adapters
