#include "domain/pattern.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "domain/path.hpp"
#include "domain/words.hpp"

using namespace pmg::domain;
using pmg::tests::words;
using namespace std::string_literals;

static_assert(!std::is_constructible_v<PatternTemplate, std::string>);
static_assert(!std::is_constructible_v<PathPattern, std::vector<Segment>>);
static_assert(!std::is_constructible_v<EnvPattern, std::string>);
static_assert(!std::is_constructible_v<HostPortPattern, std::string>);

namespace {

AbsolutePath path(std::string_view text) { return *AbsolutePath::parse(text); }

/// The values hold bytes that would be special in a pattern, on purpose.
Variables variables() { return {path("/home/u"), path("/w/a*b/[slug]"), path("/tmp")}; }

/// Literals as they are, globs in <>, `**` as itself.
std::string shown(const PathPattern& pattern) {
  std::string text;
  for (const Segment& segment : pattern.segments()) {
    text += '/';
    switch (segment.kind) {
      case SegmentKind::literal:
        text += segment.text;
        break;
      case SegmentKind::glob:
        text += "<" + segment.text + ">";
        break;
      case SegmentKind::any_depth:
        text += "**";
        break;
    }
  }
  return text;
}

/// Another technique than the matcher's: plain recursion on `*`, sets spelled out byte by byte.
bool glob_by_recursion(std::string_view glob, std::string_view text) {
  if (glob.empty()) {
    return text.empty();
  }
  if (glob[0] == '*') {
    return glob_by_recursion(glob.substr(1), text) ||
           (!text.empty() && glob_by_recursion(glob, text.substr(1)));
  }
  if (text.empty()) {
    return false;
  }
  if (glob[0] == '[') {
    std::size_t at = 1;
    const bool negated = at < glob.size() && (glob[at] == '!' || glob[at] == '^');
    at += negated ? 1 : 0;
    std::string members;
    for (const std::size_t first = at; at < glob.size() && (glob[at] != ']' || at == first); ++at) {
      if (at + 2 < glob.size() && glob[at + 1] == '-' && glob[at + 2] != ']') {
        for (int c = glob[at]; c <= glob[at + 2]; ++c) {
          members += static_cast<char>(c);
        }
        at += 2;
      } else {
        members += glob[at];
      }
    }
    if (at < glob.size()) {
      const bool has = members.find(text[0]) != std::string::npos;
      return has != negated && glob_by_recursion(glob.substr(at + 1), text.substr(1));
    }
  }
  return (glob[0] == '?' || glob[0] == text[0]) &&
         glob_by_recursion(glob.substr(1), text.substr(1));
}

/// What a written pattern expands to, as `shown` shows it.
struct Expansion {
  std::string_view text;
  std::string_view segments;
  const char* why;
};

/// A path of so many segments.
std::string deep(std::size_t segments) {
  std::string text;
  for (std::size_t i = 0; i < segments; ++i) {
    text += "/a";
  }
  return text;
}

}  // namespace

TEST_CASE("G1: globs of one segment") {
  struct Row {
    std::string_view glob;
    std::string_view text;
    bool matches;
    const char* why;
  };
  for (const Row& row : {
           Row{"*", ".hidden", true, "a star takes a leading dot too"},
           Row{"*.json", "a.json", true, "tail"},
           Row{"*.json", ".json", true, "a star may be empty"},
           Row{"*.json", "a.json5", false, "anchored"},
           Row{".env.*", ".env.", true, "a star may be empty"},
           Row{"?", "\xc3", true, "one byte, whichever"},
           Row{"?", "\xc3\xa9", false, "one byte, not one letter"},
           Row{"[a-c]x", "bx", true, "range"},
           Row{"[!a-c]x", "bx", false, "negated"},
           Row{"[^a-c]x", "dx", true, "negated with ^"},
           Row{"[]a]", "]", true, "a leading ] is a member"},
           Row{"[!]a]", "]", false, "also after !"},
           Row{"[a-]", "-", true, "a last - is itself"},
           Row{"[z-a]", "m", false, "an empty range"},
           Row{"[abc", "[abc", true, "an unclosed [ is itself"},
           Row{"[", "[", true, "alone"},
           Row{"[]", "[]", true, "closes nothing, so it is itself"},
           Row{"[!]", "[!]", true, "likewise"},
           Row{"a\\*", "a\\b", true, "a backslash is itself"},
           Row{"{a,b}", "a", false, "no braces"},
           Row{"A", "a", false, "case counts"},
       }) {
    CAPTURE(row.why);
    CHECK(glob_matches(row.glob, row.text) == row.matches);
  }
}

TEST_CASE("G1: every small glob and text, against plain recursion") {
  const auto globs = words("a*?[]-!", 5);
  const auto texts = words("ab]-", 3);
  std::size_t wrong = 0;
  for (const std::string& glob : globs) {
    for (const std::string& text : texts) {
      wrong += glob_matches(glob, text) != glob_by_recursion(glob, text) ? 1U : 0U;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("G1: many stars take no exponential time") {
  std::string glob;
  for (int i = 0; i < 200; ++i) {
    glob += "*a";
  }
  CHECK(!glob_matches(glob + "b", std::string(255, 'a')));
}

TEST_CASE("G2: names of variables compare without case") {
  CHECK(glob_matches_ignoring_case("npm_config_*", "NPM_CONFIG_REGISTRY"));
  CHECK(glob_matches_ignoring_case("[A-C]x", "bX"));
  CHECK(!glob_matches_ignoring_case("\xc3\x89", "\xc3\xa9"));
}

TEST_CASE("G2: every byte is the same as itself, and as the other case of an ASCII letter") {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string wrong;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string glob(1, static_cast<char>(a));
      const bool are_cases = kLetters.find(glob) != std::string_view::npos && (a ^ b) == 0x20;
      if (glob != "*" && glob != "?" &&
          glob_matches_ignoring_case(glob, std::string(1, static_cast<char>(b))) !=
              (a == b || are_cases)) {
        wrong += " " + std::to_string(a) + "/" + std::to_string(b);
      }
    }
  }
  CHECK(wrong.empty());
}

TEST_CASE("X1: patterns expand to segments") {
  for (const Expansion& row : {
           Expansion{"/", "", "the root"},
           Expansion{"/a//b/", "/a/b", "slashes are cleaned"},
           Expansion{"${CWD}", "/w/a*b/[slug]", "a value is literal, whatever its bytes"},
           Expansion{"${CWD}/[ab]/*.ts", "/w/a*b/[slug]/<[ab]>/<*.ts>", "what is written is not"},
           Expansion{"${HOME}/.cache/**", "/home/u/.cache/**", "subtree"},
           Expansion{"**", "/**", "everything"},
           Expansion{"**/.env", "/**/.env", "floating"},
           Expansion{"/a/[b", "/a/[b", "an unclosed set is literal"},
           Expansion{"/a/bc]", "/a/bc]", "so is what closes none"},
           Expansion{"/a/b**", "/a/<b**>", "** is special only as a whole segment"},
           Expansion{"/a/$HOME/~", "/a/$HOME/~", "only the braced form is a variable"},
       }) {
    CAPTURE(row.why);
    const auto pattern = PatternTemplate::parse(row.text);
    REQUIRE(pattern.has_value());
    CHECK(shown(pattern->expand(variables())) == row.segments);
    CHECK(pattern->text() == row.text);
  }
}

TEST_CASE("X2: what is no pattern, and where it goes wrong") {
  struct Row {
    std::string text;
    PatternErrc code;
    std::size_t offset;
    const char* why;
  };
  for (const Row& row : {
           Row{"", PatternErrc::empty, 0, "nothing"},
           Row{"a/b", PatternErrc::relative, 0, "relative"},
           Row{"~/a", PatternErrc::relative, 0, "a tilde is the shell's"},
           Row{"*/a", PatternErrc::relative, 0, "only ** floats"},
           Row{"${FOO}/a", PatternErrc::unknown_variable, 0, "unknown"},
           Row{"${home}", PatternErrc::unknown_variable, 0, "case counts"},
           Row{"${HOME}x", PatternErrc::unknown_variable, 0, "not a whole segment"},
           Row{"/a/${HOME}", PatternErrc::unknown_variable, 3, "not the first thing"},
           Row{"${CWD}/${HOME}", PatternErrc::unknown_variable, 7, "a second one"},
           Row{"/a/${b", PatternErrc::unknown_variable, 3, "unclosed: more likely an error"},
           Row{"/a/../b", PatternErrc::dot_segment, 3, "dot dot"},
           Row{"/a/../b/.", PatternErrc::dot_segment, 3, "the first of two"},
           Row{"${CWD}/./b", PatternErrc::dot_segment, 7, "dot"},
           Row{std::string("/a\0b", 4), PatternErrc::nul_byte, 2, "NUL"},
           Row{"/" + std::string(4096, 'a'), PatternErrc::too_long, 4096, "bytes"},
           Row{deep(257), PatternErrc::too_long, 513, "segments"},
       }) {
    CAPTURE(row.why);
    const auto pattern = PatternTemplate::parse(row.text);
    REQUIRE(!pattern.has_value());
    CHECK(pattern.error().code == row.code);
    CHECK(pattern.error().offset == row.offset);
  }
}

TEST_CASE("X2, X3: the longest patterns that there are") {
  CHECK(PatternTemplate::parse("/" + std::string(4095, 'a')).has_value());
  CHECK(PatternTemplate::parse(deep(256)).has_value());
  CHECK(PatternTemplate::parse_from_cwd(deep(256).substr(1)).has_value());
  CHECK(PatternTemplate::parse_from_cwd(deep(257).substr(1)).error().code == PatternErrc::too_long);
}

TEST_CASE("X3: relative text of the command line is below the working directory") {
  for (const Expansion& row : {
           Expansion{"x", "/w/a*b/[slug]/x", "a name"},
           Expansion{"./x/", "/w/a*b/[slug]/x", "dot slash"},
           Expansion{".", "/w/a*b/[slug]", "the directory itself"},
           Expansion{"../x", "/w/a*b/x", "its parent, although its name looks like a set"},
           Expansion{"../../../../x", "/x", "stays at the root"},
           Expansion{"a/../*.ts", "/w/a*b/[slug]/<*.ts>", "by text"},
           Expansion{"/abs", "/abs", "absolute stays"},
           Expansion{"${HOME}/x", "/home/u/x", "variables stay"},
           Expansion{"**/x", "/**/x", "floating stays"},
       }) {
    CAPTURE(row.why);
    const auto pattern = PatternTemplate::parse_from_cwd(row.text);
    REQUIRE(pattern.has_value());
    CHECK(shown(pattern->expand(variables())) == row.segments);
  }
  CHECK(PatternTemplate::parse_from_cwd("").error().code == PatternErrc::empty);
  CHECK(PatternTemplate::parse_from_cwd("*/../x").error().code == PatternErrc::dot_segment);
  CHECK(PatternTemplate::parse_from_cwd("a/${X}").error().code == PatternErrc::unknown_variable);
}

TEST_CASE("X4: kinds of patterns") {
  const auto expand = [](std::string_view text) {
    return PatternTemplate::parse(text)->expand(variables());
  };
  CHECK(expand("/a/b").is_literal());
  CHECK(expand("/a/b").covers_subtree());
  CHECK(expand("/a/**").covers_subtree());
  CHECK(!expand("/a/**").is_literal());
  CHECK(!expand("/a/*").covers_subtree());
  CHECK(expand("**").is_floating());
  CHECK(!expand("/a/**").is_floating());
  CHECK(!expand("/").is_floating());
  CHECK(!expand("/**").segments().empty());
  CHECK(expand("${CWD}/x/*.ts").literal_prefix() == path("/w/a*b/[slug]/x"));
  CHECK(expand("**/x").literal_prefix().is_root());
  CHECK(shown(expand("/a/b/*").with_literal_prefix(path("/[c]"))) == "/[c]/<*>");
  CHECK(shown(expand("/a").with_literal_prefix(path("/"))).empty());
  CHECK(PathPattern::literal(path("/*/[a]")).is_literal());
}

TEST_CASE("X5: names and globs of variables") {
  CHECK(EnvPattern::parse("NPM_*").has_value());
  CHECK(EnvPattern::parse("NPM_*")->matches("npm_token"));
  CHECK(EnvPattern::parse("").error() == EnvPatternErrc::empty);
  CHECK(EnvPattern::parse("A=B").error() == EnvPatternErrc::has_equals);
  CHECK(EnvPattern::parse("A/B").error() == EnvPatternErrc::has_slash);
  CHECK(EnvPattern::parse("A B").error() == EnvPatternErrc::has_space);
  CHECK(EnvPattern::parse("A\n").error() == EnvPatternErrc::has_control);
  CHECK(EnvPattern::parse("A\x7f").error() == EnvPatternErrc::has_control);
}

TEST_CASE("X6: endpoints") {
  const std::string label(63, 'a');
  const std::string name = label + "." + label + "." + label + "." + std::string(61, 'a');
  for (const std::string& text :
       {"*:*"s, "registry.example.com:443"s, "${NPM_REGISTRY}:443"s, "*.example.com:*"s,
        "127.0.0.1:8080"s, "[::1]:53"s, "localhost:65535"s, "a_b.internal:1"s, "az-AZ_09:19"s,
        "[::]:1"s, "[09af:AF::127.0.0.1]:1"s, label + ":1", name + ":1"}) {
    CAPTURE(text);
    CHECK(HostPortPattern::parse(text).has_value());
  }
  struct Row {
    std::string text;
    HostPortErrc code;
  };
  for (const Row& row : {
           Row{"example.com", HostPortErrc::no_port},
           Row{"[::1]", HostPortErrc::no_port},
           Row{":443", HostPortErrc::empty_host},
           Row{"https://example.com:443", HostPortErrc::has_scheme},
           Row{"example.com:443/x", HostPortErrc::has_path},
           Row{"exa mple:1", HostPortErrc::bad_host},
           Row{"a..b:1", HostPortErrc::bad_host},
           Row{"a.*.b:1", HostPortErrc::bad_host},
           Row{"*a:1", HostPortErrc::bad_host},
           Row{"::1:1", HostPortErrc::bad_host},
           Row{"a`b:1", HostPortErrc::bad_host},  // the neighbours of letters and digits
           Row{"a{b:1", HostPortErrc::bad_host},
           Row{"a@b:1", HostPortErrc::bad_host},
           Row{"a[b:1", HostPortErrc::bad_host},
           Row{"-a:1", HostPortErrc::bad_host},
           Row{"a-:1", HostPortErrc::bad_host},
           Row{label + "a:1", HostPortErrc::bad_host},
           Row{name + "a:1", HostPortErrc::bad_host},
           Row{"[:]:1", HostPortErrc::bad_host},
           Row{"[1234]:1", HostPortErrc::bad_host},
           Row{"x::1]:1", HostPortErrc::bad_host},
           Row{"[::1x:1", HostPortErrc::bad_host},
           Row{"[::g]:1", HostPortErrc::bad_host},
           Row{"[::G]:1", HostPortErrc::bad_host},
           Row{"[::`]:1", HostPortErrc::bad_host},
           Row{"[::@]:1", HostPortErrc::bad_host},
           Row{"a:0", HostPortErrc::bad_port},
           Row{"a:65536", HostPortErrc::bad_port},
           Row{"a:4294967297", HostPortErrc::bad_port},  // 1, in 32 bits
           Row{"a:1/", HostPortErrc::has_path},
           Row{"a:1;", HostPortErrc::bad_port},
           Row{"a:", HostPortErrc::bad_port},
           Row{"a:http", HostPortErrc::bad_port},
       }) {
    CAPTURE(row.text);
    REQUIRE(!HostPortPattern::parse(row.text).has_value());
    CHECK(HostPortPattern::parse(row.text).error() == row.code);
  }
}
