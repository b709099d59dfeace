// The component-wise walk: what the kernel does in path_resolution(7), done here for the paths
// whose meaning depends on who asks. `/proc/self` and `/proc/thread-self` mean the caller, and
// magic links (`/proc/<pid>/cwd`, `root`, `exe`, `fd/<n>`) are followed only for processes inside
// the sandbox.

#include <cerrno>
#include <charconv>
#include <deque>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <linux/openat2.h>

#include "broker/resolve.hpp"
#include "domain/proc_path.hpp"

namespace pmg::adapters::broker {
namespace {

using platform::Errno;
using platform::UniqueFd;

// The components of a path still to be walked; a trailing '/' is the component ".".
std::deque<std::string> components(std::string_view path) {
  std::deque<std::string> parts;
  std::size_t at = 0;
  while (at <= path.size()) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    if (slash > at) {
      parts.emplace_back(path.substr(at, slash - at));
    }
    at = slash + 1;
  }
  if (!path.empty() && path.back() == '/') {
    parts.emplace_back(".");
  }
  return parts;
}

std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

class Walk {
 public:
  Walk(const PathRequest& request, const std::string& path, Follow follow)
      : request_(request), follow_(follow), rest_(components(path)) {}

  Result<Object> run() {
    auto start = request_.base.is_absolute()
                     ? open_root()
                     : platform::open_at2(request_.base.at(), ".", O_PATH | O_DIRECTORY, 0, 0);
    if (!start) {
      return tl::unexpected(start.error());
    }
    current_ = std::move(*start);
    while (!rest_.empty()) {
      const std::string name = std::move(rest_.front());
      rest_.pop_front();
      if (const auto done = step(name); !done) {
        return tl::unexpected(done.error());
      }
    }
    auto object = describe(request_.caller, std::move(current_));
    if (object) {
      object->via = via_;
    }
    return object;
  }

 private:
  static Result<UniqueFd> open_root() {
    return platform::open_at2(AT_FDCWD, "/", O_PATH | O_DIRECTORY, 0, 0);
  }

  Result<void> step(const std::string& name) {
    via_.reset();
    auto next = platform::open_at2(current_.get(), name.c_str(), O_PATH | O_NOFOLLOW, 0, 0);
    if (!next) {
      return tl::unexpected(next.error());
    }
    const auto info = platform::status_of(next->get());
    if (!info) {
      return tl::unexpected(info.error());
    }
    if (!S_ISLNK(info->st_mode) || (rest_.empty() && follow_ == Follow::no)) {
      current_ = std::move(*next);
      return {};
    }
    if (++symlinks_ > platform::kMaxSymlinks) {
      return tl::unexpected(Errno{ELOOP});
    }
    return platform::is_on_procfs(current_.get()) ? follow_in_proc(name) : follow_text(*next);
  }

  Result<void> follow_text(const UniqueFd& link) {
    const auto target = platform::read_link_at(link.get(), "");
    if (!target) {
      return tl::unexpected(target.error());
    }
    return splice(*target);
  }

  Result<void> splice(const std::string& target) {
    if (target.empty()) {
      return tl::unexpected(Errno{ENOENT});
    }
    auto parts = components(target);
    rest_.insert(rest_.begin(), parts.begin(), parts.end());
    if (target.front() == '/') {
      auto root = open_root();
      if (!root) {
        return tl::unexpected(root.error());
      }
      current_ = std::move(*root);
    }
    return {};
  }

  Result<void> follow_in_proc(const std::string& name) {
    const auto directory = request_.caller.own().name_of(current_.get());
    if (!directory) {
      return tl::unexpected(directory.error());
    }
    if (*directory == "/proc" && (name == "self" || name == "thread-self")) {
      return follow_self(name);
    }
    const auto owner = domain::parse_proc_path(*directory);
    if (!owner) {  // /proc/net, /proc/mounts and the like: text relative to /proc
      const auto target = platform::read_link_at(current_.get(), name.c_str());
      if (!target) {
        return tl::unexpected(target.error());
      }
      return splice(*target);
    }
    if (!request_.tree.is_inside(owner->pid)) {
      return tl::unexpected(Errno{EACCES});
    }
    if ((request_.resolve & RESOLVE_NO_MAGICLINKS) != 0) {
      return tl::unexpected(Errno{ELOOP});
    }
    auto object = platform::open_at(current_.get(), name.c_str(), O_PATH, 0);
    if (!object) {
      return tl::unexpected(object.error());
    }
    if (directory->ends_with("/fd")) {
      if (const auto number = parse_number(name)) {
        via_ = DescriptorName{owner->pid, *number};
      }
    }
    current_ = std::move(*object);
    return {};
  }

  Result<void> follow_self(const std::string& name) {
    const auto process = request_.caller.process();
    if (!process) {
      return tl::unexpected(process.error());
    }
    std::string target = std::to_string(*process);
    if (name == "thread-self") {
      target += "/task/" + std::to_string(request_.caller.thread());
    }
    return splice(target);
  }

  const PathRequest& request_;
  Follow follow_;
  std::deque<std::string> rest_;
  UniqueFd current_;
  std::optional<DescriptorName> via_;
  int symlinks_ = 0;
};

}  // namespace

Result<Object> walk_path(const PathRequest& request, const std::string& path, Follow follow) {
  return Walk(request, path, follow).run();
}

}  // namespace pmg::adapters::broker
