#include "domain/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace pmg::domain {
namespace {

constexpr std::size_t kMaxBytes = 4096;
constexpr std::size_t kMaxSegments = 256;
constexpr std::string_view kAnyDepth = "**";

struct NamedVariable {
  std::string_view text;
  Variable variable;
};
constexpr NamedVariable kVariables[] = {
    {"${HOME}", Variable::home}, {"${CWD}", Variable::cwd}, {"${TMPDIR}", Variable::tmpdir}};

/// The variable that `text` starts with, if it is a known one and a whole segment.
std::optional<NamedVariable> leading_variable(std::string_view text) noexcept {
  for (const NamedVariable& named : kVariables) {
    if (text.starts_with(named.text) &&
        (text.size() == named.text.size() || text[named.text.size()] == '/')) {
      return named;
    }
  }
  return std::nullopt;
}

const AbsolutePath& value_of(Variable variable, const Variables& variables) noexcept {
  switch (variable) {
    case Variable::home:
      return variables.home;
    case Variable::cwd:
      return variables.cwd;
    case Variable::tmpdir:
      return variables.tmpdir;
  }
  return variables.home;
}

struct Piece {
  std::string_view text;
  std::size_t offset;
};

/// The non-empty parts of a text between slashes, one after the other.
class Pieces {
 public:
  explicit Pieces(std::string_view text) noexcept : text_(text) {}

  std::optional<Piece> next() noexcept {
    const std::size_t begin = std::min(text_.find_first_not_of('/', at_), text_.size());
    at_ = std::min(text_.find('/', begin), text_.size());
    return begin == at_ ? std::nullopt
                        : std::optional(Piece{text_.substr(begin, at_ - begin), begin});
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// At least as many as `Pieces` gives.
std::size_t most_pieces(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::ranges::count(text, '/')) + 1;
}

std::vector<Piece> split(std::string_view text) {
  std::vector<Piece> all;
  Pieces pieces(text);
  while (const auto piece = pieces.next()) {
    all.push_back(*piece);
  }
  return all;
}

/// What is wrong with any pattern, whichever form it has.
std::optional<PatternError> find_error(std::string_view text, std::string_view after_variable) {
  if (text.empty()) {
    return PatternError{PatternErrc::empty, 0};
  }
  if (text.size() > kMaxBytes) {
    return PatternError{PatternErrc::too_long, kMaxBytes};
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return PatternError{PatternErrc::nul_byte, nul};
  }
  const std::size_t skipped = text.size() - after_variable.size();
  if (const std::size_t at = after_variable.find("${"); at != std::string_view::npos) {
    return PatternError{PatternErrc::unknown_variable, skipped + at};
  }
  return std::nullopt;
}

std::string_view after_variable(std::string_view text) noexcept {
  const auto named = leading_variable(text);
  return named ? text.substr(named->text.size()) : text;
}

bool is_floating_text(std::string_view text) noexcept {
  return text == kAnyDepth || text.starts_with("**/");
}

Segment to_segment(std::string_view text) {
  if (text == kAnyDepth) {
    return {SegmentKind::any_depth, {}};
  }
  return {has_glob(text) ? SegmentKind::glob : SegmentKind::literal, std::string(text)};
}

void append_literals(std::vector<Segment>& segments, const AbsolutePath& path) {
  Pieces pieces(path.text());
  while (const auto piece = pieces.next()) {
    segments.push_back({SegmentKind::literal, std::string(piece->text)});
  }
}

std::size_t count_leading_literals(const std::vector<Segment>& segments) noexcept {
  const auto end = std::ranges::find_if(
      segments, [](const Segment& s) { return s.kind != SegmentKind::literal; });
  return static_cast<std::size_t>(end - segments.begin());
}

/// `relative` below ${CWD}, with "." and ".." taken away as far as text alone can: what remains of
/// ".." stands at the front, where `expand` takes it from the value of the variable.
tl::expected<std::string, PatternError> below_cwd(std::string_view relative) {
  std::vector<std::string_view> kept;
  for (const Piece& piece : split(relative)) {
    if (piece.text == ".") {
      continue;
    }
    if (piece.text == ".." && !kept.empty() && kept.back() != "..") {
      if (has_glob(kept.back())) {
        return tl::unexpected(PatternError{PatternErrc::dot_segment, piece.offset});
      }
      kept.pop_back();
      continue;
    }
    kept.push_back(piece.text);
  }
  std::string text = "${CWD}";
  for (const std::string_view segment : kept) {
    text += '/';
    text += segment;
  }
  return text;
}

}  // namespace

bool PathPattern::is_literal() const noexcept {
  return count_leading_literals(segments_) == segments_.size();
}

bool PathPattern::covers_subtree() const noexcept {
  return is_literal() || segments_.back().kind == SegmentKind::any_depth;
}

std::size_t PathPattern::literal_prefix_length() const noexcept {
  return count_leading_literals(segments_);
}

AbsolutePath PathPattern::literal_prefix() const {
  const auto literals = std::span(segments_).first(count_leading_literals(segments_));
  if (literals.empty()) {
    return AbsolutePath::root();
  }
  std::size_t size = 0;
  for (const Segment& segment : literals) {
    size += 1 + segment.text.size();
  }
  std::string text;
  text.reserve(size);
  for (const Segment& segment : literals) {
    text += '/';
    text += segment.text;
  }
  return AbsolutePath(std::move(text));
}

PathPattern PathPattern::with_literal_prefix(const AbsolutePath& prefix) const {
  std::vector<Segment> segments;
  segments.reserve(most_pieces(prefix.text()) + segments_.size());
  append_literals(segments, prefix);
  const auto rest = static_cast<std::ptrdiff_t>(count_leading_literals(segments_));
  segments.insert(segments.end(), segments_.begin() + rest, segments_.end());
  return PathPattern(std::move(segments));
}

PathPattern PathPattern::literal(const AbsolutePath& path) {
  std::vector<Segment> segments;
  segments.reserve(most_pieces(path.text()));
  append_literals(segments, path);
  return PathPattern(std::move(segments));
}

tl::expected<PatternTemplate, PatternError> PatternTemplate::parse(std::string_view text) {
  const std::string_view rest = after_variable(text);
  if (const auto error = find_error(text, rest)) {
    return tl::unexpected(*error);
  }
  const bool has_variable = rest.size() != text.size();
  if (!has_variable && text.front() != '/' && !is_floating_text(text)) {
    return tl::unexpected(PatternError{PatternErrc::relative, 0});
  }
  std::optional<PatternError> dot_segment;
  Pieces pieces(rest);
  for (std::size_t count = 0; const auto piece = pieces.next(); ++count) {
    if (count == kMaxSegments) {
      return tl::unexpected(PatternError{PatternErrc::too_long, piece->offset});
    }
    if (!dot_segment && (piece->text == "." || piece->text == "..")) {
      dot_segment = {PatternErrc::dot_segment, text.size() - rest.size() + piece->offset};
    }
  }
  if (dot_segment) {
    return tl::unexpected(*dot_segment);
  }
  return PatternTemplate(std::string(text));
}

tl::expected<PatternTemplate, PatternError> PatternTemplate::parse_from_cwd(std::string_view text) {
  const std::string_view rest = after_variable(text);
  const bool is_relative =
      !text.empty() && rest.size() == text.size() && text.front() != '/' && !is_floating_text(text);
  if (!is_relative) {
    return parse(text);
  }
  if (const auto error = find_error(text, rest)) {
    return tl::unexpected(*error);
  }
  if (split(text).size() > kMaxSegments) {
    return tl::unexpected(PatternError{PatternErrc::too_long, text.size()});
  }
  return below_cwd(text).map([](std::string full) { return PatternTemplate(std::move(full)); });
}

PathPattern PatternTemplate::expand(const Variables& variables) const {
  std::vector<Segment> segments;
  std::string_view rest = text_;
  if (const auto named = leading_variable(text_)) {
    const AbsolutePath& value = value_of(named->variable, variables);
    rest = rest.substr(named->text.size());
    segments.reserve(most_pieces(value.text()) + most_pieces(rest));
    append_literals(segments, value);
  } else {
    segments.reserve(most_pieces(rest));
  }
  Pieces pieces(rest);
  while (const auto piece = pieces.next()) {
    if (piece->text == "..") {  // only parse_from_cwd leaves any, and only in front
      if (!segments.empty()) {
        segments.pop_back();
      }
      continue;
    }
    segments.push_back(to_segment(piece->text));
  }
  return PathPattern(std::move(segments));
}

}  // namespace pmg::domain
