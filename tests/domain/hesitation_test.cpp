#include "domain/hesitation.hpp"

#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/path.hpp"

namespace pmg::domain {
namespace {

AbsolutePath at(std::string_view path) { return normalise(AbsolutePath::root(), path); }

Surroundings around(std::string_view home) {
  return {.variables = {at(home), at("/srv/p"), at("/tmp")},
          .canonical = {},
          .own_state = {},
          .git_directories = {},
          .hook_directories = {},
          .search_path = {at("/srv/tools")}};
}

Hesitation over_write(std::string_view path, std::string_view home = "/home/u") {
  return hesitation_over(Write{PathView::unsafe_from(path)}, around(home));
}

TEST_CASE("HE1: what may run code later is not suggested, wherever it lies") {
  for (const std::string_view path : {"/home/u/.bashrc",
                                      "/home/u/.config/nvim/init.lua",
                                      "/home/u/x/.vscode/tasks.json",
                                      "/home/u/bin/ls",
                                      "/home/u/.local/bin/ls",
                                      "/home/u/bare.git/config",
                                      "/home/u/bare.git/hooks/post-receive",
                                      "/home/u/x/hooks/pre-commit",
                                      "/home/u/lib/site-packages/x.pth",
                                      "/home/.bashrc",
                                      "/etc/ld.so.preload",
                                      "/etc/cron.d/x",
                                      "/usr/local/bin/ls",
                                      "/root/.bashrc",
                                      "/root/x",
                                      "/dev/sda",
                                      "/proc/sys/x",
                                      "/srv/tools/ls",
                                      "/srv/tools",
                                      "/var/spool/cron/u"}) {
    CAPTURE(path);
    CHECK(over_write(path) == Hesitation::runs_later);
    // It counts under either name.
    const PathUse real(PathView::unsafe_from(path), PathView::unsafe_from("/srv/x"));
    const PathUse spelled(PathView::unsafe_from("/srv/x"), PathView::unsafe_from(path));
    const PathUse plain(PathView::unsafe_from("/srv/x"));
    for (const PathUse& use : {real, spelled}) {
      const std::vector<Operation> operations{Write{use},
                                              Create{use, NodeKind::regular},
                                              Remove{use, NodeKind::regular},
                                              Rename{use, plain, NodeKind::regular},
                                              Rename{plain, use, NodeKind::regular},
                                              Link{plain, use, NodeKind::regular},
                                              ChangeMetadata{use}};
      for (const Operation& operation : operations) {
        CHECK(hesitation_over(operation, around("/home/u")) == Hesitation::runs_later);
      }
    }
  }
  for (const std::string_view path :
       {"/home/u/notes", "/home/u/other/src/a.c", "/srv/other/x", "/home/u/.cache/tool/x",
        "/etcetera", "/srv/toolsets/x", "/home/u/binary", "/mnt/x"}) {
    CAPTURE(path);
    CHECK(over_write(path) == Hesitation::none);
  }
  CHECK(over_write("/root/notes", "/root") == Hesitation::none);
  CHECK(over_write("/root/.bashrc", "/root") == Hesitation::runs_later);
  CHECK(over_write("/home/u/.sandboxed/home/notes", "/home/u/.sandboxed/home") == Hesitation::none);
}

TEST_CASE("HE2: neither is what covers more than a file, nor a socket of the host") {
  const PathUse path(PathView::unsafe_from("/srv/x"));
  const std::vector<Operation> directories{Create{path, NodeKind::directory},
                                           Remove{path, NodeKind::directory},
                                           Rename{path, path, NodeKind::directory}};
  for (const Operation& operation : directories) {
    CHECK(hesitation_over(operation, around("/home/u")) == Hesitation::everything_beneath);
  }
  CHECK(hesitation_over(ConnectUnix{path}, around("/home/u")) == Hesitation::leads_outside);
  CHECK(hesitation_over(Read{path}, around("/home/u")) == Hesitation::none);
  CHECK(hesitation_over(Execute{path}, around("/home/u")) == Hesitation::none);
}

}  // namespace
}  // namespace pmg::domain
