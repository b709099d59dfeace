// Replays a corpus without libFuzzer: replay <target> <directory>.
//
// Exit code 1 if the target is unknown or there is nothing to replay; a property that does not hold
// aborts.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz_target.hpp"

namespace pmg::fuzz {
namespace {

std::map<std::string_view, Property>& targets() {
  static std::map<std::string_view, Property> table;
  return table;
}

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int replay(std::string_view name, const std::filesystem::path& corpus) {
  const auto found = targets().find(name);
  if (found == targets().end() || !std::filesystem::is_directory(corpus)) {
    static_cast<void>(std::fprintf(stderr, "no target or no corpus of this name\n"));
    return 1;
  }
  int replayed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    require(found->second, found->first.data(), read_bytes(entry.path()));
    ++replayed;
  }
  std::printf("%d inputs\n", replayed);
  return replayed == 0 ? 1 : 0;
}

}  // namespace

Registered::Registered(const char* name, Property property) { targets().emplace(name, property); }

}  // namespace pmg::fuzz

int main(int argc, char** argv) {
  if (argc != 3) {
    static_cast<void>(std::fprintf(stderr, "usage: replay <target> <directory>\n"));
    return 1;
  }
  return pmg::fuzz::replay(argv[1], argv[2]);
}
