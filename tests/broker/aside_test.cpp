#include "broker/aside.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "broker/call.hpp"
#include "broker/world.hpp"
#include "platform/files.hpp"

using namespace pmg;
using pmg::adapters::broker::Aside;
using pmg::adapters::broker::is_aside;
using pmg::adapters::broker::is_same;
using pmg::adapters::broker::PrivateDirectory;
using pmg::test::World;

namespace {

namespace fs = std::filesystem;

platform::UniqueFd directory_of(const World& world) {
  auto fd = platform::open_at(AT_FDCWD, world.root().c_str(), O_PATH | O_DIRECTORY, 0);
  REQUIRE(fd.has_value());
  return std::move(*fd);
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has_leftovers(const World& world) {
  for (const auto& entry : fs::directory_iterator(world.root())) {
    if (is_aside(entry.path().string())) {
      return true;
    }
  }
  return false;
}

adapters::broker::GiveDescriptor made_in(int directory, const char* name) {
  auto fd = platform::open_at(directory, name, O_CREAT | O_EXCL | O_WRONLY, 0600);
  auto parent = platform::open_at(directory, ".", O_PATH | O_DIRECTORY, 0);
  if (!fd || !parent) {
    return {};
  }
  using adapters::broker::GiveDescriptor;
  return {std::move(*fd), platform::CloseOnExec::yes, GiveDescriptor::Release::after,
          GiveDescriptor::Truncate::no, adapters::broker::Place{std::move(*parent), name, "", ""}};
}

}  // namespace

TEST_CASE("B14: what is taken aside is put back, removed or moved, and nothing is lost") {
  const World world;
  const auto directory = directory_of(world);
  const std::string file = world.root() + "/file";
  write(file, "ours");

  SUBCASE("put back") {
    {
      const auto aside = Aside::take(directory.get(), "file");
      REQUIRE(aside.has_value());
      CHECK_FALSE(fs::exists(file));
      CHECK(aside->status().has_value());
    }
    CHECK(read(file) == "ours");
    CHECK_FALSE(has_leftovers(world));
  }
  SUBCASE("kept aside where its name was taken meanwhile") {
    std::string kept;
    {
      const auto aside = Aside::take(directory.get(), "file");
      REQUIRE(aside.has_value());
      kept = world.root() + "/" + aside->name();
      write(file, "theirs");
    }
    CHECK(read(file) == "theirs");
    CHECK(read(kept) == "ours");
  }
  SUBCASE("removed") {
    auto aside = Aside::take(directory.get(), "file");
    REQUIRE(aside.has_value());
    write(file, "theirs");
    CHECK(aside->remove().has_value());
    CHECK(read(file) == "theirs");
    CHECK_FALSE(has_leftovers(world));
  }
  SUBCASE("moved") {
    auto aside = Aside::take(directory.get(), "file");
    REQUIRE(aside.has_value());
    CHECK(aside->move_to(directory.get(), "a/new", 0).has_value());
    CHECK(read(world.root() + "/a/new") == "ours");
  }
  SUBCASE("not moved onto what is there, and put back then") {
    {
      auto aside = Aside::take(directory.get(), "file");
      REQUIRE(aside.has_value());
      const auto moved = aside->move_to(directory.get(), "a/file", RENAME_NOREPLACE);
      REQUIRE_FALSE(moved.has_value());
      CHECK(moved.error().value == EEXIST);
    }
    CHECK(read(file) == "ours");
    CHECK(read(world.root() + "/a/file") == "text");
  }
  SUBCASE("exchanged") {
    auto aside = Aside::take(directory.get(), "file");
    REQUIRE(aside.has_value());
    CHECK(aside->exchange_with(directory.get(), "a/file").has_value());
    CHECK(read(world.root() + "/a/file") == "ours");
    CHECK(read(world.root() + "/" + aside->name()) == "text");
    CHECK(aside->remove().has_value());
    CHECK_FALSE(has_leftovers(world));
  }
  SUBCASE("not there") {
    const auto aside = Aside::take(directory.get(), "nothing");
    REQUIRE_FALSE(aside.has_value());
    CHECK(aside.error().value == ENOENT);
  }
}

TEST_CASE("B14: a private directory goes, with or without what was made in it") {
  const World world;
  const auto directory = directory_of(world);
  for (const bool takes_out : {true, false}) {
    CAPTURE(takes_out);
    {
      auto made = PrivateDirectory::make(directory.get(), "new");
      REQUIRE(made.has_value());
      const auto info = platform::status_of(made->fd());
      REQUIRE(info.has_value());
      CHECK((info->st_mode & 07777) == 0700);
      REQUIRE(platform::open_at(made->fd(), "new", O_CREAT | O_WRONLY, 0600).has_value());
      if (takes_out) {
        CHECK(made->move_out().has_value());
      }
    }
    CHECK(fs::exists(world.root() + "/new") == true);  // of the first round
    CHECK_FALSE(has_leftovers(world));
  }
  auto made = PrivateDirectory::make(directory.get(), "new");
  REQUIRE(made.has_value());
  REQUIRE(platform::open_at(made->fd(), "new", O_CREAT | O_WRONLY, 0600).has_value());
  const auto moved = made->move_out();
  REQUIRE_FALSE(moved.has_value());
  CHECK(moved.error().value == EEXIST);
}

TEST_CASE("B14: names of that form are known anywhere in a path and in any case") {
  struct Row {
    const char* path;
    bool is;
    const char* why;
  };
  for (const Row& row : {
           Row{"/p/.pmg-aside-0123", true, "at the end"},
           Row{"/p/.pmg-aside-0123/x", true, "a directory"},
           Row{".pmg-aside-", true, "alone"},
           Row{"/p/.PMG-Aside-1", true, "the same name where case is folded"},
           Row{"/p/.pmg-aside", false, "too short"},
           Row{"/p/x.pmg-aside-1", false, "in the middle of a name"},
           Row{"/.pmg-asid/e-1/.pmg", false, "across names"},
           Row{"/", false, "the root"},
           Row{"", false, "nothing"},
       }) {
    CAPTURE(row.path);
    CAPTURE(row.why);
    CHECK(is_aside(row.path) == row.is);
  }
}

TEST_CASE("B14: undoing a creation removes the file that was made, and no other") {
  const World world;
  const auto directory = directory_of(world);
  const std::string file = world.root() + "/new";

  SUBCASE("that file") {
    made_in(directory.get(), "new").undo();
    CHECK_FALSE(fs::exists(file));
  }
  SUBCASE("another one by now") {
    const auto made = made_in(directory.get(), "new");
    fs::rename(world.root() + "/a/file", file);
    made.undo();
    CHECK(read(file) == "text");
  }
  SUBCASE("one that was not made") {
    adapters::broker::GiveDescriptor{}.undo();
    CHECK(fs::exists(world.root() + "/a/file"));
  }
  SUBCASE("while a program saves its own there") {
    std::atomic<bool> stop{false};
    std::atomic<int> lost{0};
    std::atomic<int> saved{0};
    std::thread editor([&] {
      while (!stop) {
        write(world.root() + "/draft", "theirs");
        struct stat draft {};
        (void)::stat((world.root() + "/draft").c_str(), &draft);
        (void)::rename((world.root() + "/draft").c_str(), file.c_str());
        bool is_there = false;
        for (int look = 0; look < 200 && !is_there; ++look) {  // it may be looked at just now
          const auto now = platform::status_at(AT_FDCWD, file.c_str());
          is_there = now && is_same(*now, draft);
          std::this_thread::yield();
        }
        lost += is_there ? 0 : 1;
        ++saved;
        (void)::unlink(file.c_str());
      }
    });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (std::chrono::steady_clock::now() < end) {
      made_in(directory.get(), "new").undo();
    }
    stop = true;
    editor.join();
    CHECK(saved > 100);
    CHECK(lost == 0);
  }
}
