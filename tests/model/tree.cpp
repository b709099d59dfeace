#include "model/tree.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "model/wire.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::model {
namespace {

constexpr mode_t kMode = 0755;

std::optional<struct stat> status(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? std::optional(info) : std::nullopt;
}

bool write_file(const std::string& path, const std::string& text) {
  const platform::UniqueFd file{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode)};
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

platform::UniqueFd listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return {};
  }
  std::memcpy(&address.sun_path, path.c_str(), path.size() + 1);
  constexpr int kBacklog = 4096;  // nobody accepts
  platform::UniqueFd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  // NOLINTNEXTLINE: the type of the socket interface
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  const bool listens =
      ::bind(fd.get(), name, sizeof(address)) == 0 && ::listen(fd.get(), kBacklog) == 0;
  return listens ? std::move(fd) : platform::UniqueFd{};
}

// A file, symlink or FIFO at a path where nothing is.
bool make_object(const std::string& path, const Node& node) {
  switch (node.kind) {
    case Kind::file:
      return write_file(path, node.text);
    case Kind::symlink:
      return ::symlink(node.text.c_str(), path.c_str()) == 0;
    case Kind::fifo:
      return ::mkfifo(path.c_str(), kMode) == 0;
    case Kind::socket:
    case Kind::directory:
    case Kind::device:
      break;
  }
  return false;
}

void remove_entry(const std::string& path, mode_t mode) {
  (void)(S_ISDIR(mode) ? ::rmdir(path.c_str()) : ::unlink(path.c_str()));
}

mode_t type_of(Kind kind) {
  constexpr std::array kTypes{S_IFREG, S_IFDIR, S_IFLNK, S_IFIFO, S_IFSOCK, S_IFCHR};
  return static_cast<mode_t>(kTypes.at(static_cast<std::size_t>(kind)));
}

bool is_as_planned(const Node& node, const struct stat& info) {
  const mode_t mode = node.kind == Kind::symlink ? mode_t{0777} : kMode;
  return info.st_ino == node.inode && (info.st_mode & 07777U) == mode &&
         (info.st_mode & S_IFMT) == type_of(node.kind) &&
         (node.kind != Kind::file || info.st_size == static_cast<off_t>(node.text.size()));
}

std::string target_of(const std::string& path) {
  std::array<char, 4096> text{};
  const ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
  return {text.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

// What operations change of an object that stays where it is.
void mend_attributes(const std::string& path, const Node& node) {
  const auto info = status(path);
  if (!info) {
    return;
  }
  if (info->st_mtime == kMagicTime) {
    (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  }
  if (node.kind == Kind::symlink) {
    return;
  }
  if ((info->st_mode & 07777U) != kMode) {
    (void)::chmod(path.c_str(), kMode);
  }
  if (node.kind == Kind::file && info->st_size != static_cast<off_t>(node.text.size())) {
    (void)write_file(path, node.text);
  }
  if (node.kind == Kind::file || node.kind == Kind::directory) {
    (void)::removexattr(path.c_str(), kAttribute);
  }
}

}  // namespace

Tree::Tree(std::string root, std::string spare) : root_(std::move(root)), spare_(std::move(spare)) {
  // What is the same on every machine; none of it is ever written.
  constexpr std::array kLooked{"/etc/hosts", "/etc",      "/usr",    "/dev/null",
                               "/dev/zero",  "/dev/full", "/dev/shm"};
  for (std::string path = root_; !path.empty(); path.resize(path.rfind('/'))) {
    outside_[path] = Node{.kind = Kind::directory};
  }
  outside_["/"] = Node{.kind = Kind::directory};
  outside_["/dev"] = Node{.kind = Kind::directory};
  for (const char* const path : kLooked) {
    const auto info = status(path);
    for (const Kind kind : {Kind::file, Kind::directory, Kind::device}) {
      if (info && (info->st_mode & S_IFMT) == type_of(kind)) {
        outside_[path] = Node{.kind = kind};
      }
    }
  }
}

std::string Tree::build(Birth birth) {
  // Directories first: a hard link may lead to a file in any of them.
  for (const auto is_turn : {+[](Kind kind) { return kind == Kind::directory; },
                             +[](Kind kind) { return kind != Kind::directory; }}) {
    for (auto& [path, node] : nodes_) {
      if (node.birth != birth || node.inode != 0 || !is_turn(node.kind)) {
        continue;
      }
      if (std::string failed = make(path, node); !failed.empty()) {
        return failed;
      }
    }
  }
  return {};
}

std::string Tree::make(const std::string& path, Node& node) {
  const bool made = node.kind == Kind::directory
                        ? ::mkdir(path.c_str(), kMode) == 0
                        : make_spare(path, node) && ::link(node.spare.c_str(), path.c_str()) == 0;
  if (!made) {
    return "cannot make " + printable(path) + ": " + std::strerror(errno);
  }
  node.inode = inode_of(path);
  return {};
}

// Of a hard link: that of the node it is a second name of, which is made first if need be.
bool Tree::make_spare(const std::string& path, Node& node) {
  const auto first = node.same_as.empty() ? nodes_.end() : nodes_.find(node.same_as);
  if (first != nodes_.end()) {
    const bool is_there = first->second.inode != 0 || make(first->first, first->second).empty();
    node.spare = first->second.spare;
    return is_there;
  }
  node.spare = spare_ + "/" + std::to_string(std::distance(nodes_.begin(), nodes_.find(path)));
  if (node.kind != Kind::socket) {
    return make_object(node.spare, node);
  }
  listeners_.push_back(listen_at(node.spare));
  return static_cast<bool>(listeners_.back());
}

const Node* Tree::find(std::string_view path) const {
  const auto found = nodes_.find(std::string(path));
  if (found != nodes_.end()) {
    return found->second.inode != 0 ? &found->second : nullptr;
  }
  const auto fixed = outside_.find(path);
  return fixed == outside_.end() ? nullptr : &fixed->second;
}

bool Tree::holds(std::string_view path) const {
  return path.size() > root_.size() + 1 && path.starts_with(root_) && path[root_.size()] == '/';
}

ino_t Tree::inode_of(const std::string& path) const {
  const auto info = status(path);
  return info ? info->st_ino : 0;
}

Seen Tree::look_at(const std::string& path, ino_t own, ino_t second) const {
  const auto info = status(path);
  if (!info) {
    return {};
  }
  Seen seen{info->st_mode, info->st_size, info->st_nlink, info->st_uid};
  if (info->st_ino == own) {
    seen.object = Seen::Object::own;
  } else if (info->st_ino == second) {
    seen.object = Seen::Object::of_second;
  }
  if (S_ISDIR(info->st_mode)) {
    seen.size = 0;  // the file system's own affair
  }
  seen.time = info->st_mtime == kMagicTime ? Seen::Mark::set : Seen::Mark::none;
  if (S_ISLNK(info->st_mode)) {
    seen.target = target_of(path);
  } else {
    char byte = 0;
    seen.attribute =
        ::getxattr(path.c_str(), kAttribute, &byte, 1) >= 0 ? Seen::Mark::set : Seen::Mark::none;
  }
  return seen;
}

std::vector<Seen> Tree::look(std::span<const std::string> places) const {
  std::vector<ino_t> inodes(2, 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Node* const node = find(places[i]);
    inodes.at(i) = node == nullptr ? 0 : node->inode;
  }
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < places.size(); ++i) {
    seen.push_back(look_at(places[i], inodes[i], inodes[1 - i]));
  }
  return seen;
}

Tree::Restored Tree::move_back(const std::string& a, const std::string& b) {
  const Node* const first = find(a);
  const Node* const second = find(b);
  const ino_t at_a = inode_of(a);
  const ino_t at_b = inode_of(b);
  if (first == nullptr || a == b || at_b == 0 || at_b != first->inode || at_a == at_b) {
    return Restored::same_objects;
  }
  if (at_a == 0) {
    (void)::rename(b.c_str(), a.c_str());
  } else if (second != nullptr && at_a == second->inode) {
    (void)::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
  }
  return Restored::new_entries;
}

Tree::Restored Tree::mend(const std::string& path) {
  const auto found = nodes_.find(path);
  const bool wanted = found != nodes_.end() && found->second.inode != 0;
  const auto info = status(path);
  if (!wanted) {
    if (info) {
      remove_entry(path, info->st_mode);
    }
    return Restored::same_objects;
  }
  Node& node = found->second;
  Restored restored = Restored::same_objects;
  if (!info || info->st_ino != node.inode) {
    restored = Restored::new_entries;
    if (info) {
      remove_entry(path, info->st_mode);
    }
    if (node.kind == Kind::directory) {
      (void)::mkdir(path.c_str(), kMode);
      node.inode = inode_of(path);
    } else {
      (void)::link(node.spare.c_str(), path.c_str());
    }
  }
  mend_attributes(path, node);
  return restored;
}

Tree::Restored Tree::restore(std::span<const std::string> places) {
  Restored restored = places.size() == 2 ? move_back(places[0], places[1]) : Restored::same_objects;
  for (const std::string& place : places) {
    if (mend(place) == Restored::new_entries) {
      restored = Restored::new_entries;
    }
  }
  return restored;
}

std::string Tree::find_change() const {
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(root_, error), end; !error && at != end;
       at.increment(error)) {
    const std::string path = at->path().string();
    const Node* const node = find(path);
    const auto info = status(path);
    if (node == nullptr || !info) {
      return printable(path) + " should not be there";
    }
    if (!is_as_planned(*node, *info)) {
      return printable(path) + " is not what it was";
    }
  }
  for (const auto& [path, node] : nodes_) {
    if (node.inode != 0 && !status(path)) {
      return printable(path) + " is gone";
    }
  }
  return error ? error.message() : "";
}

std::string Tree::describe() const {
  constexpr std::array kWords{"file", "directory", "symlink", "fifo", "socket", "device"};
  std::string text;
  for (const auto& [path, node] : nodes_) {
    text += "  " + printable(path) + ": ";
    text += kWords.at(static_cast<std::size_t>(node.kind));
    if (node.kind == Kind::symlink) {
      text += " to " + printable(node.text);
    } else if (node.kind == Kind::file && node.text.starts_with("#!")) {
      text += " " + printable(node.text.substr(0, node.text.find('\n')));
    }
    if (!node.same_as.empty()) {
      text += ", hard link to " + printable(node.same_as);
    }
    text += node.birth == Birth::late ? ", made after the start\n" : "\n";
  }
  return text;
}

std::string program_text() {
#if defined(__x86_64__)
  // mov edi, 42; mov eax, 60 (exit); syscall
  constexpr std::array<unsigned char, 12> kCode{0xbf, 0x2a, 0, 0, 0,    0xb8,
                                                0x3c, 0,    0, 0, 0x0f, 0x05};
  constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
  // mov x0, 42; mov x8, 93 (exit); svc 0
  constexpr std::array<unsigned char, 12> kCode{0x40, 0x05, 0x80, 0xd2, 0xa8, 0x0b,
                                                0x80, 0xd2, 0x01, 0,    0,    0xd4};
  constexpr Elf64_Half kMachine = EM_AARCH64;
#else
#error "write the program that exits with kProgramExit for this processor"
#endif
  static_assert(kProgramExit == 0x2a);
  constexpr Elf64_Addr kAddress = 0x400000;
  Elf64_Ehdr header{};
  std::memcpy(&header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = kMachine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_entry = kAddress + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_vaddr = kAddress;
  segment.p_filesz = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + kCode.size();
  segment.p_memsz = segment.p_filesz;
  segment.p_align = 0x1000;
  std::string text;
  text.append(reinterpret_cast<const char*>(&header), sizeof(header));    // NOLINT: bytes of a file
  text.append(reinterpret_cast<const char*>(&segment), sizeof(segment));  // NOLINT
  text.append(reinterpret_cast<const char*>(kCode.data()), kCode.size());  // NOLINT
  return text;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result.append("\\x").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 0xfU]);
    }
  }
  return result;
}

}  // namespace pmg::model
