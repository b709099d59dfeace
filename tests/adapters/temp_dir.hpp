/// A directory that is removed with its content at the end of the test.
///
///   TempDir dir;
///   dir.write("p.yml", "name: x\n");          // also makes missing parents
///   registry(dir.path("profiles"));
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <doctest/doctest.h>

#include "domain/path.hpp"

namespace pmg::tests {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "pmg-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = std::filesystem::canonical(name).string();
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::string& root() const noexcept { return root_; }
  [[nodiscard]] std::string path(std::string_view below) const {
    return root_ + "/" + std::string(below);
  }
  [[nodiscard]] domain::AbsolutePath at(std::string_view below) const {
    const auto base = domain::AbsolutePath::parse(root_);
    REQUIRE(base.has_value());
    return domain::normalise(*base, below);
  }

  void make(std::string_view below) const { std::filesystem::create_directories(path(below)); }
  void write(std::string_view below, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path(below)).parent_path());
    std::ofstream(path(below), std::ios::binary) << text;
  }
  void link(std::string_view target, std::string_view below) const {
    std::filesystem::create_directories(std::filesystem::path(path(below)).parent_path());
    std::filesystem::create_symlink(target, path(below));
  }

 private:
  std::string root_;
};

}  // namespace pmg::tests
