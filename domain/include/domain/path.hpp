/// Absolute paths as values.
///
///   auto home = AbsolutePath::parse("/home/u");          // expected<AbsolutePath, PathError>
///   home->is_within(*AbsolutePath::parse("/home"));      // true
///   normalise(*home, "../x//y/./z")                      // "/home/x/y/z"
///
/// Not for: resolving symlinks or asking whether a path exists; that is the platform's work.
#pragma once

#include <compare>  // IWYU pragma: keep
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace pmg::domain {

enum class PathErrc { empty, relative, dot_segment, empty_segment, nul_byte };

struct PathError {
  PathErrc code;
  std::size_t offset;  ///< byte index into the input
};

/// A borrowed absolute path. Same form as AbsolutePath (P1); the referenced text must outlive it.
class PathView;

/// P1: leading '/', no "", "." or ".." segment (the root is "/"), no NUL, no trailing '/'.
/// Any other bytes are allowed: Linux file names are bytes, not text (path_resolution(7)).
/// Lexical: never resolves symlinks.
class AbsolutePath {
 public:
  [[nodiscard]] static tl::expected<AbsolutePath, PathError> parse(std::string_view text);

  /// The root directory.
  [[nodiscard]] static AbsolutePath root() { return AbsolutePath("/"); }

  /// P2: by whole segments, and every path is within itself; "/ab" is not within "/a".
  [[nodiscard]] bool is_within(const AbsolutePath& dir) const noexcept;

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool is_root() const noexcept { return text_.size() == 1; }

  /// The directory that holds this path; the root is its own parent.
  [[nodiscard]] AbsolutePath parent() const;

  /// The last segment; empty for the root.
  [[nodiscard]] std::string_view filename() const noexcept;

  friend auto operator<=>(const AbsolutePath&, const AbsolutePath&) = default;

 private:
  friend AbsolutePath normalise(const AbsolutePath& base, std::string_view spelled);
  friend class PathPattern;  // its literal segments are one
  explicit AbsolutePath(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_;
};

class PathView {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): an owned path is always a valid view
  PathView(const AbsolutePath& path) noexcept : text_(path.text()) {}
  PathView(AbsolutePath&& path) = delete;  ///< the view would outlive it

  /// For text that the kernel produced (readlink of /proc/self/fd/N) or that `normalise` built.
  /// Unsafe: the caller answers for P1. `decide` stays total on any bytes all the same.
  [[nodiscard]] static PathView unsafe_from(std::string_view text) noexcept {
    return PathView(text);
  }

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  friend bool operator==(const PathView& a, const PathView& b) noexcept {
    return a.text_ == b.text_;
  }

 private:
  explicit PathView(std::string_view text) noexcept : text_(text) {}
  std::string_view text_;
};

/// P3: `spelled` taken relative to `base`, with "//", "." and ".." removed by text alone; ".." at
/// the root stays there. Cuts at a NUL. Total: every input gives a path.
[[nodiscard]] AbsolutePath normalise(const AbsolutePath& base, std::string_view spelled);

}  // namespace pmg::domain
