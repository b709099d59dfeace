#include "language.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "domain/pattern.hpp"
#include "glob.hpp"

namespace pmg::domain {

void Language::begin() { starts_.push_back(static_cast<std::uint32_t>(elements_.size())); }

void Language::end() { elements_.push_back({Step::end, {}}); }

void Language::add_any_depth() { elements_.push_back({Step::segments, {}}); }

ByteSet Language::every_byte() const {
  ByteSet all;
  all.set();
  all.reset(0);
  all.reset(static_cast<unsigned char>(kind_ == TextKind::path ? '/' : '='));
  return all;
}

/// `element` is one byte, `?` or a set. The matcher of the domain says what it means.
ByteSet Language::bytes_of(std::string_view element) const {
  ByteSet bytes;
  for (std::size_t value = 0; value < bytes.size(); ++value) {
    const char byte = static_cast<char>(value);
    const std::string_view text(&byte, 1);
    bytes[value] = kind_ == TextKind::path ? glob_matches(element, text)
                                           : glob_matches_ignoring_case(element, text);
  }
  return bytes & every_byte();
}

void Language::add_glob(std::string_view glob) {
  for (std::size_t at = 0; at < glob.size();) {
    if (glob[at] == '*') {
      elements_.push_back({Step::run, every_byte()});
      ++at;
      continue;
    }
    const auto close = glob[at] == '[' ? close_of_set(glob, at) : std::nullopt;
    const std::size_t size = close ? *close + 1 - at : 1;
    elements_.push_back({Step::byte, bytes_of(glob.substr(at, size))});
    at += size;
  }
}

void Language::add_segments(std::span<const Segment> segments) {
  for (const Segment& segment : segments) {
    if (segment.kind == SegmentKind::any_depth) {
      add_any_depth();
      continue;
    }
    ByteSet slash;
    slash.set(static_cast<unsigned char>('/'));
    elements_.push_back({Step::byte, slash});
    if (segment.kind == SegmentKind::glob) {
      add_glob(segment.text);
      continue;
    }
    for (const char byte : segment.text) {
      ByteSet one;
      one.set(static_cast<unsigned char>(byte));
      elements_.push_back({Step::byte, one});
    }
  }
}

void Language::add_name(std::string_view glob) { add_glob(glob); }

namespace {

/// What was read of a text, as far as it matters for whether it is one.
enum class Reading : std::uint8_t { nothing, after_slash, after_dot, after_dots, inside };

std::optional<Reading> read_next(TextKind kind, Reading reading, char byte) noexcept {
  if (kind == TextKind::name) {
    return Reading::inside;
  }
  if (byte == '/') {
    const bool may = reading == Reading::nothing || reading == Reading::inside;
    return may ? std::optional(Reading::after_slash) : std::nullopt;
  }
  switch (reading) {
    case Reading::nothing:
      return std::nullopt;
    case Reading::after_slash:
      return byte == '.' ? Reading::after_dot : Reading::inside;
    case Reading::after_dot:
      return byte == '.' ? Reading::after_dots : Reading::inside;
    case Reading::after_dots:
    case Reading::inside:
      return Reading::inside;
  }
  return std::nullopt;
}

bool may_end(TextKind kind, Reading reading) noexcept {
  return reading == Reading::inside || (reading == Reading::nothing && kind == TextKind::path);
}

/// Twice the element, and one more inside a segment of Step::segments.
using State = std::uint32_t;
using States = std::vector<State>;

/// Patterns have some ten to a hundred elements; a search that meets more states than this is over
/// patterns that were made for it.
constexpr std::size_t kMostStates = 5'000;

}  // namespace

/// States of one language, without those that it may be in at the same time.
class Search {
 public:
  explicit Search(const Language& language) noexcept : language_(language) {}

  [[nodiscard]] States start() const {
    States states;
    for (const std::uint32_t element : language_.starts_) {
      enter(states, element * 2);
    }
    return sorted(std::move(states));
  }

  [[nodiscard]] bool accepts(State state) const noexcept {
    return language_.elements_[state / 2].step == Language::Step::end;
  }
  [[nodiscard]] bool accepts(const States& states) const noexcept {
    return std::ranges::any_of(states, [this](State state) { return accepts(state); });
  }

  [[nodiscard]] States after(const States& states, char byte) const {
    States next;
    for (const State state : states) {
      step(next, state, byte);
    }
    return sorted(std::move(next));
  }

  [[nodiscard]] States after(State state, char byte) const {
    States next;
    step(next, state, byte);
    return sorted(std::move(next));
  }

  /// Bytes that some element tells from others, and nothing else.
  void tell_apart(ByteSet& told) const {
    constexpr std::size_t kHalf = 128;
    for (const Language::Element& element : language_.elements_) {
      if (element.step == Language::Step::byte || element.step == Language::Step::run) {
        told |= element.bytes.count() <= kHalf ? element.bytes : ~element.bytes;
      }
    }
  }

 private:
  void step(States& next, State state, char byte) const {
    const Language::Element& element = language_.elements_[state / 2];
    const bool is_inside = state % 2 == 1;
    switch (element.step) {
      case Language::Step::byte:
        if (element.bytes[static_cast<unsigned char>(byte)]) {
          enter(next, state + 2);
        }
        return;
      case Language::Step::run:
        if (element.bytes[static_cast<unsigned char>(byte)]) {
          enter(next, state);
        }
        return;
      case Language::Step::segments:
        if (is_inside == (byte != '/')) {
          enter(next, state | 1U);
        }
        return;
      case Language::Step::end:
        return;
    }
  }

  void enter(States& states, State state) const {
    states.push_back(state);
    const Language::Step step = language_.elements_[state / 2].step;
    if (step == Language::Step::segments && state % 2 == 1) {
      enter(states, state - 1);  // the segment may end here
    } else if (step == Language::Step::run || step == Language::Step::segments) {
      enter(states, state + 2);
    }
  }

  static States sorted(States states) {
    std::ranges::sort(states);
    states.erase(std::unique(states.begin(), states.end()), states.end());
    return states;
  }

  const Language& language_;
};

namespace {

/// One byte for each group that no element tells apart.
std::vector<char> alphabet(const Search& one, const Search& other) {
  ByteSet told;
  one.tell_apart(told);
  other.tell_apart(told);
  told.set(static_cast<unsigned char>('/'));
  told.set(static_cast<unsigned char>('.'));
  std::vector<char> bytes;
  bool has_other = false;
  for (std::size_t value = 1; value < told.size(); ++value) {
    if (told[value] || !has_other) {
      bytes.push_back(static_cast<char>(value));
      has_other = has_other || !told[value];
    }
  }
  return bytes;
}

/// Numbers for sets of states, in the order in which they are met.
class Numbers {
 public:
  std::uint32_t of(States states) {
    const auto [at, is_new] =
        numbers_.try_emplace(std::move(states), static_cast<std::uint32_t>(all_.size()));
    if (is_new) {
      all_.push_back(&at->first);
    }
    return at->second;
  }
  [[nodiscard]] const States& operator[](std::uint32_t number) const { return *all_[number]; }

 private:
  std::map<States, std::uint32_t> numbers_;
  std::vector<const States*> all_;
};

struct Place {
  State one;
  std::uint32_t other;  ///< a state, or the number of a set of states
  Reading reading;
};

/// The places still to be visited, each once.
class Frontier {
 public:
  void add(const Place& place) {
    constexpr unsigned kReadingBits = 3;
    constexpr unsigned kStateBits = 24;
    const std::uint64_t key = (std::uint64_t{place.one} << (kStateBits + kReadingBits)) |
                              (std::uint64_t{place.other} << kReadingBits) |
                              static_cast<std::uint64_t>(place.reading);
    if (seen_.insert(key).second) {
      open_.push_back(place);
    }
  }
  [[nodiscard]] bool is_empty() const noexcept { return open_.empty(); }
  [[nodiscard]] bool is_too_large() const noexcept { return seen_.size() > kMostStates; }
  Place take() {
    const Place place = open_.back();
    open_.pop_back();
    return place;
  }

 private:
  std::unordered_set<std::uint64_t> seen_;
  std::vector<Place> open_;
};

/// What can be read after `place`: of one language a state at a time, of the other all at once.
class Containment {
 public:
  Containment(const Search& part, const Search& all, TextKind kind)
      : part_(part), all_(all), kind_(kind), bytes_(alphabet(part, all)) {
    const std::uint32_t first = sets_.of(all_.start());
    for (const State state : part_.start()) {
      frontier_.add({state, first, Reading::nothing});
    }
  }

  /// False also where the search gets too large.
  bool holds() {
    while (!frontier_.is_empty()) {
      const bool is_too_large = frontier_.is_too_large();
      const Place place = frontier_.take();
      if (is_too_large || is_missing(place)) {
        return false;
      }
      std::ranges::for_each(bytes_, [&](char byte) { read(place, byte); });
    }
    return true;
  }

 private:
  /// A text ends here that is in the part and not in all.
  bool is_missing(const Place& place) {
    return part_.accepts(place.one) && may_end(kind_, place.reading) &&
           !all_.accepts(sets_[place.other]);
  }

  void read(const Place& place, char byte) {
    const auto reading = read_next(kind_, place.reading, byte);
    const States next = reading ? part_.after(place.one, byte) : States();
    if (next.empty()) {
      return;
    }
    const std::uint32_t there = sets_.of(all_.after(sets_[place.other], byte));
    for (const State state : next) {
      frontier_.add({state, there, *reading});
    }
  }

  const Search& part_;
  const Search& all_;
  TextKind kind_;
  std::vector<char> bytes_;
  Numbers sets_;
  Frontier frontier_;
};

}  // namespace

bool is_within(const Language& part, const Language& all) {
  const Search one(part);
  const Search other(all);
  return Containment(one, other, part.kind_).holds();
}

bool may_meet(const Language& one_language, const Language& other_language) {
  const Search one(one_language);
  const Search other(other_language);
  const std::vector<char> bytes = alphabet(one, other);
  Frontier frontier;
  const auto add_all = [&frontier](const States& states, const States& others, Reading reading) {
    for (const State state : states) {
      for (const State there : others) {
        frontier.add({state, there, reading});
      }
    }
  };
  add_all(one.start(), other.start(), Reading::nothing);
  while (!frontier.is_empty()) {
    const bool is_too_large = frontier.is_too_large();
    const Place place = frontier.take();
    const bool ends_in_both = one.accepts(place.one) && other.accepts(place.other) &&
                              may_end(one_language.kind_, place.reading);
    if (is_too_large || ends_in_both) {
      return true;
    }
    for (const char byte : bytes) {
      const auto reading = read_next(one_language.kind_, place.reading, byte);
      if (reading) {
        add_all(one.after(place.one, byte), other.after(place.other, byte), *reading);
      }
    }
  }
  return false;
}

}  // namespace pmg::domain
