#include "model/resolve.hpp"

#include <cerrno>
#include <charconv>
#include <deque>

#include "model/wire.hpp"

namespace pmg::model {
namespace {

constexpr std::string_view kSelf = "/proc/self";
constexpr std::string_view kSelfFd = "/proc/self/fd";
constexpr int kMostLinks = 40;  // MAXSYMLINKS of the kernel

std::deque<std::string> names_of(std::string_view text) {
  std::deque<std::string> names;
  while (!text.empty()) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    if (slash > 0) {
      names.emplace_back(text.substr(0, slash));
    }
    text.remove_prefix(std::min(slash + 1, text.size()));
  }
  return names;
}

class Walk {
 public:
  Walk(const View& view, const Spelling& spelling, Last last)
      : view_(view), last_(last), rest_(names_of(spelling.text)) {
    if (spelling.text.ends_with('/')) {
      rest_.emplace_back(".");  // has to be a directory
    }
    at_ = spelling.text.starts_with('/') ? "/" : view.base_of(spelling);
  }

  Resolved run() {
    while (!rest_.empty()) {
      const std::string name = std::move(rest_.front());
      rest_.pop_front();
      if (const int error = step(name); error != 0) {
        return {.error = error};
      }
      if (is_missing_) {
        // "missing/." is no name for something new.
        return rest_.empty() ? Resolved{.real = at_} : Resolved{.error = ENOENT};
      }
    }
    const Node* const node = view_.tree.find(at_);
    return node == nullptr ? Resolved{.error = kUnknown} : Resolved{.real = at_, .node = node};
  }

 private:
  int step(const std::string& name) {
    if (at_ == "/proc" || at_.starts_with(kSelf)) {
      return step_in_proc(name);
    }
    const Node* const directory = view_.tree.find(at_);
    if (directory == nullptr || directory->kind != Kind::directory) {
      return directory == nullptr ? kUnknown : ENOTDIR;
    }
    if (name == ".") {
      return 0;
    }
    if (name == "..") {
      at_ = parent_of(at_);
      return 0;
    }
    const std::string next = joined(at_, name);
    if (next == "/proc") {
      at_ = next;
      return 0;
    }
    const Node* const node = view_.tree.find(next);
    if (node == nullptr) {
      at_ = next;
      is_missing_ = true;
      return view_.tree.holds(next) ? 0 : kUnknown;
    }
    if (node->kind == Kind::symlink && !(rest_.empty() && last_ == Last::itself)) {
      return follow(node->text);
    }
    at_ = next;
    return 0;
  }

  int follow(const std::string& target) {
    if (++links_ > kMostLinks) {
      return ELOOP;
    }
    auto names = names_of(target);
    if (target.ends_with('/')) {
      names.emplace_back(".");
    }
    rest_.insert(rest_.begin(), names.begin(), names.end());
    if (target.starts_with('/')) {
      at_ = "/";
    }
    return 0;
  }

  // Each step through a magic link counts as one symlink.
  int step_in_proc(const std::string& name) {
    if (++links_ > kMostLinks) {
      return ELOOP;
    }
    if (at_ == "/proc" && (name == "self" || name == "thread-self")) {
      at_ = kSelf;
    } else if (at_ == kSelf && name == "cwd") {
      at_ = view_.cwd;
    } else if (at_ == kSelf && name == "root") {
      at_ = "/";
    } else if (at_ == kSelf && name == "fd") {
      at_ = kSelfFd;
      --links_;
    } else if (at_ == kSelfFd) {
      return step_to_held(name);
    } else {
      return kUnknown;
    }
    return 0;
  }

  int step_to_held(const std::string& name) {
    int number = -1;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
    const auto index = static_cast<std::size_t>(number - kFirstHeld);
    if (parsed.ec != std::errc{} || number < kFirstHeld || index >= view_.held.size()) {
      return kUnknown;
    }
    at_ = view_.held[index];
    return 0;
  }

  const View& view_;
  Last last_;
  std::deque<std::string> rest_;
  std::string at_;
  int links_ = 0;
  bool is_missing_ = false;
};

std::string_view without_slashes(std::string_view text) {
  while (text.size() > 1 && text.ends_with('/')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string joined(const std::string& directory, std::string_view name) {
  return (directory == "/" ? "" : directory) + "/" + std::string(name);
}

std::string relative(const std::string& directory, const std::string& path) {
  const auto from = names_of(directory);
  const auto to = names_of(path);
  std::size_t same = 0;
  while (same < from.size() && same < to.size() && from[same] == to[same]) {
    ++same;
  }
  std::string text;
  for (std::size_t i = same; i < from.size(); ++i) {
    text += "../";
  }
  for (std::size_t i = same; i < to.size(); ++i) {
    text += to[i] + "/";
  }
  if (text.empty()) {
    return ".";
  }
  text.pop_back();
  return text;
}

std::string lexical(std::string_view base, std::string_view text) {
  std::deque<std::string> kept;
  if (!text.starts_with('/')) {
    kept = names_of(base);
  }
  for (std::string& name : names_of(text)) {
    if (name == "..") {
      if (!kept.empty()) {
        kept.pop_back();
      }
    } else if (name != ".") {
      kept.push_back(std::move(name));
    }
  }
  std::string path;
  for (const std::string& name : kept) {
    path += "/" + name;
  }
  return path.empty() ? "/" : path;
}

const std::string& View::base_of(const Spelling& spelling) const {
  return spelling.base == kFromCwd ? cwd : held.at(static_cast<std::size_t>(spelling.base));
}

Resolved View::resolve(const Spelling& spelling, Last last) const {
  if (spelling.text.empty()) {  // AT_EMPTY_PATH: the descriptor's own object
    const std::string& path = base_of(spelling);
    return {.real = path, .spelled = path, .node = tree.find(path)};
  }
  Resolved found = Walk(*this, spelling, last).run();
  found.spelled = lexical(base_of(spelling), spelling.text);
  return found;
}

Resolved View::place(const Spelling& spelling) const {
  const std::string text(without_slashes(spelling.text));
  const std::size_t slash = text.rfind('/');
  const std::string name = text.substr(slash == std::string::npos ? 0 : slash + 1);
  if (name.empty() || name == "." || name == "..") {
    return {.error = kUnknown};
  }
  const std::string directory = slash == std::string::npos ? "." : text.substr(0, slash + 1);
  Resolved found = resolve({spelling.base, directory}, Last::followed);
  if (!found.exists()) {
    return {.error = found.error != 0 ? found.error : ENOENT};
  }
  if (found.node->kind != Kind::directory) {
    return {.error = ENOTDIR};
  }
  found.real = joined(found.real, name);
  found.spelled = lexical(base_of(spelling), text);
  found.node = tree.find(found.real);
  return found;
}

}  // namespace pmg::model
