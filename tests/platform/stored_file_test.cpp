#include "platform/stored_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace fs = std::filesystem;
using pmg::platform::FileLock;
using pmg::platform::IfThere;
using pmg::platform::make_directories;
using pmg::platform::store;

namespace {

/// A directory that goes with the test.
struct Folder {
  Folder() {
    std::string text = (fs::temp_directory_path() / "pmg-store-XXXXXX").string();
    REQUIRE(::mkdtemp(text.data()) != nullptr);
    path = text;
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;

  [[nodiscard]] std::string at(const std::string& name) const { return (path / name).string(); }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream file(path / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

mode_t mode_of(const std::string& file) {
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_mode & ACCESSPERMS;
}

}  // namespace

TEST_CASE("SF1: a file is stored whole, private, with its directories") {
  const Folder folder;
  REQUIRE(store(folder.at("a/b/file"), "text\n", IfThere::fail).has_value());
  CHECK(folder.content("a/b/file") == "text\n");
  CHECK(mode_of(folder.at("a/b/file")) == 0600);
  CHECK(mode_of(folder.at("a/b")) == 0700);
}

TEST_CASE("SF2: what is there is replaced only where that was asked, and keeps its mode") {
  const Folder folder;
  REQUIRE(store(folder.at("file"), "old", IfThere::fail).has_value());
  REQUIRE(::chmod(folder.at("file").c_str(), 0640) == 0);
  const auto kept = store(folder.at("file"), "new", IfThere::fail);
  REQUIRE_FALSE(kept.has_value());
  CHECK(kept.error().error == EEXIST);
  CHECK(folder.content("file") == "old");
  REQUIRE(store(folder.at("file"), "new", IfThere::replace).has_value());
  CHECK(folder.content("file") == "new");
  CHECK(mode_of(folder.at("file")) == 0640);
  CHECK(folder.entries() == 1);  // nothing staged is left
}

TEST_CASE("SF3: through a symlink, what it points to is replaced") {
  const Folder folder;
  fs::create_directory(folder.path / "real");
  REQUIRE(store(folder.at("real/file"), "old", IfThere::fail).has_value());
  fs::create_symlink("real/file", folder.path / "link");
  REQUIRE(store(folder.at("link"), "new", IfThere::replace).has_value());
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(folder.content("real/file") == "new");
  CHECK(store(folder.at("link"), "x", IfThere::fail).error().error == EEXIST);
  fs::create_symlink("nowhere", folder.path / "dangling");
  CHECK(store(folder.at("dangling"), "x", IfThere::replace).error().error == ENOENT);
  CHECK(fs::is_symlink(folder.path / "dangling"));
}

TEST_CASE("SF4: an error leaves nothing behind") {
  const Folder folder;
  REQUIRE(store(folder.at("file"), "x", IfThere::fail).has_value());
  CHECK(store(folder.at("file/below"), "x", IfThere::fail).error().error == ENOTDIR);
  CHECK(make_directories(folder.at("file")).error().error == ENOTDIR);
  fs::create_directory(folder.path / "dir");
  CHECK_FALSE(store(folder.at("dir"), "x", IfThere::replace).has_value());
  CHECK(folder.entries() == 2);
  CHECK(FileLock::acquire(folder.at("dir")).error().error == EISDIR);
}

TEST_CASE("SF5: one holder of a lock at a time") {
  const Folder folder;
  REQUIRE(store(folder.at("count"), "0", IfThere::fail).has_value());
  constexpr std::size_t kWriters = 4;
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (std::size_t i = 0; i < kWriters; ++i) {
    writers.emplace_back([&folder] {
      for (int turn = 0; turn < 25; ++turn) {
        const auto lock = FileLock::acquire(folder.at("lock"));
        if (!lock ||
            !store(folder.at("count"), std::to_string(std::stoi(folder.content("count")) + 1),
                   IfThere::replace)) {
          return;
        }
      }
    });
  }
  for (auto& writer : writers) {
    writer.join();
  }
  CHECK(folder.content("count") == "100");
}
