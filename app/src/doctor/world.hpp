/// The place where the doctor tries things: a home, a project and a temporary directory of their
/// own, with secrets that nobody misses.
///
///   auto world = World::make({cache, "/tmp"});      // expected<World, OsError>
///   if (!world->plant()) …                          // afresh
///   const Tree before = tree_of(world->home());
///
/// Everything is below one private directory, which goes with the value.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/scratch.hpp"

namespace pmg::app {

class World {
 public:
  /// Below the first of `parents` where a directory can be made.
  [[nodiscard]] static tl::expected<World, platform::OsError> make(
      const std::vector<std::string>& parents);

  [[nodiscard]] const std::string& top() const noexcept { return scratch_.path(); }
  [[nodiscard]] std::string home() const { return top() + "/home"; }
  [[nodiscard]] std::string project() const { return top() + "/project"; }
  [[nodiscard]] std::string temporary() const { return top() + "/tmp"; }
  /// "SECRET-" and 16 digits: in `.env` and `sub/deep/.env` of the project, in `.ssh` and `.aws` of
  /// home.
  [[nodiscard]] const std::string& secret() const noexcept { return secret_; }
  /// In `readme` of the project.
  [[nodiscard]] const std::string& token() const noexcept { return token_; }

  /// Home, project and temporary directory as they are in the beginning. False where that failed.
  [[nodiscard]] bool plant() const;

  /// HOME, TMPDIR, a PATH of system directories after `path`, and nothing of the caller's.
  [[nodiscard]] std::vector<std::string> environment(std::string_view path = {}) const;

 private:
  explicit World(platform::ScratchDirectory scratch);
  platform::ScratchDirectory scratch_;
  std::string secret_;
  std::string token_;
};

/// Makes a file and its directories; false where that failed.
[[nodiscard]] bool write_file(const std::string& file, std::string_view text);
/// Empty where it cannot be read.
[[nodiscard]] std::string read_file(const std::string& file);

/// Names below a directory, each with what is there: kind, permissions, content.
using Tree = std::map<std::string, std::string>;
[[nodiscard]] Tree tree_of(const std::string& directory);

/// The names whose values differ.
[[nodiscard]] std::vector<std::string> differences(const Tree& before, const Tree& after);

}  // namespace pmg::app
