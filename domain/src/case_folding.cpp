#include "domain/case_folding.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/ascii.hpp"
#include "domain/utf8.hpp"
#include "glob.hpp"
#include "unicode.hpp"

namespace pmg::domain {
namespace {

constexpr std::string_view kDroppedAtTheEnd = ". ";

constexpr std::string_view kOdd = "\\~:";  ///< ASCII characters that can make a name mean another

bool is_ascii(char c) noexcept { return static_cast<unsigned char>(c) < 0x80; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// The folded form of most bytes; NUL for those that need a second look.
constexpr std::array<char, 256> kPlain = [] {
  std::array<char, 256> table{};
  for (std::size_t c = 1; c < 0x80; ++c) {
    const char byte = static_cast<char>(c);
    table[c] = kOdd.find(byte) == std::string_view::npos ? lower(byte) : '\0';
  }
  return table;
}();

/// Writes one name behind what is there already; `out` has room for its bytes.
class NameWriter {
 public:
  explicit NameWriter(char* out) noexcept : start_(out), end_(out) {}

  void write(std::string_view name) noexcept {
    for (std::size_t at = 0; at < name.size();) {
      const char plain = kPlain[static_cast<unsigned char>(name[at])];
      if (plain != '\0') {
        *end_++ = plain;
        ++at;
        continue;
      }
      is_odd_ = true;
      at += write_other(name.substr(at));
    }
  }
  /// It has characters that need a second look.
  [[nodiscard]] bool is_odd() const noexcept { return is_odd_; }
  void cut_tail() noexcept {
    end_ = std::find(start_, end_, ':');
    while (end_ != start_ && kDroppedAtTheEnd.find(end_[-1]) != std::string_view::npos) {
      --end_;
    }
  }
  [[nodiscard]] char* end() const noexcept { return end_; }

 private:
  /// How many bytes were read.
  std::size_t write_other(std::string_view rest) noexcept {
    if (is_ascii(rest.front())) {
      *end_++ = rest.front();
      return 1;
    }
    const auto read = first_character(rest);
    if (!read) {
      write_letter();
      return 1;
    }
    const char32_t character = read->code;
    if (const std::string_view ascii = as_ascii(character); !ascii.empty()) {
      end_ = std::copy(ascii.begin(), ascii.end(), end_);
    } else if (character == kApostropheN) {
      write_letter();
      *end_++ = 'n';
    } else if (character == kAWithHalfRing) {
      *end_++ = 'a';
      write_letter();
    } else if (!may_be_left_out(character)) {
      write_letter();
    }
    return read->length;
  }
  void write_letter() noexcept {
    if (end_ == start_ || end_[-1] != kOtherLetters) {
      *end_++ = kOtherLetters;
    }
  }

  // Two letters that become one of their own and an ASCII letter without case.
  static constexpr char32_t kApostropheN = 0x149;
  static constexpr char32_t kAWithHalfRing = 0x1e9a;

  char* start_;
  char* end_;
  bool is_odd_ = false;
};

bool has_tail(std::string_view name) noexcept {
  return !name.empty() &&
         (name.back() == '.' || name.back() == ' ' || name.find(':') != std::string_view::npos);
}

bool is_utf8(std::string_view name) noexcept {
  while (!name.empty()) {
    const auto character = first_character(name);
    if (!character) {
      return false;
    }
    name.remove_prefix(character->length);
  }
  return true;
}

/// `GIT~1`, `CONFI~12.JSO`: at most eight characters, the last of them `~` and a number, and an
/// extension of at most three.
bool is_short_name(std::string_view name) noexcept {
  constexpr std::size_t kStem = 8;
  constexpr std::size_t kExtension = 3;
  const auto characters = [](std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
  };
  name = name.substr(0, name.find(':'));
  name = name.substr(0, name.find_last_not_of(kDroppedAtTheEnd) + 1);
  const std::size_t dot = name.find('.');
  const std::string_view stem = name.substr(0, dot);
  const std::string_view extension =
      dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
  const std::size_t tilde = stem.rfind('~');
  return tilde != std::string_view::npos && tilde + 1 < stem.size() &&
         std::ranges::all_of(stem.substr(tilde + 1), is_digit) && characters(stem) <= kStem &&
         characters(extension) <= kExtension && extension.find('.') == std::string_view::npos;
}

/// A set of which the folded form is known: ASCII, not negated, and no range from one case to
/// another. `set` is what stands between the brackets.
bool is_plain_set(std::string_view set) noexcept {
  const auto is_letter = [](char c) { return lower(c) >= 'a' && lower(c) <= 'z'; };
  const auto is_upper = [](char c) { return lower(c) != c; };
  if (set.front() == '!' || set.front() == '^' || !std::ranges::all_of(set, is_ascii)) {
    return false;
  }
  for (std::size_t at = 0; at + 2 < set.size(); ++at) {
    const bool is_range = set[at + 1] == '-';
    const bool is_within_one_case = (is_digit(set[at]) && is_digit(set[at + 2])) ||
                                    (is_letter(set[at]) && is_letter(set[at + 2]) &&
                                     is_upper(set[at]) == is_upper(set[at + 2]));
    if (is_range && !is_within_one_case) {
      return false;
    }
  }
  return true;
}

/// Folds a glob part by part. A `?` or a set is one byte. Where it stands alone between ASCII
/// characters, so is what it matches, and folds to one byte; anywhere else it may be a part of a
/// character, which folds to any number of them.
class GlobFolder {
 public:
  explicit GlobFolder(std::string_view glob) noexcept : glob_(glob) {}

  std::string run() && {
    std::size_t literal = 0;
    for (std::size_t at = 0; at < glob_.size();) {
      const std::size_t end = end_of_wildcards(at);
      if (end == at) {
        ++at;
        continue;
      }
      add_literal(literal, at);
      add_wildcards(at, end);
      at = end;
      literal = end;
    }
    add_literal(literal, glob_.size());
    return std::move(folded_);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> close_at(std::size_t at) const noexcept {
    return glob_[at] == '[' ? close_of_set(glob_, at) : std::nullopt;
  }
  /// The end of the run of wildcards that starts at `at`; `at` where there is none.
  [[nodiscard]] std::size_t end_of_wildcards(std::size_t at) const noexcept {
    while (at < glob_.size()) {
      const auto close = close_at(at);
      if (glob_[at] != '*' && glob_[at] != '?' && !close) {
        break;
      }
      at = close.value_or(at) + 1;
    }
    return at;
  }
  void add_literal(std::size_t begin, std::size_t end) {
    folded_ += folded_name(glob_.substr(begin, end - begin), Tail::kept);
    // A letter of another script may be any number of them.
    std::ranges::replace(folded_, kOtherLetters, '*');
  }
  void add_wildcards(std::size_t begin, std::size_t end) {
    const bool is_between_ascii =
        (begin == 0 || is_ascii(glob_[begin - 1])) && (end == glob_.size() || is_ascii(glob_[end]));
    const std::string_view run = glob_.substr(begin, end - begin);
    const auto close = close_at(begin);
    const bool is_one = close.value_or(begin) + 1 == end && run != "*";
    if (!is_one || !is_between_ascii) {
      folded_ += '*';
    } else if (close && is_plain_set(run.substr(1, run.size() - 2))) {
      std::ranges::for_each(run, [this](char c) { folded_ += lower(c); });
    } else {
      folded_ += '?';
    }
  }

  std::string_view glob_;
  std::string folded_;
};

Segment folded(const Segment& segment, Tail tail) {
  switch (segment.kind) {
    case SegmentKind::any_depth:
      return segment;
    case SegmentKind::glob:
      return {SegmentKind::glob, GlobFolder(segment.text).run()};
    case SegmentKind::literal:
      break;
  }
  std::string name = folded_name(segment.text, tail);
  return name.empty() ? Segment{SegmentKind::glob, "*"}
                      : Segment{SegmentKind::literal, std::move(name)};
}

}  // namespace

std::string folded_name(std::string_view name, Tail tail) {
  std::string text(name.size(), '\0');
  NameWriter writer(text.data());
  writer.write(name);
  if (tail == Tail::cut) {
    writer.cut_tail();
  }
  text.resize(static_cast<std::size_t>(writer.end() - text.data()));
  return text;
}

bool is_opaque_name(std::string_view name) noexcept {
  return name.find('\\') != std::string_view::npos || !is_utf8(name) || is_short_name(name);
}

AbsolutePath folded(const AbsolutePath& path, Tail tail) {
  const PathPattern names = PathPattern::literal(path);
  std::string text;
  for (const Segment& segment : names.segments()) {
    text.append("/").append(folded_name(segment.text, tail));
  }
  return normalise(AbsolutePath::root(), text);
}

PathPattern folded(const PathPattern& pattern, Tail tail) {
  std::vector<Segment> segments;
  segments.reserve(pattern.segments().size());
  for (const Segment& segment : pattern.segments()) {
    segments.push_back(folded(segment, tail));
  }
  return PathPattern(std::move(segments));
}

bool has_tails(const PathPattern& folded) noexcept {
  return std::ranges::any_of(folded.segments(), [](const Segment& segment) {
    return segment.kind == SegmentKind::literal && has_tail(segment.text);
  });
}

// NOLINTNEXTLINE(*-member-init): see the header
FoldedPath::FoldedPath(PathView path, Tail tail) noexcept {
  std::string_view rest = path.text();
  if (rest.size() > text_.size()) {
    is_opaque_ = true;
    return;
  }
  char* out = text_.data();
  while (!rest.empty()) {
    const std::size_t size = std::min(rest.find('/'), rest.size());
    const std::string_view name = rest.substr(0, size);
    NameWriter writer(out);
    writer.write(name);
    is_opaque_ = is_opaque_ || (writer.is_odd() && is_opaque_name(name));
    // Of what is written: a name may end in a dot only when what is invisible behind it is dropped.
    has_tail_ = has_tail_ || domain::has_tail({out, static_cast<std::size_t>(writer.end() - out)});
    if (tail == Tail::cut) {
      writer.cut_tail();
    }
    out = writer.end();
    if (size < rest.size()) {
      *out++ = '/';
    }
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
  size_ = static_cast<std::size_t>(out - text_.data());
}

}  // namespace pmg::domain
