#include "broker/tree.hpp"

#include <unistd.h>

#include "platform/process.hpp"

namespace pmg::adapters::broker {
namespace {

constexpr int kMaxGenerations = 4096;           // bounds a walk that races with re-parenting
constexpr std::size_t kMaxMembers = 1U << 22U;  // PID_MAX_LIMIT of the kernel

}  // namespace

ProcessTree ProcessTree::of_this_process() {
  const pid_t self = ::getpid();
  const auto status = platform::read_status(self);
  return {self, status && status->seccomp_filters >= 0 ? status->seccomp_filters : kUnknown};
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

std::vector<pid_t> ProcessTree::members() const {
  std::vector<pid_t> found;
  const auto add_children = [&](pid_t parent) {
    for (const pid_t pid : platform::children_of(parent)) {
      const auto status = platform::read_status(pid);
      if (status && status->seccomp_filters > filters_) {
        found.push_back(pid);
      }
    }
  };
  add_children(broker_);
  for (std::size_t next = 0; next < found.size() && found.size() < kMaxMembers; ++next) {
    add_children(found[next]);
  }
  return found;
}

}  // namespace pmg::adapters::broker
