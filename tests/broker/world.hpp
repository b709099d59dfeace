/// A small file tree and this very process in the role of the caller: a notification whose pointers
/// are our own, so that the resolver can be asked without any sandbox.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/caller.hpp"
#include "broker/resolve.hpp"
#include "broker/tree.hpp"

namespace pmg::test {

class World {
 public:
  World() {
    std::string pattern = "/tmp/pmg-world-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    root_ = std::filesystem::canonical(root_).string();
    std::filesystem::create_directories(root_ + "/a/b");
    std::ofstream(root_ + "/a/file") << "text";
    std::filesystem::create_symlink("file", root_ + "/a/link");
    std::filesystem::create_symlink("link", root_ + "/a/chain");
    std::filesystem::create_symlink("a", root_ + "/dirlink");
    std::filesystem::create_symlink(root_ + "/a/file", root_ + "/absolute");
    std::filesystem::create_symlink("nowhere", root_ + "/dangling");
    std::filesystem::create_symlink("loop2", root_ + "/loop1");
    std::filesystem::create_symlink("loop1", root_ + "/loop2");
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  std::string root_;
};

/// This thread as a caller that passes `path`, relative to `dir_fd`.
class SelfCaller {
 public:
  SelfCaller(std::string path, int dir_fd) : path_(std::move(path)) {
    call_.id = 1;
    call_.thread = ::gettid();
    call_.number = 0;
    call_.arguments = {static_cast<std::uint64_t>(dir_fd),
                       reinterpret_cast<std::uint64_t>(path_.c_str()),
                       0,
                       0,
                       0,
                       0};
  }
  [[nodiscard]] adapters::broker::Result<adapters::broker::PathRequest> request() {
    return adapters::broker::request_at(caller_, tree_, 0, 1);
  }
  [[nodiscard]] const adapters::broker::Caller& caller() const { return caller_; }

 private:
  std::string path_;
  platform::Notification call_{};
  adapters::broker::CallerCache cache_{4};
  adapters::broker::UmaskChanges umasks_;
  platform::OwnDescriptors own_ = *platform::OwnDescriptors::open();
  adapters::broker::Caller caller_{call_, cache_, own_, umasks_};
  adapters::broker::ProcessTree tree_ = adapters::broker::ProcessTree::of_this_process();
};

}  // namespace pmg::test
