/// What a file name may mean where names are not told by their bytes (R12).
///
///   folded_name(".GIT", Tail::kept)            // ".git"
///   folded_name("conﬁg", Tail::kept)           // "config"; that is one character
///   folded_name(".git::$INDEX", Tail::cut)     // ".git"
///   FoldedPath path(PathView(p), Tail::kept);  // the same for a path, without allocating
///
/// The widest reading of the file systems that Linux has: ASCII letters without case, letters of
/// other scripts all the same, accents and invisible characters dropped. Two names that one of them
/// takes for the same fold to the same bytes; some that none takes for the same do, too.
///
/// Not for: comparing names for any other end, or patterns of variables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/path.hpp"
#include "domain/pattern.hpp"

namespace pmg::domain {

/// Windows and its file systems drop dots and spaces at the end of a name, and take what follows a
/// colon for a stream of the file. Others do not, so both readings count.
enum class Tail : std::uint8_t { kept, cut };

/// Stands for letters that are not ASCII; a run of them is one.
inline constexpr char kOtherLetters = '\x80';

/// May be empty. Never longer than `name`, which holds no '/'.
[[nodiscard]] std::string folded_name(std::string_view name, Tail tail);

/// A name that may stand for one with quite other letters: an 8.3 short name (`GIT~1`), bytes that
/// are no UTF-8, a backslash.
[[nodiscard]] bool is_opaque_name(std::string_view name) noexcept;

/// The same place in folded names.
[[nodiscard]] AbsolutePath folded(const AbsolutePath& path, Tail tail);

/// A pattern of folded names that matches whatever folds to the name of something that `pattern`
/// matches. Globs may get wider.
[[nodiscard]] PathPattern folded(const PathPattern& pattern, Tail tail);

/// Whether a pattern of folded names is another one with Tail::cut.
[[nodiscard]] bool has_tails(const PathPattern& folded) noexcept;

/// The folded text of a path, in place.
class FoldedPath {
 public:
  // Its array is not initialised on purpose.
  FoldedPath(PathView path, Tail tail) noexcept;  // NOLINT(*-member-init)

  [[nodiscard]] PathView view() const noexcept {
    return PathView::unsafe_from({text_.data(), size_});
  }
  /// Some name is opaque, or the path is longer than any that the kernel knows.
  [[nodiscard]] bool is_opaque() const noexcept { return is_opaque_; }
  /// Some name is shorter with Tail::cut.
  [[nodiscard]] bool has_tail() const noexcept { return has_tail_; }

 private:
  static constexpr std::size_t kLongest = 4096;  // PATH_MAX
  std::array<char, kLongest> text_;
  std::size_t size_ = 0;
  bool is_opaque_ = false;
  bool has_tail_ = false;
};

}  // namespace pmg::domain
