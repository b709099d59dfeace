#include "doctor/world.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "platform/log_file.hpp"
#include "platform/scratch.hpp"

namespace pmg::app {
namespace {

namespace fs = std::filesystem;

/// Files that are larger are told by their size: programs, which nobody edits in place.
constexpr std::uintmax_t kLargest = 1U << 20U;

std::string random_digits() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kCount = 16;
  std::random_device device;
  std::uniform_int_distribution<std::size_t> digit(0, kDigits.size() - 1);
  std::string out;
  for (std::size_t i = 0; i < kCount; ++i) {
    out += kDigits[digit(device)];
  }
  return out;
}

std::string describe(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_status status = entry.symlink_status(error);
  std::string out = std::to_string(static_cast<int>(status.type())) + " " +
                    std::to_string(static_cast<unsigned>(status.permissions()));
  if (fs::is_symlink(status)) {
    return out + " " + fs::read_symlink(entry.path(), error).string();
  }
  if (fs::is_regular_file(status)) {
    const auto size = entry.file_size(error);
    out += " " + (size > kLargest ? std::to_string(size) : read_file(entry.path().string()));
  }
  return out;
}

}  // namespace

World::World(platform::ScratchDirectory scratch)
    : scratch_(std::move(scratch)),
      secret_("SECRET-" + random_digits()),
      token_("TOKEN-" + random_digits()) {}

tl::expected<World, platform::OsError> World::make(const std::vector<std::string>& parents) {
  platform::OsError last{"mkdtemp", 0, ""};
  for (const std::string& parent : parents) {
    auto scratch = platform::ScratchDirectory::make(parent, "pmg-doctor-");
    if (scratch) {
      return World(std::move(*scratch));
    }
    last = scratch.error();
  }
  return tl::unexpected(last);
}

bool World::plant() const {
  std::error_code error;
  for (const std::string& place : {home(), project(), temporary()}) {
    if (!platform::remove_tree(place) || !fs::create_directory(place, error)) {
      return false;
    }
  }
  const std::string line = "TOKEN=" + secret_ + "\n";
  const std::array files{
      std::pair{project() + "/.env", line},
      std::pair{project() + "/sub/deep/.env", line},
      std::pair{project() + "/readme", token_ + "\n"},
      std::pair{home() + "/.ssh/id_test", line},
      std::pair{home() + "/.aws/credentials", line},
      std::pair{home() + "/.sshfoo/id_test", std::string("harmless\n")},
      std::pair{home() + "/notes", std::string("notes\n")},
  };
  return std::ranges::all_of(files,
                             [](const auto& file) { return write_file(file.first, file.second); });
}

std::vector<std::string> World::environment(std::string_view path) const {
  return {"HOME=" + home(),
          "TMPDIR=" + temporary(),
          "PMG_CACHE_DIR=" + top() + "/cache",
          "LANG=C.UTF-8",
          "TERM=dumb",
          "PATH=" + std::string(path) + (path.empty() ? "" : ":") +
              "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"};
}

bool write_file(const std::string& file, std::string_view text) {
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  return out.good();
}

std::string read_file(const std::string& file) {
  constexpr std::size_t kMost = 16UL << 20U;
  return platform::read_regular_file(file, kMost).value_or("");
}

Tree tree_of(const std::string& directory) {
  Tree tree;
  std::error_code error;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (auto it = fs::recursive_directory_iterator(directory, skip, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    tree[it->path().string().substr(directory.size() + 1)] = describe(*it);
  }
  return tree;
}

std::vector<std::string> differences(const Tree& before, const Tree& after) {
  std::vector<std::string> names;
  for (const auto& [name, what] : before) {
    const auto found = after.find(name);
    if (found == after.end() || found->second != what) {
      names.push_back(name);
    }
  }
  for (const auto& [name, what] : after) {
    if (!before.contains(name)) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace pmg::app
