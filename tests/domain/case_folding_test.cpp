#include "domain/case_folding.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "decisions.hpp"
#include "domain/folded_policy.hpp"

using namespace pmg::domain;
using namespace pmg::tests;

namespace {

struct Row {
  std::string_view name;
  std::string_view folded;
  std::string_view why;
};

struct Shorter {
  std::string_view name;
  std::string_view cut;
};

/// `text` of an absolute pattern, folded; globs as they are.
std::string folded_text(std::string_view text) {
  const auto pattern = PatternTemplate::parse(text);
  REQUIRE(pattern.has_value());
  const AbsolutePath tmp = World::place("/tmp");
  std::string shown;
  const PathPattern wide = folded(pattern->expand({tmp, tmp, tmp}), Tail::kept);
  for (const Segment& segment : wide.segments()) {
    shown += segment.kind == SegmentKind::any_depth ? "/**" : "/" + segment.text;
  }
  return shown;
}

Reason reason_where(World& world, const Operation& operation, bool folds) {
  const FoldedPolicy wide(world.compiled());
  return decide(world.compiled(), wide, operation, [folds](const Operation&) { return folds; })
      .reason;
}

Reason where_folding(World& world, const Operation& operation) {
  return reason_where(world, operation, true);
}

}  // namespace

TEST_CASE("G3: names that some file system takes for the same fold to the same") {
  for (const Row& row : {
           Row{".GIT", ".git", "case"},
           Row{"a_b-1~", "a_b-1~", "only letters have case"},
           Row{".g\u200cit", ".git", "HFS+ and ext4 ignore invisible characters"},
           Row{"\ufeff.git\ufe0f", ".git", "byte order mark, variation selector"},
           Row{".\u017f\u017fh", ".ssh", "long s"},
           Row{".\u00dfh", ".ssh", "sharp s is two of them without case"},
           Row{".\u1e9eh", ".ssh", "so is the capital one"},
           Row{"hoo\u212as", "hooks", "Kelvin sign"},
           Row{"con\ufb01g", "config", "ligature"},
           Row{"G\u0130t", "git", "capital I with a dot, in simple mappings"},
           Row{"g\u0131t", "git", "dotless i, in capitals"},
           Row{"\u00c9t\u00e9", "ete", "accents"},
           Row{"E\u0301te\u0301", "ete", "the same in two characters each"},
           Row{"\u00d8l", "\x80l", "a letter of its own"},
           Row{"\u0416\u0436", "\x80", "a run of them is one"},
           Row{"\u0149", "\x80n", "apostrophe n is two letters without case"},
           Row{"\xff", "\x80", "no UTF-8"},
           Row{"\xe9t\xc3", "\x80t\x80", "cut sequences"},
           Row{"", "", "nothing"},
       }) {
    CAPTURE(row.name);
    CAPTURE(row.why);
    CHECK(folded_name(row.name, Tail::kept) == row.folded);
  }
}

TEST_CASE("G3: Windows takes dots, spaces and streams from the end of a name") {
  for (const Shorter& row :
       {Shorter{".git.", ".git"}, Shorter{".git . ", ".git"},
        Shorter{".git::$INDEX_ALLOCATION", ".git"}, Shorter{"a:b:c", "a"}, Shorter{"a. :b", "a"},
        Shorter{"...", ""}, Shorter{":a", ""}, Shorter{"a.b", "a.b"}}) {
    CAPTURE(row.name);
    CHECK(folded_name(row.name, Tail::cut) == row.cut);
    CHECK(FoldedPath(PathView::unsafe_from(row.name), Tail::kept).has_tail() ==
          (row.name != row.cut));
  }
}

TEST_CASE("G3: what folding drops does not hide the end of a name") {
  // Each of them is `.git` once the characters that nobody sees and then the dot are dropped.
  for (const std::string_view name :
       {".git.\u200c", ".git .\u200d", ".git. \ufeff", ".git.\u0301", ".git:\u200c"}) {
    CAPTURE(name);
    CHECK(folded_name(name, Tail::cut) == ".git");
    CHECK(FoldedPath(PathView::unsafe_from(name), Tail::kept).has_tail());
  }
}

TEST_CASE("G3: a name that may mean quite another one is opaque") {
  for (const std::string_view name : {"GIT~1", "git~2", "CONFI~12.JSO", "~1", "GI1234~1", "GIT~1.",
                                      "GIT~1::$DATA", "a\\b", "\xff", "a\xc3", "\xed\xa0\x80"}) {
    CAPTURE(name);
    CHECK(is_opaque_name(name));
  }
  for (const std::string_view name : {".git", "a~", "file.txt~1~", "rules~0.0.9", "backup-2024~1",
                                      "GIT~1.json", "~", "a~b1", "\u00e9", "\U0001f600", ""}) {
    CAPTURE(name);
    CHECK_FALSE(is_opaque_name(name));
  }
}

TEST_CASE("G3: a pattern in folded names matches no less") {
  CHECK(folded_text("/A/.Env.*") == "/a/.env.*");
  CHECK(folded_text("/A?/[A-Z]b/**") == "/a?/[a-z]b/**");
  CHECK(folded_text("/?"
                    "?/a?*/?[Xy]z") == "/*/a*/*z");
  CHECK(folded_text("/[Xy]/[!a]/[A-z]/[\u00e9]/[0-9_]") == "/[xy]/?/?/?/[0-9_]");
  CHECK(folded_text("/\u00e9?/?\u00e9") == "/e*/*e");
  CHECK(folded_text("/*\u0416b") == "/**b");
  CHECK(folded_text("/\u0416b") ==
        "/\x80"
        "b");
  CHECK(folded_text("/\u200b/x") == "/*/x");
  CHECK(folded_text("/[]x*") == "/[]x*");
}

TEST_CASE("G3: the folded form of a path that is too long is opaque and no path") {
  const std::string text(5000, 'a');
  const FoldedPath path(PathView::unsafe_from("/" + text), Tail::kept);
  CHECK(path.is_opaque());
  CHECK(path.view().text().empty());
}

TEST_CASE("R12: where names may fold, a denied name is denied in every spelling") {
  World world;
  world.read({"/"}).write({"${CWD}/**"}).deny_write({"/home/u/p/Makefile", "**/*.Lock"});
  for (const std::string_view path :
       {"/home/u/p/.ENV", "/home/u/p/x/.e\u0144v", "/home/u/p/.ENV.LOCAL", "/home/u/p/.ENV.\u0416",
        "/HOME/u/.SSH/id", "/home/u/.\u017fSH/id", "/home/u/.\u00dfh", "/home/u/p/.env::$DATA",
        "/home/u/p/.netrc. .", "/home/u/p/ENV~1", "/home/u/SSH~1/id"}) {
    CAPTURE(path);
    CHECK(where_folding(world, Read{at(path)}) == Reason::may_mean_denied_name);
    CHECK(reason_where(world, Read{at(path)}, false) == Reason::allowed_by_rule);
  }
  for (const std::string_view path :
       {"/home/u/p/.GIT/hooks/x", "/home/u/p/.git/HOOKS/x", "/home/u/p/.git/Config",
        "/home/u/p/MAKEFILE", "/home/u/p/a.LOCK", "/home/u/p/.con\ufb01g/../x"}) {
    CAPTURE(path);
    CHECK_FALSE(where_folding(world, Create{at(path), NodeKind::regular}) ==
                Reason::allowed_by_rule);
  }
}

TEST_CASE("R12: what stands above a denied name is guarded in every spelling") {
  World world;
  world.write({"${CWD}/**"});
  const auto in = [](std::string_view name) { return "/home/u/p/" + std::string(name); };
  const std::string git = in(".GIT");
  const std::string other = in("g");
  CHECK(where_folding(world, Create{at(git), NodeKind::symlink}) == Reason::may_mean_denied_name);
  CHECK(where_folding(world, Rename{at(other), at(git), NodeKind::directory}) ==
        Reason::may_mean_denied_name);
  CHECK(where_folding(world, Rename{at(git), at(other), NodeKind::directory}) ==
        Reason::may_mean_denied_name);
  CHECK(where_folding(world, Link{at(other), at(in(".GIT/hooks"))}) ==
        Reason::may_mean_denied_name);
  CHECK(where_folding(world, Create{at(git), NodeKind::directory}) == Reason::allowed_by_rule);
  CHECK(where_folding(world, Rename{at(in("A")), at(in("b")), NodeKind::directory}) ==
        Reason::allowed_by_rule);
}

TEST_CASE("R12: the spelling used counts as well") {
  World world;
  world.read({"/"});
  CHECK(where_folding(world, Read{at("/srv/x", "/home/u/p/.ENV")}) == Reason::may_mean_denied_name);
}

TEST_CASE("R12: ordinary work is allowed where names may fold") {
  World world;
  world.read({"/"}).write({"${CWD}/**", "/srv/*.Json"}).packages({"**/node_modules/**"});
  for (const std::string_view path :
       {"/home/u/p/README.md", "/home/u/p/\u0416\u00e9.txt", "/home/u/p/a:b", "/home/u/p/x.",
        "/home/u/p/node_modules/x/.ENV", "/srv/A\u0416.Json", "/home/u/p/environment"}) {
    CAPTURE(path);
    CHECK(where_folding(world, Write{at(path)}) == Reason::allowed_by_rule);
  }
  CHECK(where_folding(world, Read{at("/")}) == Reason::allowed_by_rule);
}

TEST_CASE("R12: an opt-out lifts what it names in every spelling, and nothing else") {
  World world;
  world.read({"/", "${CWD}/.env"});
  CHECK(where_folding(world, Read{at("/home/u/p/.ENV")}) == Reason::allowed_by_rule);
  CHECK(where_folding(world, Read{at("/home/u/p/x/.ENV")}) == Reason::may_mean_denied_name);
}

TEST_CASE("R12: a socket of the host is told by its folded name, too") {
  World world;
  world.read({"/"}).unix_sockets({"/run/Agent.sock", "${HOME}/.SSH/s"});
  CHECK(where_folding(world, ConnectUnix{at("/run/Agent.sock")}) == Reason::allowed_by_rule);
  CHECK(where_folding(world, ConnectUnix{at("/home/u/.SSH/s")}) == Reason::allowed_by_rule);
  CHECK(where_folding(world, ConnectUnix{at("/run/agent.sock")}) == Reason::nothing_allows);
}

TEST_CASE("R12: the file system is asked only where the answer depends on it") {
  World world;
  world.read({"/"}).write({"${CWD}/**"});
  const FoldedPolicy wide(world.compiled());
  int asked = 0;
  const auto count = [&asked](const Operation&) {
    ++asked;
    return true;
  };
  CHECK(decide(world.compiled(), wide, Read{at("/home/u/p/Src/Main.cpp")}, count).allowed());
  CHECK_FALSE(decide(world.compiled(), wide, Read{at("/home/u/p/.env")}, count).allowed());
  CHECK(asked == 0);
  const Decision decision = decide(world.compiled(), wide, Read{at("/home/u/p/.Env")}, count);
  CHECK(asked == 1);
  const Rule* const rule = world.compiled().rule(decision.rule);
  REQUIRE(rule != nullptr);
  CHECK(rule->text == "${CWD}/.env");
}
