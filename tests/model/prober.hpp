/// A running probe, inside the sandbox or outside.
///
///   auto inside = Prober::confined(compiled, sites.probe, cwd);    // expected<Prober, string>
///   auto answers = inside->ask(probes);                            // one errno each, 0: done
///
/// One start serves any number of questions. The process ends when the Prober does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include <tl/expected.hpp>

#include "domain/compiled.hpp"
#include "model/probes.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::model {

class Prober {
 public:
  /// Through adapters::run, as pmg starts a program.
  [[nodiscard]] static tl::expected<Prober, std::string> confined(
      const domain::CompiledPolicy& policy, const std::string& program, const std::string& cwd);
  /// With the rights that a program in the sandbox has, and no sandbox.
  [[nodiscard]] static tl::expected<Prober, std::string> plain(const std::string& program,
                                                               const std::string& cwd);
  Prober(Prober&& other) noexcept;
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;
  ~Prober();

  /// Nothing where the probe ended or did not answer in time.
  [[nodiscard]] std::optional<std::vector<int>> ask(std::span<const Probe> probes) const;
  /// Sets the working directory and opens the held descriptors; false where the kernel refuses.
  [[nodiscard]] bool stand(const std::string& cwd, const std::vector<std::string>& held) const;

 private:
  struct Ends {
    platform::UniqueFd commands;
    platform::UniqueFd answers;
  };
  Prober(pid_t process, Ends ends) : process_(process), ends_(std::move(ends)) {}
  template <class Run>
  static tl::expected<Prober, std::string> start(const std::string& cwd, Run run);
  [[nodiscard]] bool read_answers(std::vector<int>& answers) const;

  pid_t process_;
  Ends ends_;
};

}  // namespace pmg::model
