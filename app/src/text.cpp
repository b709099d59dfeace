#include "text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "domain/escaped.hpp"

namespace pmg::app {
namespace {

bool is_plain(char c) noexcept {
  constexpr std::string_view kPlain = "_-./:=@%+,";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != std::string_view::npos;
}

bool write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

std::string visible(std::string_view text) { return domain::visible(text); }

std::string quoted(std::string_view text) { return "`" + visible(text) + "`"; }

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : visible(text)) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    out += (out.empty() ? "" : " ") + shell_word(word);
  }
  return out;
}

void complain(std::string_view message) {
  // Where even standard error fails there is nobody left to tell. An interruption counts as that:
  // only the end of the run interrupts, and it must not wait for whoever does not read.
  (void)write_all(STDERR_FILENO, "pmg: " + std::string(message) + "\n");
}

int fail(std::string_view message) {
  complain(message);
  return 1;
}

bool print(std::string_view text) {
  const bool written = write_all(STDOUT_FILENO, text);
  if (!written) {
    const int error = errno;
    complain("standard output: " + std::generic_category().message(error));
  }
  return written;
}

std::string visible_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    out += visible(text.substr(0, end)) + std::string(text.substr(end, 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace pmg::app
