#include "domain/suggestion.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/derivation.hpp"
#include "domain/operation.hpp"
#include "domain/overrides.hpp"
#include "rules.hpp"

using namespace pmg::domain;
using namespace pmg::tests;

namespace {

Surroundings around() {
  return {.variables = {path("/home/u"), path("/home/u/app"), path("/tmp")},
          .canonical = [](const AbsolutePath& p) { return p; },
          .own_state = {path("/home/u/.config/safedep/pmg")},
          .git_directories = {},
          .hook_directories = {},
          .search_path = {}};
}

Policy sample() {
  Policy policy;
  policy.filesystem.allow_read = rules<PatternTemplate>({"/usr", "${CWD}/**"});
  policy.filesystem.allow_write = rules<PatternTemplate>({"${CWD}/**"});
  policy.filesystem.deny_read = rules<PatternTemplate>({"${CWD}/private", "${CWD}/keys/*.pem"});
  policy.process.allow_exec = rules<PatternTemplate>({"/usr/bin"});
  return policy;
}

struct Text {
  std::string operator()(const AllowRead& rule) const { return "read=" + rule.pattern.text(); }
  std::string operator()(const AllowWrite& rule) const { return "write=" + rule.pattern.text(); }
  std::string operator()(const AllowExec& rule) const { return "exec=" + rule.pattern.text(); }
  std::string operator()(const AllowUnix& rule) const { return "unix=" + rule.pattern.text(); }
  template <class Other>
  std::string operator()(const Other& /*other*/) const {
    return "?";
  }
};

/// "read=/a write=/b", "! protected_always", …
std::string told(const Operation& operation) {
  const auto way = suggest(sample(), around(), operation);
  if (const auto* hopeless = std::get_if<Hopeless>(&way)) {
    constexpr std::array kWords{"protected_always", "denied_by_policy", "moves_too_much",
                                "is_a_device", "not_writable_as_rule"};
    return std::string("! ") + kWords.at(static_cast<std::size_t>(*hopeless));
  }
  const auto& suggestion = std::get<Suggestion>(way);
  std::string out = suggestion.protection == Protection::kept ? "" : "lifts:";
  for (const Override& each : suggestion.overrides) {
    out += (out.empty() || out.back() == ':' ? "" : " ") + std::visit(Text{}, each);
  }
  return out;
}

PathView at(std::string_view text) { return PathView::unsafe_from(text); }

}  // namespace

TEST_CASE("SG1, SG2: the narrowest override that allows it") {
  struct Row {
    Operation operation;
    std::string_view told;
    std::string_view why;
  };
  const std::vector<Row> rows{
      {Read{at("/srv/data/x")}, "read=/srv/data/x", "a file, not its directory"},
      {Write{at("/srv/x")}, "write=/srv/x", "writing"},
      {Create{at("/srv/x"), NodeKind::regular}, "write=/srv/x", "creating"},
      {Create{at("/srv/d"), NodeKind::directory}, "write=/srv/d", "a directory"},
      {Remove{at("/srv/x"), NodeKind::regular}, "write=/srv/x", "removing"},
      {ChangeMetadata{at("/usr/x")}, "write=/usr/x", "metadata"},
      {Execute{at("/home/u/app/tool")}, "exec=/home/u/app/tool", "a program"},
      {Execute{at("/opt/tool")}, "exec=/opt/tool", "exec is enough, though it cannot be read"},
      {ConnectUnix{at("/run/docker.sock")}, "unix=/run/docker.sock", "a socket"},
      {Rename{at("/home/u/app/a"), at("/srv/a"), NodeKind::regular}, "write=/srv/a",
       "only where it goes"},
      {Rename{at("/srv/a"), at("/home/u/app/a"), NodeKind::regular}, "write=/srv/a",
       "only where it comes from"},
      {Rename{at("/srv/a"), at("/srv/b"), NodeKind::regular}, "write=/srv/a write=/srv/b", "both"},
      {Link{at("/srv/a"), at("/srv/b")}, "write=/srv/a write=/srv/b", "both names"},
      {Read{at("/srv/a*b")}, "read=/srv/a[*]b", "a name that looks like a glob"},
      {Read{at("/srv/${CWD}")}, "read=/srv/[$]{CWD}", "a name that looks like a variable"},
      {Read{at("/home/u/app/private")}, "lifts:read=/home/u/app/private",
       "a literal deny yields to the same literal"},
      {Read{at("/home/u/.ssh/id_rsa")}, "! protected_always", "beneath a credential directory"},
      {Read{at("/home/u/.netrc")}, "lifts:read=/home/u/.netrc", "a credential, by its exact name"},
      {Read{at("/home/u/app/.env")}, "lifts:read=/home/u/app/.env", "of the project"},
      {Write{at("/home/u/.bashrc")}, "lifts:write=/home/u/.bashrc", "runs later"},
      {Write{at("/home/u/app/.git/hooks/pre-commit")}, "! protected_always", "nothing lifts hooks"},
      {Write{at("/home/u/.config/safedep/pmg/config.yml")}, "! protected_always", "our own state"},
      {Read{at("/home/u/app/keys/a.pem")}, "! denied_by_policy", "a glob of the profile denies it"},
      {Rename{at("/home/u/app/.git"), at("/home/u/app/g"), NodeKind::directory}, "! moves_too_much",
       "hooks are beneath"},
      {Execute{at("/srv/a*b")}, "! not_writable_as_rule", "exec takes no glob"},
      {Read{at("relative")}, "! not_writable_as_rule", "no path"},
      {Read{at("/srv/a\nb")}, "read=/srv/a\nb", "any byte can stand in a name"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    CHECK(told(row.operation) == row.told);
  }
}

TEST_CASE("DV1: a derivation names every rule that covers the path, and how much it counts") {
  Policy policy = sample();
  policy.filesystem.package_content = rules<PatternTemplate>({"**/node_modules/**"});
  policy.filesystem.allow_read.push_back(rules<PatternTemplate>({"/home"}).front());
  const auto compiled = compile(policy, around());
  REQUIRE(compiled.has_value());
  const auto lines = [&](const Operation& operation) {
    std::vector<std::string> out;
    for (const Consideration& each : derive(*compiled, operation).considered) {
      constexpr std::array kWords{"decides ", "applies ", "set aside "};
      const Rule* const rule = compiled->rule(each.rule);
      REQUIRE(rule != nullptr);
      out.push_back(kWords.at(static_cast<std::size_t>(each.weight)) + rule->text);
    }
    return out;
  };
  const std::vector<std::string> secret = lines(Read{at("/home/u/app/private/key")});
  CHECK(secret == std::vector<std::string>{"applies ${CWD}/**", "applies /home",
                                           "applies ${CWD}/**", "decides ${CWD}/private"});
  // Package content: the relative deny says nothing.
  const auto content = lines(Read{at("/home/u/app/node_modules/x/.env")});
  CHECK(std::ranges::find(content, "set aside **/.env") != content.end());
  CHECK(lines(Read{at("/nowhere")}).empty());
  // A rule on sockets is not one on files.
  policy.unix_sockets = rules<PatternTemplate>({"/srv/s"});
  const auto with_socket = compile(policy, around());
  REQUIRE(with_socket.has_value());
  CHECK(derive(*with_socket, Read{at("/srv/s")}).considered.empty());
  CHECK(derive(*with_socket, ConnectUnix{at("/srv/s")}).considered.size() == 1);
}
