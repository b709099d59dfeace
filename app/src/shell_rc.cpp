#include "shell_rc.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/caller.hpp"
#include "domain/path.hpp"
#include "session.hpp"

namespace pmg::app {
namespace {

constexpr std::string_view kBegin = "# >>> shims of pmg, written by `pmg setup install` >>>\n";
constexpr std::string_view kEnd = "# <<< shims of pmg <<<\n";

/// In single quotes, as these shells read them.
std::string in_quotes(Shell shell, std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (shell == Shell::fish && (c == '\\' || c == '\'')) {
      out += '\\';
      out += c;
    } else {
      out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
  }
  return out + "'";
}

struct Block {
  std::size_t at;
  std::size_t size;
};

/// The first block; of size 0 at the end where there is none.
tl::expected<Block, OpenBlock> find_block(std::string_view text) {
  std::size_t begin = text.find(kBegin);
  while (begin != std::string_view::npos && begin > 0 && text[begin - 1] != '\n') {
    begin = text.find(kBegin, begin + 1);
  }
  if (begin == std::string_view::npos) {
    return Block{text.size(), 0};
  }
  const auto end = text.find(kEnd, begin);
  if (end == std::string_view::npos) {
    return tl::unexpected(OpenBlock{});
  }
  return Block{begin, end + kEnd.size() - begin};
}

std::string replaced(std::string_view text, const Block& block, std::string_view by) {
  return std::string(text.substr(0, block.at)) + std::string(by) +
         std::string(text.substr(block.at + block.size));
}

}  // namespace

std::string_view name_of(Shell shell) noexcept {
  switch (shell) {
    case Shell::bash:
      return "bash";
    case Shell::zsh:
      return "zsh";
    case Shell::fish:
      return "fish";
  }
  return "";
}

tl::expected<std::vector<StartFile>, std::string> start_files(const Context& context) {
  const auto home = adapters::home_of(context.caller);
  if (!home) {
    return tl::unexpected(to_message(home.error()));
  }
  const auto base = [&](std::string_view variable, std::string_view below_home) {
    const std::string_view value = context.caller.variable(variable);
    return value.starts_with('/') ? domain::normalise(domain::AbsolutePath::root(), value)
                                  : domain::normalise(*home, below_home);
  };
  return std::vector<StartFile>{
      {Shell::bash, domain::normalise(*home, ".bashrc")},
      {Shell::zsh, domain::normalise(base("ZDOTDIR", ""), ".zshrc")},
      {Shell::fish, domain::normalise(base("XDG_CONFIG_HOME", ".config"), "fish/config.fish")}};
}

std::string path_line(Shell shell, const domain::AbsolutePath& directory) {
  const std::string word = in_quotes(shell, directory.text());
  switch (shell) {
    case Shell::bash:
    case Shell::zsh:
      return "case \"$PATH\" in " + word + ":*) ;; *) export PATH=" + word + ":\"$PATH\" ;; esac";
    case Shell::fish:
      break;
  }
  return "test \"$PATH[1]\" = " + word + "; or set -gx PATH " + word + " $PATH";
}

tl::expected<std::string, OpenBlock> with_block(std::string_view text, std::string_view line) {
  return find_block(text).map([&](const Block& block) {
    const bool is_open = block.size == 0 && !text.empty() && text.back() != '\n';
    return replaced(
        text, block,
        (is_open ? "\n" : "") + std::string(kBegin) + std::string(line) + "\n" + std::string(kEnd));
  });
}

tl::expected<std::string, OpenBlock> without_block(std::string_view text) {
  return find_block(text).map([&](const Block& block) { return replaced(text, block, ""); });
}

}  // namespace pmg::app
