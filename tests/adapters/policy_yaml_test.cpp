#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "adapters/profile/embedded_profiles.hpp"
#include "adapters/profile/parse_policy.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/origin.hpp"
#include "domain/policy.hpp"
#include "policies.hpp"

namespace pmg::adapters {

namespace {

constexpr std::string_view kHead = "name: x\npackage_managers: [npm]\n";

struct Row {
  const char* text;
  const char* message;
  const char* why;
};

std::string message_of(const std::string& text) {
  const auto policy = parse_policy(text, {"p.yml", domain::Layer::profile});
  return policy ? "" : to_message(policy.error());
}

}  // namespace

TEST_CASE("S1: a mistake is named with file, line, column and the nearest key") {
  const Row rows[] = {
      {"- a\n", "p.yml:1:1: `document` must be a mapping of keys", "a list"},
      {"package_managers: [npm]\n", "p.yml:1:1: the key `name` is missing", "no name"},
      {"name: x\n", "p.yml:1:1: the key `package_managers` is missing", "no package manager"},
      {"name: x\npackage_managers: []\n",
       "p.yml:2:19: `package_managers` must be a list of at least one package manager",
       "an empty list"},
      {"name: x\nfilesystem:\n  deny_wirte: [\"${HOME}/**\"]\n",
       "p.yml:3:3: unknown key `deny_wirte`; did you mean `deny_write`?", "a typing mistake"},
      {"name: x\nfilesystme: {}\n",
       "p.yml:2:1: unknown key `filesystme`; did you mean `filesystem`?", "of a section"},
      {"name: x\nproxy: {}\n", "p.yml:2:1: unknown key `proxy`", "nothing is near"},
      {"name: [x]\n", "p.yml:1:7: `name` must be text", "a list for text"},
      {"name: x\npackage_managers: npm\n", "p.yml:2:19: `package_managers` must be a list",
       "text for a list"},
      {"name: x\npackage_managers: [{a: b}]\n",
       "p.yml:2:20: `package_managers` must be a list of text", "a mapping in a list"},
      {"name: x\nfilesystem: {deny_read: [~]}\n", "p.yml:2:26: `deny_read` must be a list of text",
       "null in a list"},
      {"name: x\nfilesystem:\n  deny_read:\n    - /a\n      /b\n",
       "p.yml:4:7: `deny_read` must be a list with one entry per line", "a forgotten dash"},
      {"name: x\nfilesystem: [a]\n", "p.yml:2:13: `filesystem` must be a mapping of keys",
       "a list for a section"},
      {"name: x\nallow_pty: \"true\"\n", "p.yml:2:12: `allow_pty` must be `true` or `false`",
       "quoted, so text"},
      {"name: x\nallow_pty: 1\n", "p.yml:2:12: `allow_pty` must be `true` or `false`", "a number"},
      {"name: x\nname: y\n", "p.yml:2:1: the key `name` appears twice", "which one holds?"},
      {"name: x\nfilesystem:\n  deny_read: [\"..\", \"../..\"]\n",
       "p.yml:3:16: the pattern `..` must be absolute or start with ${CWD}, ${HOME}, ${TMPDIR} or "
       "**/",
       "FSD-26: relative"},
      {"name: x\nfilesystem:\n  deny_read:\n    - ${FOO}/x\n",
       "p.yml:4:7: the pattern `${FOO}/x` has an unknown or misplaced variable; ${CWD}, ${HOME} "
       "and ${TMPDIR} may start a path",
       "an unknown variable"},
      {"name: x\nprocess:\n  allow_exec:\n    - ~/bin/x\n",
       "p.yml:4:7: the pattern `~/bin/x` must be absolute or start with ${CWD}, ${HOME}, ${TMPDIR} "
       "or **/",
       "a tilde"},
      {"name: x\nnetwork: {allow_outbound: [\"example.com\"]}\n",
       "p.yml:2:29: the address `example.com` needs a port: `host:port`", "no port"},
      {"name: x\nenvironment: {deny: [\"A=b\"]}\n",
       "p.yml:2:23: the variable `A=b` must be a name, without `=` and value", "a value"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    const std::string message = message_of(row.text);
    CAPTURE(message);
    CHECK(message.starts_with(row.message));
  }
}

TEST_CASE("S1: messages show control characters as escapes") {
  CHECK(message_of("name: x\n\"a\\x1b[2J\": 1\n") == "p.yml:2:1: unknown key `a\\x1b[2J`");
}

TEST_CASE("S1: a rule knows its line, and keys without a value are empty lists") {
  const auto policy = parse_policy(std::string(kHead) +
                                       "filesystem:\n"
                                       "  deny_read:\n"
                                       "  allow_read:\n"
                                       "    - /a\n"
                                       "    - \"**/b\"\n"
                                       "presets: [git]\n"
                                       "process:\n"
                                       "allow_pty: yes\n"
                                       "allow_git_config: false\n",
                                   {"p.yml", domain::Layer::profile});
  REQUIRE(policy.has_value());
  CHECK(policy->filesystem.deny_read.empty());
  REQUIRE(policy->filesystem.allow_read.size() == 2);
  CHECK(policy->filesystem.allow_read[1].value.text() == "**/b");
  CHECK(policy->filesystem.allow_read[1].origin ==
        domain::Origin{domain::Layer::profile, "p.yml", 7, 7});
  CHECK(policy->presets[0].value == "git");
  CHECK(policy->allow_pty == domain::Toggle::on);
  CHECK(policy->allow_git_config == domain::Toggle::off);
  CHECK(policy->allow_direct_dns == domain::Toggle::unset);
}

TEST_CASE("S2: parsing what was printed gives the same policy") {
  const auto same_after_printing = [](const domain::Policy& policy) {
    const auto again = parse_policy(to_yaml(policy), {"again", domain::Layer::profile});
    REQUIRE_MESSAGE(again.has_value(), to_yaml(policy));
    CHECK(tests::without_origins(*again) == tests::without_origins(policy));
  };
  const ProfileRegistry registry("/nonexistent");
  for (const EmbeddedProfile& profile : embedded_profiles()) {
    CAPTURE(std::string(profile.name));
    same_after_printing(registry.load(profile.name)->policy);
    same_after_printing(*registry.resolve(profile.name));
  }
  const auto odd = parse_policy(
      "name: \"on\"\n"
      "description: \"a \\\"quoted\\\" \\\\ text: # with \\t tab, \\x7f and é\\nsecond line\"\n"
      "package_managers: [\"~\", '', \"- a\"]\n"
      "filesystem: {allow_read: [\"/a b/{c}/[d\", '/\"e\"', \"/#f\", \"/\\x01\"]}\n",
      {"odd", domain::Layer::profile});
  REQUIRE(odd.has_value());
  same_after_printing(*odd);
}

TEST_CASE("S2: every list is printed") {
  const auto policy = parse_policy(kHead, {"p.yml", domain::Layer::profile});
  REQUIRE(policy.has_value());
  const std::string text = to_yaml(*policy);
  for (const char* key :
       {"presets: []", "  allow_read: []", "  allow_write: []", "  deny_read: []",
        "  deny_write: []", "  package_content: []", "  allow_outbound: []", "  deny_outbound: []",
        "  allow_bind: []", "  allow_exec: []", "  deny_exec: []", "  allow: []", "  deny: []"}) {
    CAPTURE(std::string(key));
    CHECK(text.find(key) != std::string::npos);
  }
}

}  // namespace pmg::adapters
