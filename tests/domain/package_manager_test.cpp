#include "domain/package_manager.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace pmg::domain;

namespace {

using enum PackageManager;
using enum CommandKind;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const auto space = line.find(' ');
    if (space != 0) {
      words.push_back(line.substr(0, space));
    }
    line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
  }
  return words;
}

}  // namespace

TEST_CASE("K1: every package manager has one name, and only names are known") {
  std::set<std::string_view> names;
  for (const PackageManager manager : all_package_managers()) {
    CAPTURE(name_of(manager));
    CHECK(parse_package_manager(name_of(manager)) == manager);
    names.insert(name_of(manager));
  }
  CHECK(names == std::set<std::string_view>{"npm", "pnpm", "yarn", "bun", "npx", "pnpx", "pip",
                                            "pip3", "pipx", "poetry", "uv", "uvx", "go"});
  for (const std::string_view word :
       {"", "NPM", "npm ", "np", "npmx", "cargo", "/usr/bin/npm", "sandbox"}) {
    CAPTURE(word);
    CHECK_FALSE(parse_package_manager(word).has_value());
  }
}

TEST_CASE("K2: which commands install, may download, or stay local") {
  struct {
    PackageManager manager;
    std::string_view arguments;
    CommandKind kind;
    const char* why;
  } const table[] = {
      {npm, "install", install, "an install word"},
      {npm, "i left-pad", install, "an abbreviation"},
      {npm, "add left-pad", install, "an install word"},
      {npm, "--prefix x install", install, "install words count wherever they stand"},
      {npm, "rm install", install, "before the local list"},
      {npm, "-- install x", install, "npm takes what follows -- as its command"},
      {npm, "Install", may_download, "words are exact"},
      {npm, "installs", may_download, "words are whole"},
      {npm, "ci", may_download, "not an install word, not local"},
      {npm, "exec cowsay", may_download, "fetches what it runs"},
      {npm, "create vite", may_download, "fetches what it runs"},
      {npm, "init vite", may_download, "fetches what it runs"},
      {npm, "update", may_download, "fetches"},
      {npm, "audit fix", may_download, "fetches"},
      {npm, "publish", may_download, "not known"},
      {npm, "in", may_download, "an alias of install that is not a listed word"},
      {npm, "", local, "prints help"},
      {npm, "--version", local, "prints the version"},
      {npm, "-g", may_download, "a flag that does not only ask"},
      {npm, "outdated x", local, "listed"},
      {npm, "uninstall x", may_download, "runs install scripts of what stays"},
      {npm, "rebuild", may_download, "runs install scripts"},
      {npm, "prune", may_download, "fetches what is missing"},
      {npm, "link x", may_download, "fetches x"},
      {npm, "--silent ls", local, "flags are skipped"},
      {npm, "--prefix x ls", may_download, "the value of a flag is the first word"},
      {npm, "ls ci", local, "only the first word is looked up"},
      {npm, "run dev", local, "UX-01: scripts"},
      {npm, "run-script dev", local, "UX-01"},
      {npm, "test", local, "UX-01"},
      {npm, "start", local, "UX-01"},
      {npm, "run install", install, "an install word anywhere is safer"},
      {pnpm, "install", install, "an install word"},
      {pnpm, "dlx cowsay", may_download, "fetches what it runs"},
      {pnpm, "exec x", may_download, "not known"},
      {pnpm, "why x", local, "listed"},
      {pnpm, "pack", may_download, "listed for npm only"},
      {pnpm, "run dev", local, "UX-01"},
      {pnpm, "dev", may_download, "a script without `run` is not known"},
      {bun, "ci", install, "an install word of bun"},
      {bun, "x cowsay", may_download, "fetches what it runs"},
      {bun, "rm x", may_download, "installs what stays"},
      {bun, "ls", may_download, "not listed for bun"},
      {bun, "--eval=1", may_download, "runs code"},
      {bun, "run dev", local, "UX-01"},
      {yarn, "", install, "bare yarn installs the manifest"},
      {yarn, "--frozen-lockfile", install, "flags alone still install"},
      {yarn, "--version", local, "asks"},
      {yarn, "install", install, "an install word"},
      {yarn, "add x", install, "an install word"},
      {yarn, "i", may_download, "not a word of yarn"},
      {yarn, "dlx cowsay", may_download, "fetches what it runs"},
      {yarn, "upgrade", may_download, "fetches"},
      {yarn, "why x", local, "listed"},
      {yarn, "test", local, "UX-01"},
      {npx, "", install, "always"},
      {npx, "--version", install, "always"},
      {npx, "cowsay hi", install, "always"},
      {pnpx, "cowsay", install, "always"},
      {uvx, "ruff", install, "always"},
      {pip, "install -r requirements.txt", install, "an install word"},
      {pip3, "install x", install, "the same table"},
      {pip, "download x", may_download, "fetches"},
      {pip, "wheel x", may_download, "builds"},
      {pip, "freeze", local, "listed"},
      {pip3, "list", local, "the same table"},
      {pip, "--help", local, "asks"},
      {uv, "add x", install, "an install word"},
      {uv, "pip install x", install, "an install word"},
      {uv, "tool install x", install, "an install word"},
      {uv, "sync", install, "installs the manifest"},
      {uv, "--quiet sync", install, "flags are skipped"},
      {uv, "pip sync r.txt", install, "installs a file"},
      {uv, "pip -q sync r.txt", install, "flags between the words"},
      {uv, "run sync", may_download, "sync leads only"},
      {uv, "pip list", may_download, "no local list on purpose"},
      {uv, "", local, "prints help"},
      {poetry, "add x", install, "an install word"},
      {poetry, "install", install, "installs the manifest"},
      {poetry, "-v install", install, "flags are skipped"},
      {poetry, "run install", may_download, "install leads only"},
      {poetry, "update", may_download, "fetches"},
      {poetry, "show", local, "listed"},
      {pipx, "install x", install, "an install word"},
      {pipx, "run x", install, "an install word"},
      {pipx, "upgrade-all", install, "an install word"},
      {pipx, "list", local, "listed"},
      {pipx, "runpip x list", may_download, "not known"},
      {go, "get example.com/x", install, "a module of another host"},
      {go, "get -u example.com/x@latest", install, "flags between"},
      {go, "-C d install example.com/x@latest", install, "words count wherever they stand"},
      {go, "run example.com/x@latest", install, "fetches what it runs"},
      {go, "install rsc.io/quote", install, "a host needs a dot"},
      {go, "install x@latest", install, "a version means a module"},
      {go, "run .", may_download, "local, but may fetch modules"},
      {go, "run ./cmd/a.b", may_download, "a local path"},
      {go, "run /home/a@b/x", may_download, "an absolute path"},
      {go, "install -ldflags=-X=m.v ./x", may_download, "a flag is no target"},
      {go, "vet example.com/x", may_download, "fetches no other module"},
      {go, "run main.go", may_download, "a file"},
      {go, "install ./...", may_download, "local packages"},
      {go, "mod tidy", install, "fetches the manifest"},
      {go, "mod download -x", install, "fetches the manifest"},
      {go, "mod edit", may_download, "not known"},
      {go, "build ./...", may_download, "may fetch modules"},
      {go, "test ./...", may_download, "may fetch modules"},
      {go, "version", local, "listed"},
      {go, "env GOPATH", local, "listed"},
      {go, "", local, "prints help"},
  };
  for (const auto& row : table) {
    CAPTURE(name_of(row.manager));
    CAPTURE(row.arguments);
    CAPTURE(row.why);
    CHECK(classify(row.manager, split(row.arguments)) == row.kind);
  }
}

TEST_CASE("K3: classify is total on odd arguments") {
  const std::vector<std::vector<std::string_view>> table{
      {""},    {"", "install"}, {"-"},         {"--"},
      {"mod"}, {"pip"},         {"mod", "-x"}, {std::string_view("\0", 1)}};
  for (const PackageManager manager : all_package_managers()) {
    for (const auto& arguments : table) {
      CAPTURE(name_of(manager));
      const CommandKind kind = classify(manager, arguments);
      CHECK((kind == install || kind == may_download || kind == local));
    }
  }
  CHECK(classify(npm, std::vector<std::string_view>{"", "ls"}) == may_download);
}
