#include "commands/probe.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "environment.hpp"
#include "options.hpp"
#include "platform/local_socket.hpp"
#include "platform/process.hpp"
#include "platform/spawn.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using Words = std::vector<std::string>;

constexpr int kUsage = 2;

/// An errno; 0 for what worked.
int read_whole(const std::string& file, std::string& text) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return errno == 0 ? EIO : errno;
  }
  text.assign(std::istreambuf_iterator<char>(in), {});
  return 0;
}

int write_whole(const std::string& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (out) {
    out << text;
    out.close();
  }
  return out.good() ? 0 : errno == 0 ? EIO : errno;
}

int copy(const std::string& from, const std::string& to) {
  std::string text;
  const int error = read_whole(from, text);
  return error == 0 ? write_whole(to, text) : error;
}

int write(const Words& words) { return write_whole(words[1], "written\n"); }
int copy_words(const Words& words) { return copy(words[1], words[2]); }

int run_program(const Words& words) {
  const auto code = platform::run_and_wait({words[1], "__probe", "--", "mark", words[2]});
  if (!code) {
    return code.error().error;
  }
  return *code == 0 ? 0 : ECHILD;
}

int write_environment(const Words& words) {
  std::string text;
  const Environment environment = Environment::of_process();
  for (const std::string& entry : environment.entries()) {
    text += entry + "\n";
  }
  return write_whole(words[1], text);
}

int find_variable(const Words& words) {
  return Environment::of_process().get(words[1]) ? 0 : ENOENT;
}

int read_launcher(const Words& words) {
  return copy("/proc/" + std::to_string(::getppid()) + "/environ", words[1]);
}

int move_file(const Words& words) {
  return std::rename(words[1].c_str(), words[2].c_str()) == 0 ? 0 : errno;
}

int open_to_all(const Words& words) {
  constexpr mode_t kAll = 0777;
  return ::chmod(words[1].c_str(), kAll) == 0 ? 0 : errno;
}

/// Signal 0: whether one could be sent. To itself, or to whoever started it.
int send_nothing(const Words& words) {
  const auto process = platform::open_process(words[1] == "self" ? ::getpid() : ::getppid());
  if (!process) {
    return process.error().value;
  }
  const auto sent = platform::send_signal(*process, 0, nullptr);
  return sent ? 0 : sent.error().value;
}

int connect_there(const Words& words) {
  const auto connected = platform::connect_to(words[1]);
  return connected ? 0 : connected.error().value;
}

int connect_to_itself(const Words& words) {
  const auto listener = platform::LocalListener::listen(words[1]);
  if (!listener) {
    return listener.error().value;
  }
  const int error = connect_there(words);
  ::unlink(words[1].c_str());  // an abstract name is no file
  return error != 0 ? error : listener->was_reached() ? 0 : EIO;
}

/// Ends the list: the exit code is the number.
int end_with(const Words& /*words*/) { return 0; }

struct Attempt {
  std::string_view name;
  std::size_t words;
  int (*make)(const Words& words);
};
constexpr std::array kAttempts{
    Attempt{"move", 3, move_file},
    Attempt{"mode", 2, open_to_all},
    Attempt{"signal", 2, send_nothing},
    Attempt{"connect", 2, connect_there},
    Attempt{"serve", 2, connect_to_itself},
    Attempt{"exit", 2, end_with},
    Attempt{"copy", 3, copy_words},
    Attempt{"write", 2, write},
    Attempt{"mark", 2, write},
    Attempt{"run", 3, run_program},
    Attempt{"environment", 2, write_environment},
    Attempt{"variable", 2, find_variable},
    Attempt{"launcher", 2, read_launcher},
};

/// The line for it; nothing where it makes no sense.
std::optional<std::string> attempt(const Words& words) {
  const auto* found = std::ranges::find_if(kAttempts, [&words](const Attempt& one) {
    return !words.empty() && one.name == words.front() && one.words == words.size();
  });
  if (found == kAttempts.end()) {
    return std::nullopt;
  }
  const int error = found->make(words);
  if (words.front() == "mark") {
    return "";  // the one that started it tells the result
  }
  if (error == 0) {
    return "got\n";
  }
  const char* const name = ::strerrorname_np(error);
  return "refused " + (name != nullptr ? std::string(name) : std::to_string(error)) + "\n";
}

int to_number(const std::string& text) {
  int number = kUsage;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void Probe::declare(Options& options) { options.arguments("ACTION", words); }

int Probe::run(const Flags& /*flags*/) const {
  auto begin = words.begin();
  while (true) {
    const auto end = std::find(begin, words.end(), "then");
    const auto line = attempt(Words(begin, end));
    if (!line) {
      complain("`__probe` is called by `pmg sandbox doctor` alone");
      return kUsage;
    }
    if (!print(*line)) {
      return 1;
    }
    if (end == words.end()) {
      return *begin == "exit" ? to_number(*(begin + 1)) : 0;
    }
    begin = end + 1;
  }
}

}  // namespace pmg::app
