// What the built-in profiles decide: the table that a change of a profile has to keep.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "adapters/profile/embedded_profiles.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/compiled.hpp"
#include "domain/environment.hpp"
#include "domain/operation.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "domain/policy.hpp"

namespace pmg::adapters {

namespace {

using domain::AbsolutePath;

AbsolutePath path_of(std::string_view text) {
  return domain::normalise(AbsolutePath::root(), text);
}

const domain::CompiledPolicy& compiled(const std::string& name) {
  static std::map<std::string, domain::CompiledPolicy> all;
  auto found = all.find(name);
  if (found == all.end()) {
    const auto policy = ProfileRegistry("/nonexistent").resolve(name);
    REQUIRE_MESSAGE(policy.has_value(), to_message(policy.error()));
    domain::Surroundings facts{
        .variables = {path_of("/home/u"), path_of("/home/u/app"), path_of("/run/tmp")},
        .canonical = [](const AbsolutePath& path) { return path; },
        .own_state = {path_of("/home/u/.config/safedep/pmg"),
                      path_of("/home/u/.cache/safedep/pmg")},
        .git_directories = {},
        .hook_directories = {},
        .search_path = {path_of("/custom/bin")}};
    auto policy_compiled = domain::compile(*policy, facts);
    REQUIRE(policy_compiled.has_value());
    found = all.emplace(name, std::move(*policy_compiled)).first;
  }
  return found->second;
}

/// A letter per access: r, w, x where it is allowed, `-` where not.
std::string rights(const std::string& profile, std::string_view text) {
  const AbsolutePath path = path_of(text);
  const bool is_device = text.starts_with("/dev/") && !text.starts_with("/dev/shm/");
  const auto kind = is_device ? domain::NodeKind::device : domain::NodeKind::regular;
  const auto& policy = compiled(profile);
  std::string out;
  out += domain::decide(policy, domain::Read{domain::PathView(path)}).allowed() ? 'r' : '-';
  out += domain::decide(policy, domain::Write{domain::PathView(path), kind}).allowed() ? 'w' : '-';
  out += domain::decide(policy, domain::Execute{domain::PathView(path)}).allowed() ? 'x' : '-';
  return out;
}

struct Row {
  const char* path;
  const char* rights;
  const char* why;
};

const std::vector<std::string> kNode{"npm", "pnpm", "yarn", "bun", "npx", "npm-restrictive"};
const std::vector<std::string> kPython{"pip", "pipx", "poetry", "uv", "uvx", "pypi-restrictive"};

template <class Rows>
void check(const std::vector<std::string>& profiles, const Rows& rows) {
  for (const std::string& profile : profiles) {
    for (const Row& row : rows) {
      CAPTURE(profile);
      CAPTURE(std::string(row.path));
      CAPTURE(std::string(row.why));
      CHECK(rights(profile, row.path) == row.rights);
    }
  }
}

std::vector<std::string> every_profile() {
  std::vector<std::string> names;
  for (const EmbeddedProfile& profile : embedded_profiles()) {
    names.emplace_back(profile.name);
  }
  return names;
}

}  // namespace

TEST_CASE("every built-in profile keeps credentials shut and the system running") {
  const Row rows[] = {
      {"/home/u/app/.env", "---", "the environment file of the project"},
      {"/home/u/app/sub/deep/.env.local", "---", "at any depth"},
      {"/home/u/.ssh/id_ed25519", "---", "keys"},
      {"/home/u/.aws/credentials", "---", "cloud"},
      {"/home/u/.config/gh/hosts.yml", "---", "source host"},
      {"/home/u/.bash_history", "---", "what was typed"},
      {"/home/u/.mozilla/firefox/x/logins.json", "---", "browser"},
      {"/etc/shadow", "---", "as root"},
      {"/home/u/.bashrc", "r--", "runs later"},
      {"/home/u/.gitconfig", "r--", "runs later"},
      {"/home/u/notes.txt", "r--", "the home directory is not writable"},
      {"/home/u/.config/safedep/pmg/config.yml", "r--", "pmg's own"},
      {"/home/u/.cache/safedep/pmg/sandbox/violations/x", "r--", "pmg's own, in a cache"},
      {"/etc/passwd", "r--", "user database"},
      {"/usr/bin/python3", "r-x", "node-gyp needs it"},
      {"/usr/bin/g++", "r-x", "compiler"},
      {"/bin/sh", "r-x", "shell"},
      {"/lib64/ld-linux-x86-64.so.2", "r-x", "loader"},
      {"/opt/tool/bin/x", "r-x", "tools of images"},
      {"/nix/store/h-node/bin/node", "r-x", "nix"},
      {"/home/u/.nvm/versions/node/v22.0.0/bin/node", "r-x", "version manager"},
      {"/custom/bin/tool", "r-x", "the caller's PATH"},
      {"/tmp/x", "rw-", "no execution from /tmp"},
      {"/run/tmp/x", "rw-", "nor from TMPDIR"},
      {"/var/tmp/x", "rw-", "nor from /var/tmp"},
      {"/dev/null", "rw-", "device"},
      {"/dev/urandom", "rw-", "device"},
      {"/dev/tty", "rw-", "terminal"},
      {"/dev/pts/3", "rw-", "terminal"},
      {"/dev/shm/sem.x", "rw-", "shared memory"},
      {"/dev/sda", "---", "no other device"},
      {"/dev/mem", "---", "no other device"},
      {"/dev/kvm", "---", "no other device"},
  };
  check(every_profile(), rows);
  for (const std::string& profile : every_profile()) {
    CAPTURE(profile);
    CHECK(rights(profile, "/home/u/app/.git/hooks/pre-commit")[1] == '-');
    CHECK(rights(profile, "/home/u/app/.git/config")[1] == '-');
  }
}

TEST_CASE("exec: the project, temporary directories and caches, never the home directory") {
  const Row rows[] = {
      {"/home/u/app/src/main.c", "rwx", "the project"},
      {"/home/u/app/node_modules/.pnpm/p/.env", "rwx", "FSA-01: package content"},
      {"/home/u/app/apps/web/node_modules/jest", "rwx", "FSA-02"},
      {"/home/u/.npm/_cacache/x", "rw-", "cache"},
      {"/home/u/.npm/_npx/1/node_modules/.bin/x", "rwx", "npx"},
      {"/home/u/.local/share/pnpm/store/v10/f", "rwx", "FSA-08: store"},
      {"/home/u/.local/share/pnpm/pnpm", "r-x", "on the PATH: not written"},
      {"/home/u/.cache/uv/sdists-v9/.git", "rwx", "FSA-05: a file called .git"},
      {"/home/u/.cache/uv/.lock", "rwx", "FSA-05"},
      {"/home/u/.local/share/uv/python/.tmpAB", "rwx", "FSA-05"},
      {"/home/u/.cargo/registry/index/x", "rw-", "cache"},
      {"/home/u/.cargo/bin/cargo", "r-x", "on the PATH: not written"},
      {"/home/u/.cargo/credentials.toml", "---", "token"},
      {"/home/u/.local/bin/tool", "r-x", "on the PATH: not written"},
      {"/home/u/.gradle/caches/x", "rw-", "cache"},
      {"/home/u/.gradle/init.d/x.gradle", "r--", "runs later"},
      {"/home/u/.m2/repository/x.jar", "rw-", "cache"},
      {"/home/u/.m2/settings.xml", "r--", "not a cache"},
      {"/tmp/go-build12/b001/exe/main", "rwx", "go run"},
      {"/run/tmp/go-build12/b001/x.test", "rwx", "go test"},
      {"/usr/bin/curl", "r-x", "agents may download; the network policy decides"},
  };
  check({"exec"}, rows);
}

TEST_CASE("Node.js: node_modules at any depth, lock files and caches; the sources stay") {
  const Row rows[] = {
      {"/home/u/app/node_modules/p/index.js", "rwx", "installed"},
      {"/home/u/app/node_modules/p/build/Release/x.node", "rwx", "native code"},
      {"/home/u/app/node_modules/p/.env", "rwx", "FSA-01: package content"},
      {"/home/u/app/packages/ui/node_modules/p/x", "rwx", "FSA-02: workspaces"},
      {"/home/u/app/package.json", "rwx", "manifest"},
      {"/home/u/app/packages/ui/package.json", "rwx", "manifest of a workspace"},
      {"/home/u/app/package-lock.json", "rwx", "lock file"},
      {"/home/u/.npm/_cacache/x", "rw-", "cache"},
      {"/home/u/.cache/node-gyp/22.0.0/include/node.h", "rwx", "headers"},
      {"/home/u/.npmrc", "r--", "registry settings"},
      {"/home/u/.pypirc", "---", "another registry's token"},
      {"/usr/bin/curl", "---", "no download past the package manager"},
      {"/usr/local/bin/wget", "---", "no download past the package manager"},
      {"/usr/bin/x", "r-x", "the system is not written"},
      {"/etc/x", "r--", "the system is not written"},
      {"/tmp/yarn--1-0.5/node", "rwx", "yarn's wrapper"},
  };
  check(kNode, rows);
  const Row narrow[] = {
      {"/home/u/app/src/index.js", "r-x", "sources"},
      {"/home/u/app/.npmrc", "r-x", "names a registry"},
      {"/home/u/app/.gitignore", "r-x", "sources"},
  };
  check({"npm", "pnpm", "yarn", "bun", "npm-restrictive"}, narrow);
  CHECK(rights("npx", "/home/u/app/src/index.js") == "rwx");
  CHECK(rights("pnpm", "/home/u/.local/share/pnpm/store/f") == "rwx");
  CHECK(rights("pnpm", "/home/u/app/package.json.1234") == "rwx");
  CHECK(rights("pnpm", "/home/u/app/_tmp_12_ab") == "rwx");
  CHECK(rights("pnpm", "/home/u/app/.pnpm-store/v3/files/.env") == "rwx");
  CHECK(rights("npm", "/home/u/.local/share/pnpm/store/f") == "r-x");
  CHECK(rights("yarn", "/home/u/.cache/yarn/v6/x") == "rwx");
  CHECK(rights("yarn", "/home/u/app/.yarnrc.yml") == "r-x");
  CHECK(rights("yarn", "/home/u/.yarn/bin/yarn") == "r-x");
  CHECK(rights("bun", "/home/u/.bun/install/cache/x") == "rwx");
  CHECK(rights("bun", "/home/u/.bun/bin/bun") == "r-x");
}

TEST_CASE("Python: environments, caches and builds") {
  const Row rows[] = {
      {"/home/u/app/.venv/lib/python3.11/site-packages/x/.env", "rwx", "package content"},
      {"/home/u/app/.venv/bin/tool", "rwx", "environment"},
      {"/home/u/app/pyproject.toml", "rwx", "manifest"},
      {"/home/u/.cache/pip/http/x", "rw-", "cache"},
      {"/tmp/pip-build-env-x/overlay/bin/ninja", "rwx", "native code"},
      {"/usr/bin/wget", "---", "no download past the package manager"},
  };
  check(kPython, rows);
  CHECK(rights("pip", "/home/u/app/setup.py") == "r-x");
  CHECK(rights("pip", "/home/u/.pyenv/versions/3.11.7/lib/python3.11/site-packages/x") == "rwx");
  CHECK(rights("pip", "/home/u/.local/bin/tool") == "r-x");
  CHECK(rights("pipx", "/home/u/.local/bin/tool") == "rwx");
  CHECK(rights("pipx", "/home/u/app/setup.py") == "rwx");
  CHECK(rights("uv", "/home/u/.cache/uv/sdists-v9/.git") == "rwx");
  CHECK(rights("uv", "/home/u/.local/share/uv/python/.tmpAB") == "rwx");
  CHECK(rights("uv", "/home/u/.local/share/uv/credentials/credentials.toml") == "---");
  CHECK(rights("uv", "/home/u/app/uv.lock") == "rwx");
  CHECK(rights("poetry", "/home/u/app/poetry.lock") == "rwx");
  CHECK(rights("poetry", "/home/u/.config/pypoetry/auth.toml") == "r--");
}

TEST_CASE("go: modules, builds and what they start") {
  CHECK(rights("go", "/home/u/app/main.go") == "rwx");
  CHECK(rights("go", "/home/u/go/pkg/mod/x/.env") == "rwx");
  CHECK(rights("go", "/home/u/.cache/go-build/ab/x-d") == "rwx");
  CHECK(rights("go", "/tmp/go-build1/b001/exe/main") == "rwx");
  CHECK(rights("go", "/usr/local/go/bin/go") == "r-x");
  CHECK(ProfileRegistry("/nonexistent").resolve("go")->network_via_proxy_only ==
        domain::Toggle::on);
}

TEST_CASE("each package manager keeps its own token and no other") {
  struct Token {
    const char* name;
    std::string_view kept_by;
  };
  const Token tokens[] = {
      {"NPM_TOKEN", " npm pnpm yarn bun npx "},
      {"npm_config_registry",
       " exec go npm-restrictive pypi-restrictive npm pnpm yarn bun npx pip "
       "pipx poetry uv uvx "},
      {"YARN_NPM_AUTH_TOKEN", " yarn "},
      {"BUN_AUTH_TOKEN", " bun "},
      {"UV_PUBLISH_TOKEN", " uv uvx "},
      {"POETRY_PYPI_TOKEN_PYPI", " poetry "},
      {"GITHUB_TOKEN", " "},
      {"AWS_SECRET_ACCESS_KEY", " "},
      {"ANTHROPIC_API_KEY", " "},
      {"PATH",
       " exec go npm-restrictive pypi-restrictive npm pnpm yarn bun npx pip pipx poetry uv "
       "uvx "},
  };
  for (const std::string& profile : every_profile()) {
    const auto policy = ProfileRegistry("/nonexistent").resolve(profile);
    REQUIRE(policy.has_value());
    for (const Token& token : tokens) {
      CAPTURE(profile);
      CAPTURE(std::string(token.name));
      const bool kept = token.kept_by.find(" " + profile + " ") != std::string_view::npos;
      CHECK(domain::is_scrubbed(policy->environment, token.name) != kept);
    }
  }
}

TEST_CASE("every package manager has a profile that names it") {
  const std::map<std::string_view, std::string_view> others{{"pnpx", "npx"}, {"pip3", "pip"}};
  for (const domain::PackageManager manager : domain::all_package_managers()) {
    const std::string_view name = domain::name_of(manager);
    CAPTURE(std::string(name));
    const auto other = others.find(name);
    const auto policy =
        ProfileRegistry("/nonexistent").resolve(other == others.end() ? name : other->second);
    REQUIRE(policy.has_value());
    CHECK(std::ranges::find(policy->package_managers, name) != policy->package_managers.end());
  }
}

TEST_CASE("the lists of programs are the same in every base") {
  const auto shared = [](const char* name) {
    const auto loaded = ProfileRegistry("/nonexistent").load(name);
    REQUIRE(loaded.has_value());
    std::vector<std::string> texts;
    for (const auto& rule : loaded->policy.process.allow_exec) {
      if (rule.value.text() == "${CWD}/**") {
        break;  // from here on a profile's own
      }
      texts.push_back(rule.value.text());
    }
    return texts;
  };
  const auto expected = shared("exec");
  CHECK(expected.size() > 60);
  for (const char* name : {"npm-restrictive", "pypi-restrictive", "go"}) {
    CAPTURE(std::string(name));
    CHECK((shared(name) == expected));
  }
}

}  // namespace pmg::adapters
