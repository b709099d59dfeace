/// Names that nobody else uses, for what must be looked at before it is removed or put in place.
///
///   auto aside = Aside::take(parent, "old");              // Result<Aside>: "old" is free now
///   const auto info = aside->status();                    // of what was taken, whatever it is
///   return is_ours(*info) ? aside->remove() : refuse();   // refused: it is put back
///
/// A check of a name and a call by it are two moments, between which a program outside may put
/// something else there. What was taken aside stays what it is: its name is random, and the trees
/// of all brokers keep their hands off names of this form (`is_aside`).
///
/// Not for: what is judged by its name alone. Taking it aside would cost a rename and gain nothing.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include "broker/caller.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters::broker {

/// Whether a component of the path is a name of this file's making, in any case.
[[nodiscard]] bool is_aside(std::string_view path) noexcept;

/// Whether both are of one object.
[[nodiscard]] inline bool is_same(const struct stat& one, const struct stat& other) noexcept {
  return one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

class Aside {
 public:
  /// Errors are those of rename(2). `directory` must stay open.
  [[nodiscard]] static Result<Aside> take(int directory, std::string name);
  Aside(Aside&& other) noexcept
      : directory_(other.directory_),
        name_(std::move(other.name_)),
        aside_(std::exchange(other.aside_, {})) {}
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  Aside& operator=(Aside&&) = delete;
  /// Puts it back, unless it was removed or moved. If something else has got its name meanwhile,
  /// both stay: nothing is lost.
  ~Aside();

  [[nodiscard]] Result<struct stat> status() const;
  [[nodiscard]] int directory() const noexcept { return directory_; }
  /// The name that it has now.
  [[nodiscard]] const std::string& name() const noexcept { return aside_; }

  /// unlinkat(2).
  [[nodiscard]] Result<void> remove();
  /// renameat2(2) onto that name.
  [[nodiscard]] Result<void> move_to(int directory, const std::string& name, unsigned flags);
  /// The same with RENAME_EXCHANGE: from now on this is what had that name. EINVAL where the file
  /// system cannot.
  [[nodiscard]] Result<void> exchange_with(int directory, const std::string& name);

 private:
  Aside(int directory, std::string name, std::string aside) noexcept
      : directory_(directory), name_(std::move(name)), aside_(std::move(aside)) {}
  int directory_;
  std::string name_;
  std::string aside_;  // empty: it is not aside any more
};

/// A directory that only its owner may enter, with a name of that form. It goes with its last entry
/// `name`, if that is still there.
class PrivateDirectory {
 public:
  /// Makes it in `parent`, which must stay open. This thread's umask is changed. `name` is what
  /// will be made in it.
  [[nodiscard]] static Result<PrivateDirectory> make(int parent, std::string name);
  PrivateDirectory(PrivateDirectory&& other) noexcept
      : parent_(other.parent_),
        name_(std::move(other.name_)),
        entry_(std::move(other.entry_)),
        fd_(std::move(other.fd_)) {}
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(PrivateDirectory&&) = delete;
  ~PrivateDirectory();

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// Moves the entry into the parent. EEXIST if its name is taken there.
  [[nodiscard]] Result<void> move_out();

 private:
  PrivateDirectory(int parent, std::string name, std::string entry, platform::UniqueFd fd) noexcept
      : parent_(parent), name_(std::move(name)), entry_(std::move(entry)), fd_(std::move(fd)) {}
  int parent_;
  std::string name_;
  std::string entry_;
  platform::UniqueFd fd_;
};

}  // namespace pmg::adapters::broker
