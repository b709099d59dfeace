/// Sets of texts that patterns match, and the two questions about them that are decided by search:
/// is one within others, do two meet.
///
///   Language part = …, all = …;
///   is_within(part, all)     // no text of `part` is missing in `all`
///
/// A text is a path ("/a/b", the root is "") or the name of a variable. Each pattern is a chain of
/// steps; the search goes through all texts at once, by states. It is bounded: what would take
/// longer counts as not within, and as meeting.
/// Used by path_set.cpp alone.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "domain/pattern.hpp"

namespace pmg::domain {

/// What counts as a text at all.
enum class TextKind : std::uint8_t { path, name };

using ByteSet = std::bitset<256>;

class Language {
 public:
  explicit Language(TextKind kind) noexcept : kind_(kind) {}

  /// Each adds to the chain that was begun last.
  void begin();
  void add_segments(std::span<const Segment> segments);
  void add_any_depth();
  /// The glob of a name, compared as G2 says.
  void add_name(std::string_view glob);
  void end();

 private:
  friend class Search;
  friend bool is_within(const Language& part, const Language& all);
  friend bool may_meet(const Language& one, const Language& other);

  enum class Step : std::uint8_t {
    byte,      ///< one byte of the set
    run,       ///< any number of bytes of the set
    segments,  ///< any number of whole segments
    end,
  };
  struct Element {
    Step step;
    ByteSet bytes;
  };

  void add_glob(std::string_view glob);
  [[nodiscard]] ByteSet every_byte() const;
  [[nodiscard]] ByteSet bytes_of(std::string_view element) const;

  TextKind kind_;
  std::vector<Element> elements_;
  std::vector<std::uint32_t> starts_;
};

/// Every text of `part` is in `all`. False also where that takes too long to find out.
[[nodiscard]] bool is_within(const Language& part, const Language& all);

/// Some text is in both. True also where that takes too long to find out.
[[nodiscard]] bool may_meet(const Language& one, const Language& other);

}  // namespace pmg::domain
