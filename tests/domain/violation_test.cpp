#include "domain/violation.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "domain/escaped.hpp"
#include "domain/operation.hpp"
#include "domain/operation_kind.hpp"
#include "domain/redaction.hpp"
#include "domain/script_owner.hpp"

namespace pmg::domain {
namespace {

TEST_CASE("OK1: every kind of operation and node has one word, which reads back") {
  for (const OperationKind kind : kOperationKinds) {
    CAPTURE(to_word(kind));
    CHECK(!to_word(kind).empty());
    CHECK(parse_operation_kind(to_word(kind)) == kind);
    CHECK(!to_words(kind).empty());
  }
  CHECK(parse_operation_kind("chew") == std::nullopt);
  CHECK(parse_operation_kind("") == std::nullopt);
  CHECK(parse_node_kind("fifo") == NodeKind::fifo);
  CHECK(parse_node_kind("chew") == std::nullopt);
}

TEST_CASE("OK1: a violation asks what was asked, with all its paths") {
  const Violation rename{.operation = OperationKind::rename,
                         .real = "/a/real",
                         .spelled = "/a",
                         .real_to = "/b/real",
                         .spelled_to = "/b",
                         .node = NodeKind::directory};
  const auto operation = operation_of(rename);
  REQUIRE(operation);
  const auto* asked = std::get_if<Rename>(&*operation);
  REQUIRE(asked != nullptr);
  CHECK(asked->from.real.text() == "/a/real");
  CHECK(asked->from.spelled.text() == "/a");
  CHECK(asked->to.real.text() == "/b/real");
  CHECK(asked->to.spelled.text() == "/b");
  CHECK(asked->kind == NodeKind::directory);
  for (const OperationKind kind : kOperationKinds) {
    Violation violation = rename;
    violation.operation = kind;
    const auto same = operation_of(violation);
    CHECK((!same || kind_of(*same) == kind));
    violation.note = "the policy was not asked";
    CHECK(!operation_of(violation));
  }
}

TEST_CASE("ES1: any bytes read back as they were") {
  std::string bytes(2, '\0');
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      bytes = {static_cast<char>(first), static_cast<char>(second)};
      if (unescaped(escaped(bytes)) != bytes) {
        CAPTURE(first);
        CAPTURE(second);
        FAIL_CHECK("does not read back");
      }
    }
  }
  CHECK(unescaped(escaped("/h/ä\u202e\n\\x41")) == "/h/ä\u202e\n\\x41");
  for (const std::string_view bad : {"\\", "\\x", "\\x4", "\\xg0", "\\n", "a\\x+1"}) {
    CAPTURE(bad);
    CHECK(unescaped(bad) == std::nullopt);
  }
}

TEST_CASE("ES2: nothing invisible is left, and what is harmless stays") {
  CHECK(escaped("a\nb\x1b[31m\\") == "a\\x0ab\\x1b[31m\\x5c");
  CHECK(escaped("\u202eexe\u202c") == "\\xe2\\x80\\xaeexe\\xe2\\x80\\xac");
  CHECK(escaped("\xff") == "\\xff");
  CHECK(escaped("/h/ä b") == "/h/ä b");
}

TEST_CASE("RD1: values that were given are taken out, short ones and paths stay") {
  const Redaction redaction(
      {"hunter2-hunter2", "short", "/home/u/key.json", "hunter2-hunter2-long"});
  CHECK(redaction.of_text("/tmp/hunter2-hunter2/x") == "/tmp/<redacted>/x");
  CHECK(redaction.of_text("hunter2-hunter2hunter2-hunter2") == "<redacted><redacted>");
  CHECK(redaction.of_text("hunter2-hunter2-long") == "<redacted>");
  CHECK(redaction.of_text("short /home/u/key.json") == "short /home/u/key.json");
  CHECK(redaction.of_command({"a", "b=hunter2-hunter2"}) ==
        std::vector<std::string>{"a", "b=<redacted>"});
}

TEST_CASE("RD2: what a command names as a secret is taken out") {
  struct Row {
    std::vector<std::string> given;
    std::vector<std::string> kept;
    const char* why;
  };
  std::vector<Row> rows{
      {{"npm", "--token=abc"}, {"npm", "--token=<redacted>"}, "an option with its value"},
      {{"x", "--password", "abc", "def"}, {"x", "--password", "<redacted>", "def"}, "two words"},
      {{"x", "--password", "--other"}, {"x", "--password", "--other"}, "no value there"},
      {{"x", "--_authToken=abc"}, {"x", "--_authToken=<redacted>"}, "npm's"},
      {{"env", "GH_TOKEN=abc", "make"}, {"env", "GH_TOKEN=<redacted>", "make"}, "a variable"},
      {{"sh", "-c", "A_SECRET=abc x --api-key 'q' y"},
       {"sh", "-c", "A_SECRET=<redacted> x --api-key '<redacted>' y"},
       "inside a script"},
      {{"curl", "-H", "Authorization: Bearer abc"},
       {"curl", "-H", "Authorization: Bearer <redacted>"},
       "a header"},
      {{"curl", "-H", "authorization: token abc"},
       {"curl", "-H", "authorization: token <redacted>"},
       "another scheme, small letters"},
      {{"git", "clone", "https://u:p@h/x"},
       {"git", "clone", "https://<redacted>@h/x"},
       "an address"},
      {{"git", "clone", "https://h/a@b"}, {"git", "clone", "https://h/a@b"}, "no user in it"},
      {{"x", "ghp_0123456789abcdef0123"}, {"x", "<redacted>"}, "a known prefix"},
      {{"npm", "npm_config_registry", "npm_lifecycle_script"},
       {"npm", "npm_config_registry", "npm_lifecycle_script"},
       "names, no tokens"},
      {{"node", "tokenizer.js", "--watch"}, {"node", "tokenizer.js", "--watch"}, "a file"},
  };
  const std::vector<Row> more{
      {{"curl", "https://h/x?a=b&access_token=S&c=d"},
       {"curl", "https://h/x?a=b&access_token=<redacted>&c=d"},
       "in an address"},
      {{"npm", "config", "set", "//h/:_authToken=S"},
       {"npm", "config", "set", "//h/:_authToken=<redacted>"},
       "npm's own form"},
      {{"curl", "--header=PRIVATE-TOKEN: S"},
       {"curl", "--header=PRIVATE-TOKEN: <redacted>"},
       "an option with a header"},
      {{"curl", "-b", "Cookie: session=S"}, {"curl", "-b", "Cookie: <redacted>"}, "a cookie"},
      {{"curl", "-d", R"({"user":"u","password": "S","x":1})"},
       {"curl", "-d", R"({"user":"u","password": "<redacted>","x":1})"},
       "JSON"},
      {{"x", "--pass", "S", "--otp=S", "--auth", "S"},
       {"x", "--pass", "<redacted>", "--otp=<redacted>", "--auth", "<redacted>"},
       "whole words"},
      {{"x", "--passive", "S", "--author", "S", "auth.js"},
       {"x", "--passive", "S", "--author", "S", "auth.js"},
       "longer words"},
      {{"x", "-----BEGIN RSA PRIVATE KEY-----\nS\nS\n-----END RSA PRIVATE KEY-----\n"},
       {"x", "-----BEGIN RSA PRIVATE KEY-----<redacted>-----END RSA PRIVATE KEY-----\n"},
       "a key"},
      {{"x", "-----BEGIN PRIVATE KEY-----\nS"},
       {"x", "-----BEGIN PRIVATE KEY-----<redacted>"},
       "a key without its end"},
      {{"x", "token=", "secret:"}, {"x", "token=", "<redacted>"}, "empty, and the next word"},
  };
  rows.insert(rows.end(), more.begin(), more.end());
  const Redaction redaction({});
  CHECK(redaction.of_text("/t/token=S/b") == "/t/token=<redacted>");
  CHECK(redaction.of_text("/t/tokens/b") == "/t/tokens/b");
  for (const Row& row : rows) {
    CAPTURE(row.why);
    CHECK(redaction.of_command(row.given) == row.kept);
  }
}

TEST_CASE("SO1: the owner of a script is who its environment names") {
  using std::string_view_literals::operator""sv;
  CHECK(script_owner(std::array{"A=b"sv, "npm_package_version=1"sv, "npm_package_namex=y"sv}) ==
        std::nullopt);
  CHECK(script_owner(std::array{"npm_package_name="sv}) == std::nullopt);
  CHECK(script_owner(std::array{"npm_package_name=a"sv, "npm_package_name=b"sv}) ==
        ScriptOwner{"a", "", ""});
  const std::string endless = "npm_package_name=" + std::string(100'000, 'a');
  const auto owner = script_owner(std::array{std::string_view(endless)});
  REQUIRE(owner);
  CHECK(owner->package.size() == 256);
  CHECK(script_owner(std::array{"npm_lifecycle_event=install"sv, "npm_package_version=4.0.8"sv,
                                "npm_package_name=@s/a"sv}) ==
        ScriptOwner{"@s/a", "4.0.8", "install"});
}

TEST_CASE("VI1: the primary refusal is the last of the weightiest kind") {
  const auto of = [](OperationKind operation, Reason reason = Reason::nothing_allows) {
    return Violation{.operation = operation, .reason = reason};
  };
  const Violation lookup = of(OperationKind::read);
  const Violation secret = of(OperationKind::read, Reason::denied_by_rule);
  const Violation write = of(OperationKind::write);
  const Violation signal = of(OperationKind::signal);
  const auto primary = [](const std::vector<Violation>& violations) {
    return primary_of(violations);
  };
  CHECK(primary({}) == std::nullopt);
  CHECK(primary({signal}) == std::nullopt);
  CHECK(primary({lookup, lookup, signal}) == 1U);
  CHECK(primary({secret, lookup}) == 0U);
  CHECK(primary({write, secret, lookup}) == 0U);
  CHECK(primary({write, of(OperationKind::execute), secret}) == 1U);
  for (const OperationKind kind : kOperationKinds) {
    CAPTURE(to_word(kind));
    const auto first = primary({of(kind), lookup});
    CHECK(first.has_value());
  }
}

}  // namespace
}  // namespace pmg::domain
