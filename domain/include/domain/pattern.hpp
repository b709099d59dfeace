/// Path patterns: what a rule of a policy says about paths. docs/SEMANTICS.md has the grammar.
///
///   PatternTemplate::parse("${CWD}/app/*.ts")       // text, before expansion
///   template.expand(variables)                      // PathPattern: segments, absolute or floating
///
/// Variables expand to *literal* segments (X1): a directory called "app/[slug]" never becomes a
/// set. Not for: deciding. Patterns are compiled into one automaton by `compile`
/// (domain/compiled.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "domain/path.hpp"

namespace pmg::domain {

enum class Tail : std::uint8_t;  // domain/case_folding.hpp

/// The only variables of a pattern. Values come from trusted sources (the operator's environment,
/// the password database), never from files of the project.
enum class Variable : std::uint8_t { home, cwd, tmpdir };

/// Values of the variables. They are paths, so they cannot be empty or relative.
struct Variables {
  AbsolutePath home;
  AbsolutePath cwd;
  AbsolutePath tmpdir;
};

enum class SegmentKind : std::uint8_t {
  literal,    ///< exactly these bytes
  glob,       ///< `*`, `?` and `[...]` within one segment
  any_depth,  ///< `**`: zero or more whole segments
};

struct Segment {
  SegmentKind kind;
  std::string text;  ///< empty for any_depth

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// G1: `*` any run of bytes, `?` one byte, `[a-z]`/`[!a-z]`/`[^a-z]` one byte of a set; an unclosed
/// `[` is itself; nothing else is special. Linear in |text| × |pattern|, no recursion.
[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view text) noexcept;

/// The segment holds a `*`, a `?` or a closed `[...]`; otherwise it is a literal.
[[nodiscard]] bool has_glob(std::string_view segment) noexcept;

/// G2: as glob_matches, ASCII letters compared without case (names of environment variables).
[[nodiscard]] bool glob_matches_ignoring_case(std::string_view glob,
                                              std::string_view text) noexcept;

enum class PatternErrc {
  empty,
  relative,          ///< neither absolute, nor `${VAR}/…`, nor `**/…`
  unknown_variable,  ///< `${FOO}`; also a variable that is not the first thing
  dot_segment,
  nul_byte,
  too_long,  ///< more than 4096 bytes or 256 segments (PATH_MAX; a bound for the automaton)
};

struct PatternError {
  PatternErrc code;
  std::size_t offset;  ///< byte index into the text
};

/// An expanded pattern. `floating` patterns (`**/X`) hold everywhere in the file system.
class PathPattern {
 public:
  [[nodiscard]] const std::vector<Segment>& segments() const noexcept { return segments_; }
  /// Starts with `**`, so it applies at any depth of the whole file system.
  [[nodiscard]] bool is_floating() const noexcept {
    return !segments_.empty() && segments_.front().kind == SegmentKind::any_depth;
  }
  /// No glob and no `**` anywhere.
  [[nodiscard]] bool is_literal() const noexcept;
  /// Ends in `/**`, or is literal: covers the node and everything beneath on both sides.
  [[nodiscard]] bool covers_subtree() const noexcept;
  /// How many leading segments are literal.
  [[nodiscard]] std::size_t literal_prefix_length() const noexcept;
  /// The leading literal segments as a path ("/" when there is none).
  [[nodiscard]] AbsolutePath literal_prefix() const;
  /// The same pattern with its literal prefix replaced; used for the canonical twin of a rule.
  [[nodiscard]] PathPattern with_literal_prefix(const AbsolutePath& prefix) const;
  /// A pattern that means exactly this path and its subtree, whatever bytes it has.
  [[nodiscard]] static PathPattern literal(const AbsolutePath& path);

  friend bool operator==(const PathPattern&, const PathPattern&) = default;

 private:
  friend class PatternTemplate;
  friend PathPattern folded(const PathPattern& pattern, Tail tail);
  explicit PathPattern(std::vector<Segment> segments) noexcept : segments_(std::move(segments)) {}
  std::vector<Segment> segments_;
};

/// A pattern as written, checked but not expanded. Forms: `/abs`, `${HOME|CWD|TMPDIR}` with an
/// optional `/rest`, `**/rest` and `**`. A trailing '/' is dropped, "//" is one '/'.
class PatternTemplate {
 public:
  [[nodiscard]] static tl::expected<PatternTemplate, PatternError> parse(std::string_view text);
  /// As `parse`, and a relative text is taken below ${CWD} (`./x`, `x`, `../x`, normalised by text
  /// after expansion): for values of the command line, where the shell's directory is meant.
  [[nodiscard]] static tl::expected<PatternTemplate, PatternError> parse_from_cwd(
      std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// X1: total; the value of a variable becomes literal segments.
  [[nodiscard]] PathPattern expand(const Variables& variables) const;

  friend bool operator==(const PatternTemplate&, const PatternTemplate&) = default;

 private:
  explicit PatternTemplate(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_;
};

/// The name of an environment variable or a glob over names.
enum class EnvPatternErrc { empty, has_equals, has_slash, has_space, has_control };

class EnvPattern {
 public:
  [[nodiscard]] static tl::expected<EnvPattern, EnvPatternErrc> parse(std::string_view text);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool matches(std::string_view name) const noexcept;

  friend bool operator==(const EnvPattern&, const EnvPattern&) = default;

 private:
  explicit EnvPattern(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_;
};

/// `host:port` of a network rule; `*` is any host or port, `*.example.com` one or more labels under
/// it, `${NPM_REGISTRY}` the registry that npm is configured for, so that no file names its host.
enum class HostPortErrc { no_port, empty_host, bad_host, bad_port, has_scheme, has_path };

class HostPortPattern {
 public:
  [[nodiscard]] static tl::expected<HostPortPattern, HostPortErrc> parse(std::string_view text);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  friend bool operator==(const HostPortPattern&, const HostPortPattern&) = default;

 private:
  explicit HostPortPattern(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace pmg::domain
