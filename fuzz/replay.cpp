// Replays the corpus of a target without libFuzzer: replay_<target> <directory>.
//
// Exit code 1 if there is nothing to replay; what does not hold aborts.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    static_cast<void>(std::fprintf(stderr, "usage: replay_<target> <directory>\n"));
    return 1;
  }
  int replayed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    static_cast<void>(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    ++replayed;
  }
  std::printf("%d inputs\n", replayed);
  return replayed == 0 ? 1 : 0;
}
