// What compiling adds to the written rules: mandatory denies, opt-outs, package content, twins.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/decisions.hpp"
#include "domain/mandatory.hpp"
#include "domain/operation.hpp"

using namespace pmg::domain;
using pmg::tests::at;
using pmg::tests::World;

namespace {

constexpr Reason kAllowed = Reason::allowed_by_rule;
constexpr Reason kNothing = Reason::nothing_allows;
constexpr Reason kDenied = Reason::denied_by_rule;
constexpr Reason kGuards = Reason::guards_denied_path;

World open_world() {
  World world;
  world.read({"/"}).write({"/**"});
  return world;
}

Reason read(World& world, std::string_view path) { return world.reason(Read{at(path)}); }
Reason write(World& world, std::string_view path) { return world.reason(Write{at(path)}); }

/// A name of that kind: the glob's star stands for one letter.
std::string instance(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '*', 'x');
  return text;
}

}  // namespace

TEST_CASE("M5: credentials are denied below both roots and everywhere, in both directions") {
  World world = open_world();
  for (const std::string_view name : credential_names()) {
    CAPTURE(name);
    for (const char* root : {"/home/u/p/", "/home/u/", "/", "/srv/a/b/c/"}) {
      const std::string path = root + instance(name);
      CHECK(read(world, path) == kDenied);
      CHECK(write(world, path) == kDenied);
      CHECK(read(world, path + "/beneath") == kDenied);
      CHECK(read(world, path + "other") == (name.ends_with('*') ? kDenied : kAllowed));
    }
  }
}

TEST_CASE("M6: start-up files, hooks and git's configuration are readable, not writable") {
  World world = open_world();
  for (const std::string_view name : startup_names()) {
    CAPTURE(name);
    for (const char* root : {"/home/u/p/", "/home/u/"}) {
      CHECK(write(world, root + std::string(name)) == kDenied);
      CHECK(read(world, root + std::string(name)) == kAllowed);
    }
    CHECK(write(world, "/srv/" + std::string(name)) == kAllowed);
  }
  for (const char* name :
       {".git/hooks", ".git/hooks/pre-commit", ".git/modules/a/b/hooks/x", ".git/config",
        ".git/config.worktree", ".git/modules/a/config", ".git/worktrees/w/config.worktree"}) {
    CAPTURE(name);
    for (const char* root : {"/home/u/p/", "/home/u/", "/srv/x/"}) {
      CHECK(write(world, root + std::string(name)) == kDenied);
      CHECK(read(world, root + std::string(name)) == kAllowed);
    }
  }
  CHECK(write(world, "/home/u/p/.git/index") == kAllowed);
  CHECK(world.reason(Rename{at("/home/u/p/.git/config.lock"), at("/home/u/p/.git/config"),
                            NodeKind::regular}) == kDenied);
}

TEST_CASE("M6: allow_git_config lifts configuration and not hooks") {
  World world = open_world();
  world.policy.allow_git_config = Toggle::on;
  world.surroundings.git_directories = {World::place("/main/.git")};
  CHECK(write(world, "/home/u/p/.git/config") == kAllowed);
  CHECK(write(world, "/x/.git/modules/a/config") == kAllowed);
  CHECK(write(world, "/main/.git/config") == kAllowed);
  CHECK(write(world, "/home/u/p/.git/hooks/x") == kDenied);
  CHECK(write(world, "/main/.git/hooks/x") == kDenied);
}

TEST_CASE("M7: secrets and controls of the kernel") {
  World world = open_world();
  world.read({"/proc/kcore"}).write({"/proc/sysrq-trigger"});
  for (const char* path : {"/proc/kcore", "/proc/kmsg", "/proc/vmcore", "/proc/keys",
                           "/proc/kpagecount", "/proc/kpageflags", "/proc/kpagecgroup"}) {
    CAPTURE(path);
    CHECK(read(world, path) == kDenied);
  }
  for (const char* path : {"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/fs/x"}) {
    CAPTURE(path);
    CHECK(write(world, path) == kDenied);
    CHECK(read(world, path) == kAllowed);
  }
}

TEST_CASE(
    "O2: an exact literal lifts a mandatory deny, in its own direction, for that path alone") {
  World world = open_world();
  world.read({"${CWD}/.env", "${HOME}/.docker/config.json", "/srv/.env.local", "${CWD}/.env.test"})
      .write({"${HOME}/.bashrc", "${CWD}/sub/.netrc"});
  CHECK(read(world, "/home/u/p/.env") == kAllowed);
  CHECK(write(world, "/home/u/p/.env") == kDenied);       // the other direction
  CHECK(read(world, "/home/u/p/sub/.env") == kDenied);    // another place
  CHECK(read(world, "/home/u/.env") == kDenied);          // the other root
  CHECK(read(world, "/home/u/p/.env.local") == kDenied);  // another name
  CHECK(read(world, "/home/u/.docker/config.json") == kAllowed);
  CHECK(read(world, "/srv/.env.local") == kAllowed);  // a match of a floating glob
  CHECK(read(world, "/srv/.env.prod") == kDenied);
  CHECK(read(world, "/home/u/p/.env.test") == kAllowed);  // a match of an absolute glob
  CHECK(write(world, "/home/u/.bashrc") == kAllowed);
  CHECK(write(world, "/home/u/p/.bashrc") == kDenied);
  CHECK(write(world, "/home/u/p/sub/.netrc") == kAllowed);
  CHECK(read(world, "/home/u/p/sub/.netrc") == kDenied);  // a write opt-out is no read opt-out
}

TEST_CASE("O2: a directory that was opted out of keeps the denies inside it") {
  World world = open_world();
  world.read({"${HOME}/.aws"});
  CHECK(read(world, "/home/u/.aws/config") == kAllowed);
  CHECK(read(world, "/home/u/.aws/.env") == kDenied);
  CHECK(read(world, "/home/u/.aws/.aws") == kDenied);
}

TEST_CASE("O2: no glob, no tree, no parent, no path beneath lifts anything") {
  struct Row {
    std::string_view allow;
    std::string_view path;
    const char* why;
  };
  for (const Row& row : {
           Row{"${CWD}/.env/**", "/home/u/p/.env", "a tree"},
           Row{"${CWD}/.en?", "/home/u/p/.env", "a glob"},
           Row{"${CWD}/.en[v]", "/home/u/p/.env", "a set"},
           Row{"${CWD}", "/home/u/p/.env", "a parent"},
           Row{"**/.env", "/home/u/p/.env", "the floating form itself"},
           Row{"${HOME}/.aws/config", "/home/u/.aws/config", "beneath a denied directory"},
       }) {
    CAPTURE(row.why);
    World world = open_world();
    world.read({row.allow});
    CHECK(read(world, row.path) == kDenied);
  }
}

TEST_CASE("O2: an opt-out lifts no written deny") {
  World world = open_world();
  world.read({"${CWD}/.env"}).deny_read({"${CWD}/.e*"});
  CHECK(read(world, "/home/u/p/.env") == kDenied);
  CHECK(world.rule(Read{at("/home/u/p/.env")}) == "${CWD}/.e*");
}

TEST_CASE("O2: a linked directory is opted out of by the place it leads to, entry by entry") {
  World world = open_world();
  world.read({"/dotfiles/config/gh"}).symlink("/home/u/.config", "/dotfiles/config");
  CHECK(read(world, "/dotfiles/config/gh") == kAllowed);
  CHECK(write(world, "/dotfiles/config/gh") == kDenied);
  CHECK(read(world, "/dotfiles/config/gcloud") == kDenied);
  CHECK(read(world, "/home/u/.config/gcloud") == kDenied);
}

TEST_CASE("O2: an opt-out of what a denied link leads to lifts nothing") {
  World world = open_world();
  world.write({"${CWD}/gitconfig"}).symlink("/home/u/.gitconfig", "/home/u/p/gitconfig");
  CHECK(write(world, "/home/u/p/gitconfig") == kDenied);
}

TEST_CASE("O2: git's configuration, by its exact path") {
  World world = open_world();
  world.write({"${CWD}/.git/config", "/x/.git/config"});
  CHECK(write(world, "/home/u/p/.git/config") == kAllowed);
  CHECK(write(world, "/x/.git/config") == kAllowed);
  CHECK(write(world, "/y/.git/config") == kDenied);
}

TEST_CASE("H1: nothing lifts hooks, pmg's own state and kernel controls") {
  World world = open_world();
  world.surroundings.own_state = {World::place("/home/u/.config/safedep/pmg")};
  world.surroundings.hook_directories = {World::place("/home/u/p/.husky")};
  world.write({"${CWD}/.git/hooks", "${CWD}/.git/hooks/x", "${HOME}/.config/safedep/pmg",
               "${CWD}/.husky", "/x/.git/hooks", "/proc/sysrq-trigger"});
  for (const char* path : {"/home/u/p/.git/hooks", "/home/u/p/.git/hooks/x", "/x/.git/hooks",
                           "/home/u/.config/safedep/pmg/config.yml", "/home/u/p/.husky/pre-commit",
                           "/proc/sysrq-trigger"}) {
    CAPTURE(path);
    CHECK(write(world, path) == kDenied);
    CHECK(read(world, path) == kAllowed);
  }
}

TEST_CASE("S1: linked git directories and the caller's PATH") {
  World world;
  world.read({"${CWD}/**"});
  world.surroundings.git_directories = {World::place("/main/.git")};
  world.surroundings.search_path = {World::place("/opt/bin"), World::place("/")};
  CHECK(write(world, "/main/.git/index") == kAllowed);
  CHECK(read(world, "/main/.git/HEAD") == kAllowed);
  CHECK(write(world, "/main/src") == kNothing);
  for (const char* name : {"hooks/x", "info/attributes", "config", "config.worktree"}) {
    CAPTURE(name);
    CHECK(write(world, "/main/.git/" + std::string(name)) == kDenied);
    CHECK(read(world, "/main/.git/" + std::string(name)) == kAllowed);
  }
  CHECK(world.reason(Execute{at("/opt/bin/tool")}) == kAllowed);
  CHECK(world.reason(Execute{at("/usr/x")}) == kNothing);  // "/" in PATH is not everything
  const Rule* rule = world.compiled().rule(world.ask(Execute{at("/opt/bin/tool")}).rule);
  REQUIRE(rule != nullptr);
  CHECK(rule->origin.layer == Layer::search_path);
}

TEST_CASE("C1: relative mandatory denies end where package content begins") {
  World world = open_world();
  world.packages({"**/node_modules/**", "${CWD}/store-*"}).deny_read({"**/user-secret"});
  CHECK(read(world, "/home/u/p/node_modules/x/.env") == kAllowed);
  CHECK(write(world, "/srv/node_modules/x/.git/hooks/h") == kAllowed);  // a tool's cache
  CHECK(read(world, "/home/u/p/store-1/.env") == kAllowed);
  CHECK(read(world, "/home/u/p/other/.env") == kDenied);
  CHECK(read(world, "/home/u/p/.ssh/node_modules/x") == kDenied);           // denied before
  CHECK(write(world, "/srv/.git/node_modules/hooks") == kAllowed);          // no such rule
  CHECK(write(world, "/srv/.git/modules/node_modules/hooks") == kAllowed);  // begun, not complete
  CHECK(read(world, "/home/u/p/node_modules/user-secret") == kDenied);      // written denies stay
  CHECK(world.reason(Create{at("/srv/node_modules/x/.git"), NodeKind::symlink}) == kAllowed);
  CHECK(world.reason(Create{at("/home/u/p/x/.git"), NodeKind::symlink}) == kGuards);
}

TEST_CASE("C1: what guards git holds in the project's package content, and ends in caches") {
  World world = open_world();
  world.packages({"**/node_modules/**", "${HOME}/.cache/uv/**"});
  for (const std::string_view name :
       {".git/hooks/h", ".git/config", ".git/commondir", ".git/modules/m/config"}) {
    CAPTURE(name);
    CHECK(write(world, "/home/u/p/node_modules/x/" + std::string(name)) == kDenied);
    CHECK(write(world, "/home/u/.cache/uv/git/x/" + std::string(name)) == kAllowed);
  }
  CHECK(world.reason(Create{at("/home/u/p/node_modules/x/.git"), NodeKind::regular}) == kGuards);
  CHECK(world.reason(Create{at("/home/u/.cache/uv/sdists-v9/.git"), NodeKind::regular}) ==
        kAllowed);
  CHECK(world.reason(Rename{at("/home/u/p/node_modules/x/.git"), at("/home/u/p/node_modules/y"),
                            NodeKind::directory}) == kGuards);
}

TEST_CASE("H1: git's pointers to another configuration cannot be written") {
  World world = open_world();
  for (const std::string_view path :
       {"/home/u/p/.git/commondir", "/home/u/p/sub/.git/commondir", "/q/r/.git/commondir",
        "/home/u/p/.git/modules/a/b/commondir", "/home/u/p/.git/worktrees/w/commondir",
        "/home/u/p/.git/worktrees/w/gitdir"}) {
    CAPTURE(path);
    CHECK(write(world, std::string(path)) == kDenied);
  }
  CHECK(write(world, "/home/u/p/.git/worktrees/w/index") == kAllowed);
}

TEST_CASE("R6: git would follow a symlink wherever its rules go on") {
  World world = open_world();
  world.deny_read({"${CWD}/data/**/secret", "${CWD}/*/key"});
  for (const std::string_view path :
       {"/home/u/p/.git/modules/new", "/home/u/p/.git/modules/a/b", "/home/u/p/.git/worktrees/w",
        "/home/u/p/.git/modules", "/srv/x/.git/worktrees/w"}) {
    CAPTURE(path);
    CHECK(world.reason(Create{at(path), NodeKind::symlink}) == kGuards);
  }
  // Other rules that go on by a glob guard no name: links are everywhere in a project.
  CHECK(world.reason(Create{at("/home/u/p/data/link"), NodeKind::symlink}) == kAllowed);
  CHECK(world.reason(Create{at("/home/u/p/link"), NodeKind::symlink}) == kAllowed);
  CHECK(world.reason(Create{at("/home/u/p/.git/refs/x"), NodeKind::symlink}) == kAllowed);
}

TEST_CASE("C1: absolute mandatory denies hold inside package content") {
  World world = open_world();
  world.packages({"${HOME}/**"});
  CHECK(read(world, "/home/u/p/.env") == kDenied);
  CHECK(read(world, "/home/u/.ssh/id") == kDenied);
  CHECK(read(world, "/home/u/p/sub/.env") == kAllowed);
  CHECK(write(world, "/home/u/p/.git/hooks/x") == kDenied);
}

TEST_CASE("T1: a deny also holds wherever a symlink in its literal prefix leads") {
  World world = open_world();
  world.deny_read({"${HOME}/.config/app/*.key"})
      .symlink("/home/u/.config", "/home/u/dotfiles/config")
      .symlink("/home/u/.gitconfig", "/home/u/p/gitconfig")
      .symlink("/home/u/dotfiles/config/fish", "/srv/fish");
  CHECK(read(world, "/home/u/dotfiles/config/app/x.key") == kDenied);
  CHECK(read(world, "/home/u/.config/app/x.key") == kDenied);
  CHECK(write(world, "/home/u/p/gitconfig") == kDenied);  // what the link leads to
  CHECK(write(world, "/home/u/.gitconfig") == kDenied);   // the link itself
  CHECK(write(world, "/srv/fish/config.fish") == kDenied);
  // Every link on the way is an entry that may not be replaced.
  CHECK(world.reason(Remove{at("/home/u/dotfiles/config/fish"), NodeKind::symlink}) == kDenied);
  CHECK(world.reason(Remove{at("/home/u/.config"), NodeKind::symlink}) == kGuards);
  const Rule* rule = world.compiled().rule(world.ask(Write{at("/srv/fish")}).rule);
  REQUIRE(rule != nullptr);
  CHECK(rule->text == "${HOME}/.config/fish");
}

TEST_CASE("T1: a deny also holds at every link of a chain, and where one leads to nothing") {
  World world = open_world();
  world.symlink("/home/u/.bashrc", "/home/u/p/end")
      .chain("/home/u/.bashrc", {"/home/u/p/step", "/home/u/p/end"})
      .chain("/home/u/.zshrc", {"/home/u/p/dot/zshrc"})
      .chain("/home/u/.config", {"/home/u/p/config", "/srv/config"})
      .symlink("/home/u/.config", "/srv/config");
  CHECK(write(world, "/home/u/p/end") == kDenied);
  CHECK(world.reason(Remove{at("/home/u/p/step"), NodeKind::symlink}) == kDenied);
  CHECK(world.reason(Create{at("/home/u/p/dot/zshrc"), NodeKind::regular}) == kDenied);
  CHECK(world.reason(Create{at("/home/u/p/dot/zshrc"), NodeKind::symlink}) == kDenied);
  CHECK(world.reason(Remove{at("/home/u/p/config"), NodeKind::symlink}) == kGuards);
  CHECK(write(world, "/home/u/p/config/fish/config.fish") == kDenied);
  CHECK(write(world, "/home/u/p/dot/other") == kAllowed);
}

TEST_CASE("T2: an allow follows the links that neither the sandbox nor the project can plant") {
  World world;
  world.read({"${HOME}/.config/app"})
      .write({"${HOME}/.cache/pip/**", "${HOME}/.npm/**", "${CWD}/package.json"})
      .symlink("/home/u/.config", "/dotfiles/config")
      .symlink("/home/u/.cache", "/scratch/cache")
      .symlink("/home/u/.npm", "/home/u")
      .symlink("/home/u/p/package.json", "/home/u/.profile")
      .symlink("/home/u/p/lib", "/srv/lib")
      .symlink("/home/u/p/docs", "/home/u/p/manual")
      .read({"${CWD}/lib/**", "${CWD}/docs/**"});
  CHECK(read(world, "/dotfiles/config/app/x") == kAllowed);
  CHECK(write(world, "/scratch/cache/pip/x") == kAllowed);
  CHECK(write(world, "/scratch/cache/other") == kNothing);
  CHECK(write(world, "/home/u/x") == kNothing);          // .npm is the sandbox's to replace
  CHECK(read(world, "/home/u/.profile") == kNothing);    // so is package.json
  CHECK(read(world, "/srv/lib/x") == kNothing);          // a repository may ship any link
  CHECK(read(world, "/home/u/p/manual/x") == kAllowed);  // within the project it may lead
}

TEST_CASE("T2: the way to HOME and to the working directory is trusted") {
  World world;
  world.symlink("/home", "/data/home").write({"${CWD}/**"}).read({"${CWD}/.env"});
  CHECK(write(world, "/data/home/u/p/x") == kAllowed);
  CHECK(write(world, "/data/home/u/p/.git/hooks/x") == kDenied);
  CHECK(read(world, "/data/home/u/p/.env") == kAllowed);  // the opt-out's own twin
  CHECK(write(world, "/data/home/u/p/.env") == kDenied);
}

TEST_CASE("T2: either way is trusted by itself, whatever may be written there") {
  World project;
  project.symlink("/home/u/p", "/data/p").write({"${CWD}/**"});
  CHECK(write(project, "/data/p/x") == kAllowed);
  World home;
  home.surroundings.variables.cwd = World::place("/srv/p");
  home.symlink("/home/u", "/data/u").write({"${HOME}/**"});
  CHECK(write(home, "/data/u/x") == kAllowed);
}

TEST_CASE("T2: a rule has a twin where a link leads elsewhere, and only there") {
  World world;
  world.read({"/plain/a", "/linked/a"}).symlink("/linked", "/real");
  const auto count = [&world](std::string_view text) {
    return std::ranges::count(world.compiled().rules(), text, &Rule::text);
  };
  CHECK(count("/plain/a") == 1);
  CHECK(count("/linked/a") == 2);
}

TEST_CASE("T2: package content follows the same links") {
  World world = open_world();
  world.packages({"/caches/uv/**", "${CWD}/vendor/**"})
      .symlink("/caches", "/scratch")
      .symlink("/home/u/p/vendor", "/srv/vendor");
  world.policy.filesystem.allow_write.clear();
  CHECK(read(world, "/scratch/uv/x/.env") == kAllowed);
  CHECK(read(world, "/scratch/other/.env") == kDenied);
  CHECK(read(world, "/srv/vendor/x/.env") == kDenied);  // out of the project
}

TEST_CASE("T2: a link that the project ships opts out of nothing") {
  World world = open_world();
  world.read({"${CWD}/config"}).symlink("/home/u/p/config", "/home/u/.netrc");
  CHECK(world.reason(Read{at("/home/u/.netrc", "/home/u/p/config")}) == kDenied);
}

TEST_CASE("B1: what does not compile") {
  World world;
  CHECK(compile(world.policy, world.surroundings).error().code == CompileErrc::grants_nothing);
  world.read({"/"});
  CHECK(compile(world.policy, world.surroundings).has_value());
  for (AbsolutePath Variables::*variable :
       {&Variables::home, &Variables::cwd, &Variables::tmpdir}) {
    Surroundings surroundings = world.surroundings;
    surroundings.variables.*variable = AbsolutePath::root();
    const auto result = compile(world.policy, surroundings);
    REQUIRE(!result.has_value());
    CHECK(result.error().code == CompileErrc::root_as_home);
  }
}

TEST_CASE("B2: every decision by a rule names it") {
  World world;
  world.write({"${CWD}/**"}).deny_write({"**/*.lock"});
  CHECK(world.rule(Write{at("/home/u/p/x")}) == "${CWD}/**");
  CHECK(world.rule(Write{at("/home/u/p/a.lock")}) == "**/*.lock");
  CHECK(world.rule(Read{at("/home/u/p/.env")}) == "${CWD}/.env");
  CHECK(world.rule(Read{at("/home/u/p/a/.env")}) == "**/.env");
  CHECK(world.ask(Read{at("/x")}).rule.is_none());
  CHECK(world.compiled().rule(RuleId{}) == nullptr);
  const auto rules = static_cast<std::uint32_t>(world.compiled().rules().size());
  CHECK(world.compiled().rule(RuleId{rules - 1}) != nullptr);
  CHECK(world.compiled().rule(RuleId{rules}) == nullptr);
}
