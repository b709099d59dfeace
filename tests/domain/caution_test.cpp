#include "domain/caution.hpp"

#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/overrides.hpp"
#include "domain/path.hpp"
#include "domain/rules.hpp"

using namespace pmg::domain;
using pmg::tests::path;

namespace {

/// HOME is /home/u, the project /home/u/p; `link` in it leads to ~/.ssh, `mine` to pmg's state, and
/// `lost` to a ~/.aws that is not there.
Surroundings around() {
  return {.variables = {path("/home/u"), path("/home/u/p"), path("/tmp")},
          .canonical =
              [](const AbsolutePath& each) {
                if (each.is_within(path("/home/u/p/link"))) {
                  return path("/home/u/.ssh");
                }
                return each == path("/home/u/p/mine") ? path("/home/u/.config/safedep/pmg/x")
                                                      : each;
              },
          .links =
              [](const AbsolutePath& each) {
                return each == path("/home/u/p/lost") ? std::vector{path("/home/u/.aws")}
                                                      : std::vector<AbsolutePath>();
              },
          .own_state = {path("/home/u/.config/safedep/pmg")},
          .git_directories = {},
          .hook_directories = {path("/home/u/hooks")},
          .search_path = {}};
}

}  // namespace

TEST_CASE("CA1: what takes a second thought, as written and as it really is") {
  struct {
    std::string_view text;
    Caution caution;
    const char* why;
  } const table[] = {
      {"write=./dist", Caution::none, "ordinary"},
      {"read=../other/**", Caution::none, "outside, but nothing special"},
      {"exec=/opt/x", Caution::none, "a program"},
      {"read=./.env", Caution::credential, "a credential"},
      {"read=${CWD}/.env", Caution::credential, "in another spelling"},
      {"write=sub/.env.local", Caution::credential, "further down"},
      {"read=../.env", Caution::credential, "of the parent, too"},
      {"read=./.envrc", Caution::credential, "starts so"},
      {"read=**/.env", Caution::credential, "everywhere"},
      {"read=${HOME}/.npmrc", Caution::credential, "holds tokens"},
      {"read=/home/u/.ssh/id", Caution::credential, "in one"},
      {"read=./.ssh/**", Caution::credential, "a tree"},
      {"read=./link/id", Caution::credential, "behind a symlink"},
      {"read=./lost/config", Caution::credential, "behind a symlink to nothing yet"},
      {"write=./lost", Caution::credential, "the symlink itself"},
      {"unix=/home/u/.gnupg/S.gpg-agent", Caution::credential, "a socket beside keys"},
      {"unix=/run/docker.sock", Caution::host_daemon, "starts containers"},
      {"unix=/run/user/1000/bus", Caution::host_daemon, "starts units"},
      {"unix=/run/mine.sock", Caution::none, "some socket"},
      {"write=.git/hooks/pre-commit", Caution::git_hooks, "hooks"},
      {"read=.git/hooks", Caution::git_hooks, "in every direction"},
      {"write=sub/.git/hooks/**", Caution::git_hooks, "of another repository"},
      {"write=/home/u/hooks/x", Caution::git_hooks, "core.hooksPath"},
      {"write=.git/config", Caution::git_config, "names programs"},
      {"read=.git/config", Caution::none, "is readable anyway"},
      {"write=${HOME}/.bashrc", Caution::startup_file, "runs later"},
      {"write=./.claude/settings.json", Caution::startup_file, "hooks of an agent"},
      {"write=./.mcp.json", Caution::startup_file, "servers of an agent"},
      {"read=${HOME}/.bashrc", Caution::none, "to read is harmless"},
      {"write=/", Caution::whole_tree, "everything"},
      {"write=**", Caution::whole_tree, "everything"},
      {"write=/home", Caution::whole_tree, "holds the home directory"},
      {"read=${HOME}", Caution::whole_tree, "the home directory"},
      {"write=${HOME}/**", Caution::whole_tree, "its tree"},
      {"write=${HOME}/*", Caution::whole_tree, "its names"},
      {"write=**/dist", Caution::none, "a name, not a tree"},
      {"write=./**", Caution::none, "the project"},
      {"write=${HOME}/.config/safedep/pmg/config.yml", Caution::own_state, "our own"},
      {"write=./mine", Caution::own_state, "our own behind a symlink"},
      {"env=GH_TOKEN", Caution::secret_variable, "a secret"},
      {"env=gh_token", Caution::secret_variable, "in small letters"},
      {"env=GH_*", Caution::secret_variable, "a glob over secrets"},
      {"env=MY_SETTING", Caution::none, "no secret"},
      {"net-connect=example.com:443", Caution::none, "one host"},
      {"net-bind=localhost:*", Caution::none, "this machine"},
      {"net-bind=0.0.0.0:80", Caution::open_port, "other machines"},
      {"preset=git", Caution::none, "narrow by itself"},
  };
  for (const auto& row : table) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    const auto rule = parse_override(row.text);
    REQUIRE(rule.has_value());
    CHECK(caution_for(*rule, around()) == row.caution);
  }
}

TEST_CASE("CA2: two things are never allowed") {
  CHECK_FALSE(can_be_allowed(Caution::git_hooks));
  CHECK_FALSE(can_be_allowed(Caution::own_state));
  for (const Caution caution : {Caution::none, Caution::open_port, Caution::whole_tree,
                                Caution::git_config, Caution::startup_file, Caution::host_daemon,
                                Caution::secret_variable, Caution::credential}) {
    CHECK(can_be_allowed(caution));
  }
}
