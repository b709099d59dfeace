// The decisions of docs/SEMANTICS.md as tables.
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/decisions.hpp"
#include "domain/operation.hpp"

using namespace pmg::domain;
using namespace std::string_view_literals;
using pmg::tests::at;
using pmg::tests::World;

namespace {

struct Row {
  Operation operation;
  Reason reason;
  const char* why;
};

void check(World& world, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.why);
    const Decision decision = world.ask(row.operation);
    CHECK(decision.reason == row.reason);
    CHECK(decision.allowed() == (row.reason == Reason::allowed_by_rule));
  }
}

constexpr Reason kAllowed = Reason::allowed_by_rule;
constexpr Reason kNothing = Reason::nothing_allows;
constexpr Reason kDenied = Reason::denied_by_rule;
constexpr Reason kGuards = Reason::guards_denied_path;
constexpr Reason kLeaves = Reason::leaves_its_rules;
constexpr Reason kUnreadable = Reason::unreadable_source;
constexpr Reason kDevice = Reason::device_needs_own_rule;
constexpr NodeKind kFile = NodeKind::regular;
constexpr NodeKind kDirectory = NodeKind::directory;
constexpr NodeKind kSymlink = NodeKind::symlink;

}  // namespace

TEST_CASE("R1: allow is narrow, deny is wide, deny wins") {
  World world;
  world.read({"/s/lit", "/s/tree/**", "/s/g/*.json", "/w/**"})
      .deny_read({"/w/x", "/w/tree/**", "/w/g/*.key", "**/no"});
  check(world, {
                   {Read{at("/s/lit")}, kAllowed, "a literal covers itself"},
                   {Read{at("/s/lit/a/b")}, kAllowed, "and its subtree"},
                   {Read{at("/s/literal")}, kNothing, "by whole segments"},
                   {Read{at("/s")}, kNothing, "not its parent"},
                   {Read{at("/s/tree")}, kAllowed, "/** covers its own node"},
                   {Read{at("/s/tree/a")}, kAllowed, "and beneath"},
                   {Read{at("/s/g/a.json")}, kAllowed, "a glob covers what it matches"},
                   {Read{at("/s/g/a.json/b")}, kNothing, "and nothing beneath"},
                   {Read{at("/s/g")}, kNothing, "nor above"},
                   {Read{at("/w/x/y")}, kDenied, "a denied literal covers its subtree"},
                   {Read{at("/w/tree")}, kDenied, "a denied tree covers its own node"},
                   {Read{at("/w/g/a.key/b")}, kDenied, "a denied glob covers what is beneath"},
                   {Read{at("/w/a/b/c/no/d")}, kDenied, "a floating deny holds at any depth"},
                   {Read{at("/w/nope")}, kAllowed, "by whole segments"},
                   {Read{at("/else/no")}, kDenied, "also where nothing would allow"},
               });
}

TEST_CASE("R1: allow is judged on the object, deny on the object and on the spelling") {
  World world;
  world.read({"/ok/**"}).deny_read({"/ok/secret", "/alias/x"});
  check(world, {
                   {Read{at("/ok/a", "/elsewhere/a")}, kAllowed, "a symlink into what is allowed"},
                   {Read{at("/elsewhere/a", "/ok/a")}, kNothing, "a symlink out of it"},
                   {Read{at("/ok/secret", "/ok/a")}, kDenied, "a symlink to what is denied"},
                   {Read{at("/ok/a", "/alias/x")}, kDenied, "a denied spelling"},
                   {Read{at("/ok/a", "/alias//x")}, kNothing, "a malformed spelling"},
               });
}

TEST_CASE("R1: writing needs its own rule") {
  World world;
  world.read({"/"}).write({"/w/**"}).deny_write({"/w/ro"}).deny_read({"/w/blind"});
  check(world, {
                   {Write{at("/w/a")}, kAllowed, ""},
                   {Write{at("/r/a")}, kNothing, "reading is not writing"},
                   {Write{at("/w/ro/a")}, kDenied, ""},
                   {Read{at("/w/ro/a")}, kAllowed, "a deny holds for its own direction"},
                   {Write{at("/w/blind")}, kAllowed, "likewise"},
                   {Read{at("/w/blind")}, kDenied, ""},
                   {Create{at("/w/a"), kFile}, kAllowed, ""},
                   {Create{at("/w/ro/a"), kDirectory}, kDenied, ""},
                   {Remove{at("/w/a"), kFile}, kAllowed, ""},
                   {Remove{at("/r/a"), kDirectory}, kNothing, ""},
                   {ChangeMetadata{at("/w/a")}, kAllowed, ""},
                   {ChangeMetadata{at("/r/a")}, kNothing, ""},
                   {ChangeMetadata{at("/w/ro")}, kDenied, ""},
               });
}

TEST_CASE("R2: write permission implies read permission, unless reading is denied") {
  World world;
  world.write({"/w/**"}).deny_read({"/w/x"});
  check(world, {
                   {Read{at("/w/a")}, kAllowed, ""},
                   {Read{at("/w/x")}, kDenied, ""},
               });
  CHECK(world.rule(Read{at("/w/a")}) == "/w/**");
}

TEST_CASE("R3: what may not run may not be read, or a copy would run") {
  World world;
  world.read({"/"}).exec({"/bin/**"}).deny_exec({"/bin/curl"}).deny_read({"/bin/secret"});
  check(world, {
                   {Execute{at("/bin/ls")}, kAllowed, ""},
                   {Execute{at("/opt/x")}, kNothing, "reading is not executing"},
                   {Execute{at("/bin/curl")}, kDenied, ""},
                   {Read{at("/bin/curl")}, kDenied, "no copy, no ld.so"},
                   {Read{at("/bin/ls", "/bin/curl")}, kAllowed, "R3 is about the object"},
                   {Execute{at("/bin/ls", "/bin/curl")}, kDenied, "R1 is about both forms"},
                   {Execute{at("/bin/secret")}, kDenied, "running it shows what it holds"},
                   {Read{at("/bin/ls")}, kAllowed, ""},
               });
}

TEST_CASE("R4: missing literal parents of what may be written") {
  World world;
  world.write({"/h/.cache/pip/**", "/h/x/*.json", "/h/y/**/z", "/h/.cache/pip/a/b"})
      .deny_write({"/h/x"});
  check(world, {
                   {Create{at("/h"), kDirectory}, kAllowed, "a grandparent"},
                   {Create{at("/h/.cache"), kDirectory}, kAllowed, "a parent"},
                   {Create{at("/h/.cache"), kFile}, kNothing, "only as a directory"},
                   {Create{at("/h/.cache"), kSymlink}, kNothing, "least of all as a symlink"},
                   {Create{at("/h/.cache/pip"), kDirectory}, kAllowed, "the node itself"},
                   {Create{at("/h/.cache/other"), kDirectory}, kNothing, "nothing else in it"},
                   {Create{at("/h/y"), kDirectory}, kAllowed, "the parent of a glob"},
                   {Create{at("/h/y/q"), kDirectory}, kNothing, "not what a wildcard names"},
                   {Create{at("/h/x"), kDirectory}, kDenied, "denies still apply"},
                   {Create{at("/h", "/h//"), kDirectory}, kNothing, "a malformed spelling"},
                   {Remove{at("/h/.cache"), kDirectory}, kNothing, "creating alone"},
                   {Write{at("/h")}, kNothing, "creating alone"},
               });
  // Asked only where nothing else allows.
  CHECK(world.rule(Create{at("/h/.cache/pip/a"), kDirectory}) == "/h/.cache/pip/**");
}

TEST_CASE("R5: a device needs a rule of its own") {
  World world;
  world.read({"/", "**/rdisk", "**/dev/sda", "/dev/null", "/dev/shm/**"})
      .write({"/**", "/dev/null", "/dev/pts/*"})
      .exec({"/**"})
      .deny_read({"**/rdisk/no", "/dev/shm/x"});
  check(world, {
                   {Read{at("/etc/x")}, kAllowed, "elsewhere the root covers"},
                   {Read{at("/dev/sda")}, kDevice, "the root does not cover devices"},
                   {Read{at("/dev")}, kAllowed, "their directory is no device"},
                   {Read{at("/dev/rdisk")}, kDevice, "nor does a floating rule"},
                   {Write{at("/dev/sda")}, kDevice, ""},
                   {Execute{at("/dev/shm/a")}, kDevice, "another access needs its own rule too"},
                   {Read{at("/dev/null")}, kAllowed, "its own rule"},
                   {Write{at("/dev/null")}, kAllowed, ""},
                   {Read{at("/dev/shm/a/b")}, kAllowed, "a rule below /dev covers beneath"},
                   {Read{at("/dev/shm/x")}, kDenied, "denies apply as everywhere"},
                   {Read{at("/dev/pts/3")}, kAllowed, "a glob below /dev; writing implies reading"},
                   {Read{at("/x/dev/sda")}, kAllowed, "only the one /dev"},
                   {Read{at("/device")}, kAllowed, "by whole segments"},
               });
  CHECK(world.rule(Read{at("/dev/sda")}) == "/");
}

TEST_CASE("R6: what is no directory may not stand where a denied path would be beneath") {
  World world;
  world.read({"/"}).write({"${HOME}/**", "/q/**"}).deny_write({"/q/a/b/c", "/q/*/g", "/q/t/**/s"});
  world.deny_exec({"/q/e/f", "**/vault/run"}).deny_read({"/q/vault/key", "**/safe/key"});
  world.write({"/q/safe/open"});
  check(
      world,
      {
          {Create{at("/home/u/p/.git"), kFile}, kGuards, "a gitfile would move .git/hooks"},
          {Create{at("/home/u/p/.git"), kSymlink}, kGuards, "so would a symlink"},
          {Create{at("/home/u/p/.git"), kDirectory}, kAllowed, "git init"},
          {Create{at("/home/u/p/x/.git"), NodeKind::fifo}, kGuards, "any kind, any depth"},
          {Create{at("/home/u/.config"), kSymlink}, kGuards, ".config/gcloud is denied"},
          {Remove{at("/home/u/p/.git"), kFile}, kGuards, "removing makes room for another"},
          {Remove{at("/home/u/p/.git"), kDirectory}, kAllowed, "the kernel wants it empty"},
          {Write{at("/home/u/p/.git")}, kGuards, "the content of a gitfile"},
          {Write{at("/home/u/p/.gitignore")}, kAllowed, "by whole segments"},
          {Rename{at("/home/u/p/x"), at("/home/u/p/.git"), kFile}, kGuards, "onto it"},
          {Rename{at("/home/u/p/.git"), at("/home/u/p/x"), kFile}, kGuards, "away from it"},
          {Link{at("/home/u/p/x"), at("/home/u/p/.git")}, kGuards, "a hard link"},
          {Create{at("/home/u/p/.git/modules/x"), kSymlink}, kGuards, "git would follow it"},
          {Create{at("/home/u/p/.git/modules/x"), kFile}, kAllowed, "and not enter a file"},
          {Link{at("/home/u/p/x"), at("/home/u/p/.git/modules/x"), kSymlink}, kGuards,
           "a hard link to a symlink is a symlink"},
          {Link{at("/home/u/p/x"), at("/home/u/p/.git/modules/x")}, kAllowed, "to a file, a file"},
          {Create{at("/q/a"), kSymlink}, kGuards, "an ancestor of a literal"},
          {Create{at("/q/a/b"), kSymlink}, kGuards, "the parent of a literal"},
          {Create{at("/q/a/b2"), kSymlink}, kAllowed, "a neighbour"},
          {Create{at("/q/z"), kSymlink}, kAllowed, "/q/*/g: every name would be guarded"},
          {Create{at("/q/t"), kFile}, kGuards, "/q/t/**/s: t is a literal"},
          {Create{at("/q/t/u"), kSymlink}, kAllowed, "beneath t any name would be guarded"},
          {Create{at("/q/e"), kFile}, kAllowed, "denied programs do not guard"},
          {Create{at("/q/z", "/q/a"), kSymlink}, kGuards, "the spelling counts"},
          {Create{at("/q/a", "/q/z"), kSymlink}, kGuards, "so does the object"},
          {Create{at("/q/vault"), kSymlink}, kGuards, "one of two rules guards"},
          {Create{at("/q/vault"), kFile}, kGuards, "likewise"},
          {Create{at("/q/safe"), kSymlink}, kGuards, "the other one"},
          {Create{at("/q/safe"), kFile}, kGuards, "likewise"},
          {ChangeMetadata{at("/q/a")}, kAllowed, "chmod replaces nothing"},
      });
  CHECK(world.rule(Create{at("/q/a"), kSymlink}) == "/q/a/b/c");
}

TEST_CASE("R7: a directory moves only where the same rules hold beneath it") {
  World world;
  world.read({"/", "/q/known", "**/tools"})
      .write({"${CWD}/**", "/q/**", "/exact/*", "/free/**"})
      .exec({"/q/**"})
      .deny_read({"/q/*/secret", "/q/deep/a/b"})
      .deny_exec({"/q/tools/x"})
      .packages({"**/node_modules/**"});
  const auto move = [](std::string_view from, std::string_view to) {
    return Rename{at(from), at(to), kDirectory};
  };
  check(world,
        {
            {move("/home/u/p/d", "/home/u/p/d2"), kAllowed, "floating rules hold everywhere"},
            {move("/home/u/p/d", "/home/u/p/x/y/d"), kAllowed, "at any depth"},
            {move("/home/u/p/.git", "/home/u/p/g"), kGuards, "mv .git g; edit g/hooks"},
            {move("/home/u/p/g", "/home/u/p/.git"), kLeaves, "a prepared tree onto .git"},
            {move("/home/u/p/a/.git", "/home/u/p/b/.git"), kAllowed, "the same rules as before"},
            {move("/home/u/p/.git", "/home/u/p/b/.git"), kGuards, "CWD's own .git has more rules"},
            {move("/home/u/p/.config", "/home/u/p/c"), kGuards, "credentials beneath"},
            {move("/q/d", "/q/d2"), kAllowed, "/q/*/secret holds beneath both"},
            {move("/q/d", "/q/d/e"), kLeaves, "and not one level deeper"},
            {move("/q/deep", "/q/d"), kGuards, "/q/deep/a/b"},
            {move("/q/tools", "/q/t"), kLeaves, "a denied program would become another"},
            {move("/home/u/p/node_modules/x", "/home/u/p/x"), kLeaves, ".env was content there"},
            {move("/home/u/p/x", "/home/u/p/node_modules/x"), kLeaves, ".env would become content"},
            {move("/home/u/p/node_modules/a", "/home/u/p/node_modules/.a-1"), kAllowed, "npm"},
            {move("/home/u/p/node_modules", "/home/u/p/n"), kLeaves, "the region itself"},
            {move("/exact/d", "/q/d"), kLeaves, "what is beneath was not writable"},
            {move("/exact/d", "/exact/e"), kAllowed, "and still is not"},
            {move("/q/d", "/exact/d"), kLeaves, "it would plant what nobody may write there"},
            {move("/free/d", "/exact/d"), kLeaves, "likewise, with no deny beneath either"},
            {move("/q/known", "/q/d"), kAllowed, "a rule that ends at the directory stays"},
            {move("/q/d", "/r/d"), kNothing, "the target must be writable"},
            {move("/r/d", "/q/d"), kNothing, "so must the source"},
        });
  CHECK(world.rule(move("/home/u/p/a/.git", "/home/u/p/g")) == "**/.git/hooks");
  CHECK(world.rule(move("/q/d", "/q/d/e")) == "/q/*/secret");
  CHECK(world.rule(move("/q/tools", "/q/t")) == "/q/tools/x");
}

TEST_CASE("R7: what could not be read beneath a directory does not become readable") {
  World world;
  world.write({"/one/*", "/two/*"}).read({"/two/**", "/one/open/*.md"});
  const auto move = [](std::string_view from, std::string_view to) {
    return Rename{at(from), at(to), kDirectory};
  };
  check(world, {
                   {move("/one/a", "/one/b"), kAllowed, "no rule beneath either"},
                   {move("/one/a", "/two/a"), kLeaves, "all of it would be readable"},
                   {move("/two/a", "/one/a"), kAllowed, "and may become unreadable"},
                   {move("/one/a", "/one/open"), kLeaves, "the .md beneath would be readable"},
               });
}

TEST_CASE("R7: an absolute opt-out or package tree beneath only one of the two counts too") {
  World world;
  world.read({"/", "/q/a/.env"}).write({"/q/**"}).packages({"/q/store/pk/**"});
  check(world, {
                   {Read{at("/q/a/.env")}, kAllowed, "the opt-out"},
                   {Rename{at("/q/b"), at("/q/a"), kDirectory}, kLeaves, "b/.env would be a/.env"},
                   {Rename{at("/q/b"), at("/q/store"), kDirectory}, kLeaves, "b/pk/.env likewise"},
                   {Rename{at("/q/b"), at("/q/c"), kDirectory}, kAllowed, "neither"},
               });
}

TEST_CASE("R7: a directory takes no socket under another rule of unix_sockets") {
  World world;
  world.read({"/"}).write({"/q/**"}).unix_sockets({"/q/run/**", "/q/one", "/q/*/agent.sock"});
  const auto move = [](std::string_view from, std::string_view to) {
    return Rename{at(from), at(to), kDirectory};
  };
  check(world, {
                   {move("/q/a", "/q/run/a"), kLeaves, "a/x is connected to beneath run"},
                   {move("/q/run/a", "/q/a"), kLeaves, "the other direction of an exchange"},
                   {move("/q/a", "/q/run"), kLeaves, "in place of the directory of the rule"},
                   {move("/q/a/b", "/q/one"), kLeaves, "in place of the socket of the rule"},
                   {move("/q/a/b", "/q/b"), kLeaves, "b/agent.sock is connected to"},
                   {move("/q/run/a", "/q/run/b"), kAllowed, "the same rule"},
                   {move("/q/a", "/q/b"), kAllowed, "the same glob"},
                   {move("/q/a/b", "/q/a/c"), kAllowed, "none"},
               });
}

TEST_CASE("R8: what is renamed or linked must be readable and writable") {
  World world;
  world.read({"/"}).write({"/w/**"}).deny_read({"/w/blind"}).deny_exec({"/w/tool"});
  check(world,
        {
            {Rename{at("/w/a"), at("/w/b"), kFile}, kAllowed, ""},
            {Rename{at("/w/blind"), at("/w/b"), kFile}, kUnreadable, "would be readable as b"},
            {Rename{at("/w/tool"), at("/w/b"), kFile}, kUnreadable, "would run as b"},
            {Rename{at("/w/a"), at("/w/.env"), kFile}, kDenied, "the target is denied"},
            {Rename{at("/r/a"), at("/w/b"), kFile}, kNothing, "the source is not writable"},
            {Link{at("/w/a"), at("/w/b")}, kAllowed, ""},
            {Link{at("/w/blind"), at("/w/b")}, kUnreadable, ""},
            {Link{at("/r/a"), at("/w/b")}, kNothing, "b would be a's writable name"},
            {Link{at("/w/a"), at("/r/b")}, kNothing, ""},
            {Link{at("/w/a", "/w/.env"), at("/w/b")}, kDenied, "the spelling counts"},
        });
}

TEST_CASE("R10: a device may be opened, and its name and metadata are not for the sandbox") {
  World world;
  world.read({"/"}).write({"/dev/null", "/dev/pts/**", "/dev/shm/**", "/dev/tty"});
  for (const std::string_view path : {"/dev/null", "/dev/tty", "/dev/pts/3", "/dev/pts/new"}) {
    CAPTURE(path);
    CHECK(world.reason(Read{at(path)}) == kAllowed);
    CHECK(world.reason(Write{at(path)}) == kAllowed);
    CHECK(world.reason(ChangeMetadata{at(path)}) == kDevice);
    CHECK(world.reason(Remove{at(path), NodeKind::device}) == kDevice);
    CHECK(world.reason(Create{at(path), NodeKind::regular}) == kDevice);
    CHECK(world.reason(Create{at(path), NodeKind::directory}) == kDevice);
    CHECK(world.reason(Rename{at(path), at("/dev/shm/x"), NodeKind::device}) == kDevice);
    CHECK(world.reason(Rename{at("/dev/shm/x"), at(path), NodeKind::regular}) == kDevice);
    CHECK(world.reason(Link{at(path), at("/dev/shm/x")}) == kDevice);
  }
  CHECK(world.reason(Create{at("/dev/shm/sem.x"), NodeKind::regular}) == kAllowed);
  CHECK(world.reason(Remove{at("/dev/shm/sem.x"), NodeKind::regular}) == kAllowed);
  CHECK(world.reason(ChangeMetadata{at("/dev/shm/sem.x")}) == kAllowed);
}

TEST_CASE("R11: a socket of the host needs a rule") {
  World world;
  world.read({"/"})
      .write({"${CWD}/**"})
      .deny_read({"/q/**"})
      .deny_write({"/r"})
      .unix_sockets({"/run/agent.sock", "/run/db/**", "/q/*.sock", "/r/named", "${HOME}/.ssh/agent",
                     "${HOME}/.gnupg/*", "/q/x.sock", "/r/tree/**", "/r/tree"});
  const auto connect = [](std::string_view path) { return ConnectUnix{at(path)}; };
  check(world,
        {
            {connect("/run/agent.sock"), kAllowed, "named"},
            {connect("/run/db/x/y.sock"), kAllowed, "beneath a tree"},
            {connect("/run/docker.sock"), kNothing, "no rule"},
            {connect("/home/u/p/x.sock"), kNothing, "what may be written is not connected to"},
            {connect("/q/a.sock"), kDenied, "a glob does not pass a deny of reading"},
            {connect("/r/named"), kAllowed, "its exact path passes a deny"},
            {connect("/q/x.sock"), kAllowed, "also where a glob matches it as well"},
            {connect("/r/tree"), kAllowed, "or a tree ends there as well"},
            {connect("/r/tree/x"), kDenied, "beneath it, only the tree does"},
            {connect("/r/named/x"), kDenied, "and nothing beneath it"},
            {connect("/home/u/.ssh/agent"), kAllowed, "its exact path, among credentials"},
            {connect("/home/u/.ssh/other"), kDenied, "and not its neighbour"},
            {connect("/home/u/.gnupg/S.gpg-agent"), kDenied, "a glob, among credentials"},
            {Read{at("/home/u/.ssh/agent")}, kDenied, "connecting is not reading"},
            {ConnectUnix{at("/run/agent.sock", "/x/agent")}, kAllowed, "the object counts"},
            {ConnectUnix{at("/run/docker.sock", "/run/agent.sock")}, kNothing, "not the spelling"},
            {ConnectUnix{at("/run/db/a", "/q/a")}, kDenied, "a deny of the spelling counts"},
            {connect("run/agent.sock"), kNothing, "malformed"},
            {ConnectUnix{at("/run/db/a", "a")}, kNothing, "malformed spelling"},
        });
}

TEST_CASE("R9: a malformed path is denied whatever the rules say") {
  World world;
  world.read({"/", "/**", "**"}).write({"/"}).exec({"/"});
  for (const std::string_view text : {""sv, "a"sv, "//"sv, "/a//b"sv, "/a/"sv, "/./a"sv, "/a/.."sv,
                                      "/a\0b"sv, "/dev/"sv, "\0"sv}) {
    CAPTURE(text);
    for (const Operation& operation : std::vector<Operation>{
             Read{at(text)}, Write{at(text)}, Execute{at(text)}, Create{at(text), kDirectory},
             Read{at("/a", text)}, Link{at("/a"), at(text)}, Rename{at(text), at("/a"), kFile}}) {
      CHECK(world.reason(operation) == kNothing);
    }
  }
  const std::string deep = [] {
    std::string text;
    for (int i = 0; i < 5000; ++i) {
      text += "/x";
    }
    return text;
  }();
  CHECK(world.reason(Read{at(deep)}) == kAllowed);
}

TEST_CASE("B2: the worked decisions of docs/SEMANTICS.md") {
  World world;
  world.read({"/"})
      .write({"${CWD}/**", "${HOME}/.cache/pip/**"})
      .deny_write({"**/*.lock"})
      .deny_exec({"/usr/bin/curl"})
      .packages({"**/node_modules/**"});
  const auto move = [](std::string_view from, std::string_view to, NodeKind kind) {
    return Rename{at(from), at(to), kind};
  };
  check(world,
        {
            {Read{at("/etc/hosts")}, kAllowed, "/"},
            {Read{at("/home/u/p/.env")}, kDenied, "mandatory"},
            {Read{at("/home/u/.ssh/id", "/srv/link")}, kDenied, "the object"},
            {Read{at("/home/u/p/node_modules/x/.env")}, kAllowed, "C1"},
            {Write{at("/home/u/p/a.lock")}, kDenied, "written deny"},
            {Write{at("/home/u/x")}, kNothing, "no rule"},
            {Create{at("/home/u/.cache"), kDirectory}, kAllowed, "R4"},
            {Create{at("/home/u/.cache"), kSymlink}, kNothing, "R4 is for directories"},
            {Read{at("/dev/sda")}, kDevice, "R5"},
            {Read{at("/usr/bin/curl")}, kDenied, "R3"},
            {Create{at("/home/u/p/x/.git"), kFile}, kGuards, "R6"},
            {Create{at("/home/u/p/x/.git"), kDirectory}, kAllowed, "R6 is not about directories"},
            {Create{at("/home/u/p/x/.git/hooks"), kDirectory}, kDenied, "H1"},
            {move("/home/u/p/d", "/home/u/p/d2", kDirectory), kAllowed, "R7"},
            {move("/home/u/p/.git", "/home/u/p/g", kDirectory), kGuards, "R7"},
            {move("/home/u/p/g", "/home/u/p/.git", kDirectory), kLeaves, "R7"},
            {move("/home/u/p/node_modules/x", "/home/u/p/x", kDirectory), kLeaves, "R7"},
            {move("/home/u/p/.git/config.lock", "/home/u/p/.git/config", kFile), kDenied, "target"},
        });
}
