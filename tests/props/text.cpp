// Parsers and matchers on any text at all.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "domain/overrides.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/proc_path.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "gen/world.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;
using std::string_view_literals::operator""sv;

namespace {

/// Text of the bytes that a grammar looks at, mostly.
std::string text_of(gen::Choices& c, std::string_view alphabet, std::size_t longest) {
  std::string text;
  while (text.size() < longest && !c.one_in(8)) {
    const std::uint8_t byte = c.byte();
    if (byte == 0) {  // exhausted, or nearly: the simplest text is the shortest
      break;
    }
    text += byte < 192 ? alphabet[byte % alphabet.size()] : static_cast<char>(byte);
  }
  return text;
}

/// G1 by its definition; exponential, so for short texts only.
bool recursive_glob(std::string_view glob, std::string_view text) {
  if (glob.empty()) {
    return text.empty();
  }
  if (glob[0] == '*') {
    return recursive_glob(glob.substr(1), text) ||
           (!text.empty() && recursive_glob(glob, text.substr(1)));
  }
  if (text.empty()) {
    return false;
  }
  if (glob[0] == '?') {
    return recursive_glob(glob.substr(1), text.substr(1));
  }
  const bool is_negated = glob.size() > 1 && (glob[1] == '!' || glob[1] == '^');
  const std::size_t first = is_negated ? 2 : 1;
  const std::size_t close = glob[0] == '[' && first < glob.size()
                                ? glob.find(']', first + 1)  // a leading ] is a member
                                : std::string_view::npos;
  if (close == std::string_view::npos) {
    return glob[0] == text[0] && recursive_glob(glob.substr(1), text.substr(1));
  }
  bool is_member = false;
  for (std::size_t at = first; at < close; ++at) {
    const auto low = static_cast<unsigned char>(glob[at]);
    auto high = low;
    if (at + 2 < close && glob[at + 1] == '-') {
      high = static_cast<unsigned char>(glob[at + 2]);
      at += 2;
    }
    const auto byte = static_cast<unsigned char>(text[0]);
    is_member = is_member || (low <= byte && byte <= high);
  }
  return is_member != is_negated && recursive_glob(glob.substr(close + 1), text.substr(1));
}

}  // namespace

/// expand(t, v) == literal segments of the value, then the rest as it stands in the text.
bool expansion_makes_no_wildcard(gen::Choices& c) {
  const Variables odd = gen::variables(c);
  const PatternTemplate pattern = gen::pattern(c);
  const AbsolutePath root = AbsolutePath::root();
  c.note("pattern", [&] { return pattern.text(); });
  c.note("home, cwd", [&] { return odd.home.text() + " " + odd.cwd.text(); });
  std::vector<Segment> expected;
  if (pattern.text().starts_with("${HOME}")) {
    expected = PathPattern::literal(odd.home).segments();
  } else if (pattern.text().starts_with("${CWD}")) {
    expected = PathPattern::literal(odd.cwd).segments();
  }
  const bool value_is_literal = std::ranges::all_of(
      expected, [](const Segment& s) { return s.kind == SegmentKind::literal; });
  const auto rest = pattern.expand(Variables{root, root, root}).segments();
  expected.insert(expected.end(), rest.begin(), rest.end());
  return value_is_literal && pattern.expand(odd).segments() == expected;
}

bool glob_agrees_with_recursion(gen::Choices& c) {
  const std::string glob = text_of(c, "ab*?[]-!^", 8);
  const std::string text = text_of(c, "abc]-[!", 8);
  c.note("glob", [&] { return glob; });
  c.note("text", [&] { return text; });
  const bool expected = recursive_glob(glob, text);
  return glob_matches(glob, text) == expected &&
         (has_glob(glob) || expected == (std::string_view(glob) == text));
}

/// parse(t.text()) == t for every kind of pattern that parsed.
bool patterns_survive_printing(gen::Choices& c) {
  constexpr std::array kStarts{"/"sv, "${HOME}"sv, "${CWD}/"sv, "**/"sv, ""sv, "*:"sv, "${"sv};
  const std::string text = std::string(c.pick(kStarts)) + text_of(c, "ab/*.?[]:$={}", 24);
  c.note("text", [&] { return text; });
  if (const auto pattern = PatternTemplate::parse(text)) {
    const auto again = PatternTemplate::parse(pattern->text());
    const AbsolutePath root = AbsolutePath::root();
    const Variables variables{root, root, root};
    if (!again || *again != *pattern || again->expand(variables) != pattern->expand(variables)) {
      return false;
    }
    const PathPattern expanded = pattern->expand(variables);
    for (const Segment& segment : expanded.segments()) {
      if (segment.text == "." || segment.text == ".." ||
          segment.text.find('/') != std::string::npos ||
          (segment.kind == SegmentKind::any_depth) != segment.text.empty()) {
        return false;
      }
    }
  }
  if (const auto name = EnvPattern::parse(text)) {
    const auto again = EnvPattern::parse(name->text());
    if (!again || *again != *name) {
      return false;
    }
  }
  if (const auto host = HostPortPattern::parse(text)) {
    const auto again = HostPortPattern::parse(host->text());
    if (!again || *again != *host) {
      return false;
    }
  }
  return true;
}

bool paths_survive_printing(gen::Choices& c) {
  const std::string text = (c.one_in(8) ? "" : "/") + text_of(c, "ab./", 24);
  c.note("text", [&] { return text; });
  const auto path = AbsolutePath::parse(text);
  const AbsolutePath normal = normalise(AbsolutePath::root(), text);
  if (!path) {
    return path.error().offset <= text.size();
  }
  return path->text() == text && normal == *path && path->is_within(path->parent()) &&
         (path->is_root() || gen::child(path->parent(), path->filename()) == *path);
}

/// normalise gives a path, the same one again, and one below the root whatever it is given.
bool normalise_is_idempotent(gen::Choices& c) {
  const AbsolutePath base = gen::as_path(text_of(c, "ab./", 12));
  const std::string spelled = text_of(c, "ab./", 24) + c.rest();
  c.note("base", [&] { return base.text(); });
  c.note("spelled", [&] { return spelled; });
  const AbsolutePath path = normalise(base, spelled);
  const auto parsed = AbsolutePath::parse(path.text());
  return parsed && *parsed == path && normalise(base, path.text()) == path;
}

/// Any argument of --sandbox-allow is an override or an error that repeats it; a program is one
/// path; and every override adds to the policy, but for a preset that nobody knows.
bool overrides_never_crash(gen::Choices& c) {
  constexpr std::array kTypes{"read="sv, "write="sv,       "exec="sv,     "env="sv,   "unix="sv,
                              ""sv,      "net-connect="sv, "net-bind="sv, "preset="sv};
  const std::string text = std::string(c.pick(kTypes)) + text_of(c, "ab/*.?[]~$={}", 24) + c.rest();
  c.note("text", [&] { return text; });
  const auto rule = parse_override(text);
  if (!rule) {
    return rule.error().text == text;
  }
  const Variables variables{gen::as_path("/h"), gen::as_path("/h/[w]"), gen::as_path("/t")};
  if (const auto* exec = std::get_if<AllowExec>(&*rule)) {
    if (!exec->pattern.expand(variables).is_literal()) {
      return false;
    }
  }
  const bool adds = with_overrides(Policy{}, {*rule}, variables) != Policy{};
  return adds != std::holds_alternative<AllowPreset>(*rule);
}

/// O5: what is saved of an override, parsed again, is the same rule, and in any directory.
bool saved_overrides_keep_their_meaning(gen::Choices& c) {
  constexpr std::array kTypes{"read="sv, "write="sv,  "exec="sv,        "unix="sv,
                              "env="sv,  "preset="sv, "net-connect="sv, "net-bind="sv};
  const std::string text = std::string(c.pick(kTypes)) + text_of(c, "ab/*.?[]$CWD{}:1", 16);
  c.note("text", [&] { return text; });
  const auto rule = parse_override(text);
  const Variables here = gen::variables(c);
  const auto saved = rule ? text_of(*rule, here) : std::nullopt;
  if (!saved) {
    return true;
  }
  c.note("saved", [&] { return saved->value; });
  const auto again = parse_override(std::string(saved->type) + "=" + saved->value);
  if (!again) {
    return false;
  }
  const Variables elsewhere{here.home, gen::as_path("/else/where"), here.tmpdir};
  const auto compiled_alike = [&](const PathRules& a, const PathRules& b) {
    return a.size() == b.size() &&
           std::ranges::equal(a, b, [&](const auto& one, const auto& other) {
             return one.value.expand(here) == other.value.expand(elsewhere);
           });
  };
  const Policy first = with_overrides(Policy{}, {*rule}, here);
  const Policy second = with_overrides(Policy{}, {*again}, elsewhere);
  return compiled_alike(first.filesystem.allow_read, second.filesystem.allow_read) &&
         compiled_alike(first.filesystem.allow_write, second.filesystem.allow_write) &&
         compiled_alike(first.process.allow_exec, second.process.allow_exec) &&
         compiled_alike(first.unix_sockets, second.unix_sockets) &&
         first.network == second.network && first.environment == second.environment &&
         text_of(*again, elsewhere) == saved;
}

/// Nothing that holds a number below /proc is both unknown and harmless, and what may be written is
/// never revealing of another process.
bool proc_paths_fail_closed(gen::Choices& c) {
  constexpr std::array kEntries{"stat"sv,  "comm"sv, "environ"sv, "mem"sv,
                                "task/"sv, "fd/3"sv, "root"sv};
  std::string text = c.one_in(2) ? "/proc/1" : "/proc/";
  text += text_of(c, "0123456789/task", 16);
  if (c.one_in(2)) {
    text += "/";
    text += c.pick(kEntries);
  }
  c.note("text", [&] { return text; });
  const auto parsed = parse_proc_path(text);
  if (!parsed) {
    return !is_writable_proc_entry(text);
  }
  const bool names_secret = text.ends_with("/environ") || text.ends_with("/mem") ||
                            text.ends_with("/fd/3") || text.ends_with("/root");
  return parsed->pid >= 0 && (!names_secret || parsed->entry == ProcEntry::revealing) &&
         (!parsed->is_process_directory || parsed->entry == ProcEntry::harmless);
}

/// Adding arguments never turns an install into something that runs outside the sandbox.
bool classify_is_total(gen::Choices& c) {
  constexpr std::array kWords{"install"sv,   "i"sv,   "ls"sv,   "run"sv,  "-g"sv,
                              "--version"sv, "mod"sv, "tidy"sv, "sync"sv, "pip"sv,
                              "x.y/z"sv,     "."sv,   ""sv,     "add"sv};
  const auto managers = all_package_managers();
  const PackageManager manager = managers[c.below(managers.size())];
  std::vector<std::string_view> arguments;
  while (arguments.size() < 6 && c.one_in(2)) {
    arguments.push_back(c.pick(kWords));
  }
  const bool named_install = std::ranges::find(arguments, "install"sv) != arguments.end();
  const CommandKind kind = classify(manager, arguments);
  return !named_install || kind != CommandKind::local;
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("X1: expansion makes no wildcard") { CHECK_HOLDS_OFTEN(expansion_makes_no_wildcard); }
TEST_CASE("G1: the matcher agrees with its definition") {
  CHECK_HOLDS_OFTEN(glob_agrees_with_recursion);
}
TEST_CASE("P4: patterns survive printing") { CHECK_HOLDS_OFTEN(patterns_survive_printing); }
TEST_CASE("P1: paths survive printing") { CHECK_HOLDS_OFTEN(paths_survive_printing); }
TEST_CASE("P3: normalise is idempotent") { CHECK_HOLDS_OFTEN(normalise_is_idempotent); }
TEST_CASE("O4: overrides never crash") { CHECK_HOLDS_OFTEN(overrides_never_crash); }
TEST_CASE("O5: saved overrides keep their meaning") {
  CHECK_HOLDS_OFTEN(saved_overrides_keep_their_meaning);
}
TEST_CASE("Q1: paths of processes fail closed") { CHECK_HOLDS_OFTEN(proc_paths_fail_closed); }
TEST_CASE("K3: classify is total") { CHECK_HOLDS_OFTEN(classify_is_total); }
