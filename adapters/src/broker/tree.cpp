#include "broker/tree.hpp"

#include <limits>

#include <unistd.h>

#include "platform/process.hpp"

namespace pmg::adapters::broker {
namespace {

constexpr int kMaxGenerations = 4096;  // bounds a walk that races with re-parenting

}  // namespace

ProcessTree ProcessTree::of_this_process() {
  const pid_t self = ::getpid();
  const auto status = platform::read_status(self);
  // Unknown: nothing counts as inside.
  return {self, status ? status->seccomp_filters : std::numeric_limits<int>::max()};
}

bool ProcessTree::is_inside(pid_t pid) const {
  auto status = platform::read_status(pid);
  if (!status || status->seccomp_filters <= filters_) {
    return false;
  }
  for (int generation = 0; status && generation < kMaxGenerations; ++generation) {
    if (status->parent == broker_) {
      return status->seccomp_filters > filters_;
    }
    if (status->parent <= 1) {
      return false;
    }
    status = platform::read_status(status->parent);
  }
  return false;
}

}  // namespace pmg::adapters::broker
