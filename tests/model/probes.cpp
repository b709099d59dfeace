#include "model/probes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace pmg::model {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kWords{"open for reading"sv,
                            "open for writing"sv,
                            "open for both"sv,
                            "open with O_TRUNC"sv,
                            "open with O_CREAT"sv,
                            "open with O_EXCL"sv,
                            "open with O_NOFOLLOW"sv,
                            "open with O_DIRECTORY"sv,
                            "open with O_TMPFILE"sv,
                            "open with O_PATH"sv,
                            "open, O_RDONLY|O_TRUNC"sv,
                            "open, O_RDWR|O_CREAT"sv,
                            "openat2, BENEATH"sv,
                            "openat2, NO_SYMLINKS"sv,
                            "reopen for writing"sv,
                            "creat"sv,
                            "mkdir"sv,
                            "mkfifo"sv,
                            "mknod"sv,
                            "symlink"sv,
                            "bind"sv,
                            "connect"sv,
                            "unlink"sv,
                            "rmdir"sv,
                            "chmod"sv,
                            "fchmod"sv,
                            "chown"sv,
                            "lchown"sv,
                            "utimensat"sv,
                            "utimensat, not followed"sv,
                            "setxattr"sv,
                            "truncate"sv,
                            "exec"sv,
                            "rename"sv,
                            "rename without replacing"sv,
                            "exchange"sv,
                            "link"sv,
                            "link, followed"sv};
static_assert(kWords.size() == kTestedOps);

constexpr std::array kMissing{"a"sv,      ".env"sv, "hooks"sv, "x"sv,           ".git"sv,
                              "config"sv, "b"sv,    "new"sv,   "node_modules"sv};
constexpr unsigned kSpellings = 2;      // for each operation on each path
constexpr std::uint64_t kRarely = 8;    // one in so many of what cannot succeed
constexpr std::uint64_t kPartners = 4;  // for each path and operation on two
constexpr std::size_t kHeldDirectories = 6;
constexpr std::size_t kHeldOthers = 3;

std::uint64_t hash(std::initializer_list<std::string_view> parts, unsigned salt) {
  std::uint64_t value = 14695981039346656037U + salt;  // FNV-1a
  for (const std::string_view part : parts) {
    for (const char c : part) {
      value = (value ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    value = (value ^ 0xffU) * 1099511628211U;
  }
  return value ^ (value >> 29U);
}

// Calls that take a path alone.
bool is_plain_only(Op op) {
  return op == Op::bind || op == Op::connect || op == Op::truncate || op == Op::set_attribute ||
         op == Op::create;
}

// Calls about an object, which may be named through a descriptor of its own.
bool is_about_object(Op op) {
  switch (op) {
    case Op::open_read:
    case Op::open_write:
    case Op::open_read_write:
    case Op::open_truncate:
    case Op::open_create:
    case Op::open_directory:
    case Op::open_path:
    case Op::open_read_truncate:
    case Op::open_create_both:
    case Op::reopen_write:
    case Op::connect:
    case Op::chmod:
    case Op::chmod_held:
    case Op::chown:
    case Op::set_times:
    case Op::set_attribute:
    case Op::truncate:
    case Op::execute:
    case Op::link_followed:
      return true;
    default:
      return false;
  }
}

bool makes_new_name(Op op) {
  switch (op) {
    case Op::open_exclusive:
    case Op::make_directory:
    case Op::make_fifo:
    case Op::make_file:
    case Op::make_symlink:
    case Op::bind:
      return true;
    default:
      return false;
  }
}

bool wants_new_target(Op op) {
  return op == Op::link || op == Op::link_followed || op == Op::rename_no_replace;
}

bool wants_directory(Op op) {
  return op == Op::open_directory || op == Op::open_temporary || op == Op::remove_directory;
}

// Something that is no directory, or may be: a symlink is what it leads to.
bool wants_file(Op op, const Node& node) {
  switch (op) {
    case Op::open_write:
    case Op::open_read_write:
    case Op::open_truncate:
    case Op::open_create:
    case Op::open_read_truncate:
    case Op::open_create_both:
    case Op::reopen_write:
    case Op::create:
    case Op::truncate:
    case Op::execute:
    case Op::link:
    case Op::link_followed:
    case Op::unlink:
      return node.kind != Kind::directory;
    default:
      return true;
  }
}

// Whether the plain kernel may do it; what it refuses anyway decides nothing and is tried rarely.
bool can_succeed(Op op, const Node* node) {
  if (makes_new_name(op)) {
    return node == nullptr;
  }
  if (node == nullptr) {
    return op == Op::open_create || op == Op::open_create_both || op == Op::create;
  }
  if (wants_directory(op)) {
    return node->kind == Kind::directory ||
           (node->kind == Kind::symlink && op != Op::remove_directory);
  }
  if (op == Op::connect) {
    return node->kind == Kind::socket || node->kind == Kind::symlink;
  }
  return wants_file(op, *node);
}

class Spellings {
 public:
  Spellings(const View& view, const std::string& path)
      : view_(view), path_(path), parent_(parent_of(path)), name_(name_of(path)) {}

  std::vector<Spelling> all() && {
    add(path_);
    add(relative(view_.cwd, path_));
    add("/proc/self/cwd/" + relative(view_.cwd, path_));
    add("/proc/thread-self/root" + path_);
    add(parent_ + "/.//" + name_);
    add_detours();
    for (std::size_t i = 0; i < view_.held.size(); ++i) {
      add_from(static_cast<int>(i));
    }
    for (const auto& [link, node] : view_.tree.nodes()) {
      if (node.kind == Kind::symlink && node.inode != 0) {
        add_through(link);
      }
    }
    const Node* const node = view_.tree.find(path_);
    if (node != nullptr && (node->kind == Kind::directory || node->kind == Kind::symlink)) {
      add(path_ + "/");
    }
    return std::move(found_);
  }

 private:
  void add(std::string text) { found_.push_back({kFromCwd, std::move(text)}); }

  // "parent/sub/../name"
  void add_detours() {
    for (const auto& [path, node] : view_.tree.nodes()) {
      if (node.kind == Kind::directory && node.inode != 0 && parent_of(path) == parent_) {
        add(path + "/../" + name_);
        return;
      }
    }
  }

  void add_from(int index) {
    const std::string& base = view_.held[static_cast<std::size_t>(index)];
    const Node* const node = view_.tree.find(base);
    const std::string descriptor = "/proc/self/fd/" + std::to_string(kFirstHeld + index);
    if (base == path_) {
      add(descriptor);
      found_.push_back({index, ""});
    }
    if (node != nullptr && node->kind == Kind::directory && base != path_) {
      found_.push_back({index, relative(base, path_)});
      add(descriptor + "/" + relative(base, path_));
    }
  }

  void add_through(const std::string& link) {
    const Resolved target = view_.resolve({kFromCwd, link}, Last::followed);
    if (!target.exists() || target.node->kind != Kind::directory) {
      return;
    }
    const std::string inside = target.real == "/" ? "/" : target.real + "/";
    if (path_.starts_with(inside)) {
      add(joined(link, path_.substr(inside.size())));
      add(joined(relative(view_.cwd, link), path_.substr(inside.size())));
    }
    if (parent_of(target.real) == parent_) {
      add(link + "/../" + name_);
    }
  }

  const View& view_;
  const std::string& path_;
  std::string parent_;
  std::string name_;
  std::vector<Spelling> found_;
};

// Where the object itself ends the text there is no name to create or remove.
bool names_an_object_only(const Spelling& spelling) {
  return spelling.text.empty() || spelling.text.ends_with("..") || spelling.text == "." ||
         (spelling.text.starts_with("/proc/self/fd/") &&
          spelling.text.find('/', std::string_view("/proc/self/fd/").size()) == std::string::npos);
}

bool suits(Op op, const Spelling& spelling) {
  if (spelling.base != kFromCwd && is_plain_only(op)) {
    return false;
  }
  if (spelling.text.empty() && op != Op::execute) {
    return false;  // the other calls have no form with AT_EMPTY_PATH in the probe
  }
  return is_about_object(op) || !names_an_object_only(spelling);
}

class Listing {
 public:
  Listing(const View& view, const std::vector<std::string>& missing, unsigned salt)
      : view_(view), salt_(salt), paths_(missing) {
    for (const auto& [path, node] : view.tree.nodes()) {
      if (node.inode == 0) {
        continue;
      }
      paths_.push_back(path);
      if (node.kind == Kind::directory) {
        add_missing(path);
      }
    }
    for (const std::string& path : paths_) {
      spellings_.push_back(Spellings(view, path).all());
    }
  }

  std::vector<Probe> run() && {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      for (unsigned op = 0; op < kTestedOps; ++op) {
        if (has_two_paths(static_cast<Op>(op))) {
          add_pairs(static_cast<Op>(op), i);
        } else {
          add_one(static_cast<Op>(op), i);
        }
      }
    }
    add_outside();
    return std::move(probes_);
  }

 private:
  void add_missing(const std::string& directory) {
    std::string path =
        joined(directory, kMissing.at(hash({inner(directory)}, salt_) % kMissing.size()));
    if (view_.tree.find(path) == nullptr &&
        std::find(paths_.begin(), paths_.end(), path) == paths_.end()) {
      paths_.push_back(std::move(path));
    }
  }

  // The paths below the root: where it stands says nothing.
  std::string_view inner(const std::string& path) const {
    return std::string_view(path).substr(view_.tree.root().size());
  }

  const Spelling* choose(Op op, std::size_t path, std::uint64_t seed) const {
    const auto& all = spellings_[path];
    for (std::size_t tries = 0; tries < all.size(); ++tries) {
      const Spelling& chosen = all[(seed + tries) % all.size()];
      if (suits(op, chosen)) {
        return &chosen;
      }
    }
    return nullptr;
  }

  static Form form_for(const Spelling& spelling, std::uint64_t seed) {
    return spelling.base == kFromCwd && seed % 2 == 0 ? Form::plain : Form::at;
  }

  void add_one(Op op, std::size_t path) {
    const std::uint64_t seed = hash({inner(paths_[path]), word_of(op)}, salt_);
    if (!can_succeed(op, view_.tree.find(paths_[path])) && (seed >> 40U) % kRarely != 0) {
      return;
    }
    for (unsigned i = 0; i < kSpellings; ++i) {
      const std::uint64_t at = (seed >> 8U) + i * (1 + seed % 5);
      if (const Spelling* const spelling = choose(op, path, at)) {
        probes_.push_back({op, form_for(*spelling, at), *spelling, {kFromCwd, {}}});
      }
    }
  }

  void add_pairs(Op op, std::size_t from) {
    for (std::size_t to = 0; to < paths_.size(); ++to) {
      const std::uint64_t seed = hash({inner(paths_[from]), inner(paths_[to]), word_of(op)}, salt_);
      constexpr std::uint64_t kScale = 4096;
      if (seed % kScale >= kScale * kPartners / paths_.size()) {
        continue;  // one comparison per pair: a smaller world keeps the pairs that it had
      }
      const bool is_new = view_.tree.find(paths_[to]) == nullptr;
      if (!can_succeed(op, view_.tree.find(paths_[from])) ||
          (!is_new && wants_new_target(op) && (seed >> 40U) % kRarely != 0)) {
        continue;
      }
      const Spelling* const first = choose(op, from, seed >> 16U);
      const Spelling* const second = choose(Op::unlink, to, seed >> 24U);
      if (first == nullptr || second == nullptr) {
        continue;
      }
      const Form form = second->base == kFromCwd ? form_for(*first, seed >> 32U) : Form::at;
      probes_.push_back({op, form, *first, *second});
    }
  }

  // What lies outside is looked at and never changed.
  void add_outside() {
    for (const auto& [path, node] : view_.tree.outside()) {
      for (const Op op : {Op::open_read, Op::open_directory, Op::open_nofollow, Op::open_path}) {
        probes_.push_back({op, Form::at, {kFromCwd, path}, {kFromCwd, {}}});
        probes_.push_back({op, Form::plain, {kFromCwd, relative(view_.cwd, path)}, {kFromCwd, {}}});
      }
      if (node.kind == Kind::device) {
        probes_.push_back({Op::open_write, Form::at, {kFromCwd, path}, {kFromCwd, {}}});
      }
    }
  }

  const View& view_;
  unsigned salt_;
  std::vector<std::string> paths_;
  std::vector<std::vector<Spelling>> spellings_;
  std::vector<Probe> probes_;
};

std::string describe(const Spelling& spelling) {
  const std::string text = "`" + printable(spelling.text) + "`";
  return spelling.base == kFromCwd
             ? text
             : text + " from descriptor " + std::to_string(kFirstHeld + spelling.base);
}

}  // namespace

std::string_view word_of(Op op) { return kWords.at(static_cast<std::size_t>(op)); }

bool has_two_paths(Op op) {
  return op == Op::rename || op == Op::rename_no_replace || op == Op::exchange || op == Op::link ||
         op == Op::link_followed;
}

bool only_looks(Op op) {
  switch (op) {
    case Op::open_read:
    case Op::open_write:
    case Op::open_read_write:
    case Op::open_nofollow:
    case Op::open_directory:
    case Op::open_temporary:
    case Op::open_path:
    case Op::open_beneath:
    case Op::open_no_links:
    case Op::reopen_write:
    case Op::connect:
    case Op::chown_link:
    case Op::chown:  // to the owner that it has
    case Op::execute:
      return true;
    default:
      return false;
  }
}

std::vector<std::string> paths_to_hold(const Tree& tree, unsigned salt) {
  std::vector<std::pair<std::uint64_t, std::string>> directories;
  std::vector<std::pair<std::uint64_t, std::string>> others;
  for (const auto& [path, node] : tree.nodes()) {
    if (node.inode != 0 && node.kind != Kind::symlink) {
      auto& list = node.kind == Kind::directory ? directories : others;
      list.emplace_back(hash({std::string_view(path).substr(tree.root().size())}, salt), path);
    }
  }
  std::sort(directories.begin(), directories.end());
  std::sort(others.begin(), others.end());
  directories.resize(std::min(directories.size(), kHeldDirectories));
  others.resize(std::min(others.size(), kHeldOthers));
  std::vector<std::string> held;
  for (const auto* const list : {&directories, &others}) {
    for (const auto& [order, path] : *list) {
      held.push_back(path);
    }
  }
  return held;
}

std::vector<Probe> probes_of(const View& view, const std::vector<std::string>& missing,
                             unsigned salt) {
  return Listing(view, missing, salt).run();
}

std::string describe(const Probe& probe) {
  std::string text(word_of(probe.op));
  text += " " + describe(probe.first);
  if (has_two_paths(probe.op)) {
    text += " and " + describe(probe.second);
  }
  return probe.form == Form::plain ? text + ", call without a descriptor" : text;
}

std::string encode(const Probe& probe) {
  Command command{};
  const std::size_t second = sizeof(command) + probe.first.text.size() + 1;
  command.size = static_cast<std::uint16_t>(second + probe.second.text.size() + 1);
  command.op = probe.op;
  command.form = probe.form;
  command.base = static_cast<std::int16_t>(probe.first.base);
  command.base2 = static_cast<std::int16_t>(probe.second.base);
  command.second = static_cast<std::uint16_t>(second);
  std::string bytes(sizeof(command), '\0');
  std::memcpy(bytes.data(), &command, sizeof(command));
  return bytes + probe.first.text + '\0' + probe.second.text + '\0';
}

}  // namespace pmg::model
