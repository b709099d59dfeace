/// The file tree of a world: what it should be, and how it is put back after an operation.
///
///   Tree tree(root, spare);
///   tree.plan(root + "/a", {.kind = Kind::directory});
///   tree.build(Birth::early);
///   … somebody renames root/a …
///   tree.restore({root + "/a", root + "/b"});
///   CHECK(tree.find_change() == "");
///
/// Every file has a second name in `spare`, outside of all rules, so it comes back as the same
/// object after it was removed: what the kernel remembers of objects (Landlock's rules) still
/// holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>

#include "platform/unique_fd.hpp"

namespace pmg::model {

enum class Kind : std::uint8_t { file, directory, symlink, fifo, socket, device };

/// Early: before the sandbox starts. Late: made from outside while it runs.
enum class Birth : std::uint8_t { early, late };

struct Node {
  Kind kind = Kind::file;
  Birth birth = Birth::early;
  std::string text{};     ///< where a symlink leads, what a file holds
  std::string same_as{};  ///< of a hard link: the path whose object it is
  std::string spare{};    ///< the second name; empty for directories
  ino_t inode = 0;        ///< 0 until it is built
};

/// What an operation can change at one path.
struct Seen {
  mode_t mode = 0;  ///< with the type; 0: nothing is there
  off_t size = 0;
  nlink_t links = 0;
  uid_t owner = 0;
  enum class Object : std::uint8_t { other, own, of_second } object = Object::other;
  enum class Mark : std::uint8_t { none, set } time = Mark::none, attribute = Mark::none;
  std::string target{};  ///< of a symlink
  friend bool operator==(const Seen&, const Seen&) = default;
};

class Tree {
 public:
  /// Both directories exist and are empty.
  Tree(std::string root, std::string spare);

  void plan(const std::string& path, Node node) { nodes_[path] = std::move(node); }
  /// Makes the planned nodes of this birth; the first failure in words, or nothing.
  [[nodiscard]] std::string build(Birth birth);

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] const std::map<std::string, Node>& nodes() const { return nodes_; }
  /// What is there now: planned and built, or one of the fixed paths outside.
  [[nodiscard]] const Node* find(std::string_view path) const;
  /// Strictly below the root.
  [[nodiscard]] bool holds(std::string_view path) const;
  /// Paths outside of the tree that may be looked at.
  [[nodiscard]] const std::map<std::string, Node, std::less<>>& outside() const { return outside_; }

  /// `places` are one or two paths that one operation is about.
  [[nodiscard]] std::vector<Seen> look(std::span<const std::string> places) const;

  enum class Restored : std::uint8_t { same_objects, new_entries };
  /// Puts both places back; `new_entries` if descriptors held on them are stale now.
  Restored restore(std::span<const std::string> places);

  /// Compares the whole tree; the first difference in words.
  [[nodiscard]] std::string find_change() const;

  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] std::string make(const std::string& path, Node& node);
  [[nodiscard]] bool make_spare(const std::string& path, Node& node);
  Restored move_back(const std::string& a, const std::string& b);
  Restored mend(const std::string& path);
  [[nodiscard]] Seen look_at(const std::string& path, ino_t own, ino_t second) const;
  [[nodiscard]] ino_t inode_of(const std::string& path) const;

  std::string root_;
  std::string spare_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, Node, std::less<>> outside_;
  std::vector<platform::UniqueFd> listeners_;
};

/// A program of a few bytes that ends with kProgramExit.
[[nodiscard]] std::string program_text();

/// Printable: other bytes as \xNN.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace pmg::model
