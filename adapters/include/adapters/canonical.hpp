/// Symlinks of the existing part of a path, resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/path.hpp"

namespace pmg::adapters {

/// Resolves many paths that share their first parts (the rules of a policy): each directory is
/// looked at once. Not for paths that change meanwhile; make a new one for a new look.
class Canonicaliser {
 public:
  /// realpath(3) of the longest prefix that has one, and the rest as it is: a file that does not
  /// exist yet below a symlinked directory gets its real name. A dangling symlink stays itself.
  [[nodiscard]] domain::AbsolutePath resolve(const domain::AbsolutePath& path);

  /// Where the symlink `path` leads: each place on the way that is a symlink, too, and the end,
  /// also if nothing is there. Empty where `path` is no symlink.
  [[nodiscard]] const std::vector<domain::AbsolutePath>& links(const domain::AbsolutePath& path);

 private:
  enum class Found : std::uint8_t { yes, no };
  struct Entry {
    domain::AbsolutePath real;
    Found found;
    std::vector<domain::AbsolutePath> links = {};
  };
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };
  /// `path`: text of an AbsolutePath.
  const Entry& entry_of(std::string_view path);
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> known_;
};

/// The same for one path.
[[nodiscard]] domain::AbsolutePath canonical(const domain::AbsolutePath& path);

}  // namespace pmg::adapters
