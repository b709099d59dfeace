#include "domain/package_manager.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace pmg::domain {
namespace {

using std::string_view_literals::operator""sv;
using Words = std::span<const std::string_view>;

constexpr std::array kNodeInstall{"install"sv, "i"sv, "add"sv};
constexpr std::array kBunInstall{"install"sv, "i"sv, "add"sv, "ci"sv};
constexpr std::array kYarnInstall{"install"sv, "add"sv};
constexpr std::array kPipInstall{"install"sv};
constexpr std::array kUvInstall{"add"sv, "install"sv};
constexpr std::array kPoetryInstall{"add"sv};
constexpr std::array kPipxInstall{"install"sv,     "inject"sv,    "run"sv,          "upgrade"sv,
                                  "upgrade-all"sv, "reinstall"sv, "reinstall-all"sv};

// The scripts of a project run without the sandbox unless it is enforced always: the profile of an
// install breaks them (`npm run dev` writes into the project). This departs from the existing tool.
// Commands that change node_modules (remove, prune, link, rebuild) are not here either: they run
// the install scripts of dependencies, and fetch what is missing.
constexpr std::array kNpmLocal{"cache"sv,      "pack"sv,   "ls"sv,      "list"sv,   "outdated"sv,
                               "view"sv,       "info"sv,   "show"sv,    "search"sv, "config"sv,
                               "ping"sv,       "whoami"sv, "version"sv, "help"sv,   "run"sv,
                               "run-script"sv, "test"sv,   "t"sv,       "tst"sv,    "start"sv,
                               "stop"sv,       "restart"sv};
constexpr std::array kPnpmLocal{"ls"sv,     "list"sv, "outdated"sv, "info"sv,       "view"sv,
                                "config"sv, "why"sv,  "run"sv,      "run-script"sv, "test"sv,
                                "t"sv,      "tst"sv,  "start"sv,    "stop"sv,       "restart"sv};
constexpr std::array kBunLocal{"run"sv, "run-script"sv, "test"sv, "start"sv, "stop"sv, "restart"sv};
constexpr std::array kYarnLocal{"ls"sv,     "list"sv,  "outdated"sv, "info"sv,
                                "config"sv, "why"sv,   "run"sv,      "run-script"sv,
                                "test"sv,   "start"sv, "stop"sv,     "restart"sv};
constexpr std::array kPipLocal{"uninstall"sv, "list"sv,   "show"sv,
                               "check"sv,     "freeze"sv, "config"sv};
constexpr std::array kPoetryLocal{"remove"sv, "show"sv, "config"sv, "check"sv};
constexpr std::array kPipxLocal{"list"sv,     "uninstall"sv,  "uninstall-all"sv, "completions"sv,
                                "uninject"sv, "ensurepath"sv, "environment"sv};
constexpr std::array kGoLocal{"version"sv, "env"sv, "help"sv};

constexpr std::array kGoFetching{"get"sv, "install"sv, "run"sv};
constexpr std::array kAskAbout{"--version"sv, "-v"sv, "-V"sv, "--help"sv, "-h"sv};

struct Commands {
  PackageManager manager;
  std::string_view name;
  Words install;  ///< wherever they stand
  Words local;    ///< as the first argument that is not a flag
};

// In the order of the enumerators.
constexpr std::array kCommands{
    Commands{PackageManager::npm, "npm", kNodeInstall, kNpmLocal},
    Commands{PackageManager::pnpm, "pnpm", kNodeInstall, kPnpmLocal},
    Commands{PackageManager::yarn, "yarn", kYarnInstall, kYarnLocal},
    Commands{PackageManager::bun, "bun", kBunInstall, kBunLocal},
    Commands{PackageManager::npx, "npx", {}, {}},
    Commands{PackageManager::pnpx, "pnpx", {}, {}},
    Commands{PackageManager::pip, "pip", kPipInstall, kPipLocal},
    Commands{PackageManager::pip3, "pip3", kPipInstall, kPipLocal},
    Commands{PackageManager::pipx, "pipx", kPipxInstall, kPipxLocal},
    Commands{PackageManager::poetry, "poetry", kPoetryInstall, kPoetryLocal},
    // `uv run`, `uv tool …`, `uv pip …`: nearly every command may download.
    Commands{PackageManager::uv, "uv", kUvInstall, {}},
    Commands{PackageManager::uvx, "uvx", {}, {}},
    Commands{PackageManager::go, "go", {}, kGoLocal},
};

consteval bool is_in_order() noexcept {
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    if (static_cast<std::size_t>(kCommands[i].manager) != i) {
      return false;
    }
  }
  return true;
}
static_assert(is_in_order());
static_assert(static_cast<std::size_t>(PackageManager::go) + 1 == kCommands.size());

constexpr auto kManagers = [] {
  std::array<PackageManager, kCommands.size()> managers{};
  for (std::size_t i = 0; i < managers.size(); ++i) {
    managers[i] = kCommands[i].manager;
  }
  return managers;
}();

constexpr const Commands& commands_of(PackageManager manager) noexcept {
  return kCommands[static_cast<std::size_t>(manager)];
}

bool contains(Words words, std::string_view word) noexcept {
  return std::ranges::find(words, word) != words.end();
}

bool is_flag(std::string_view argument) noexcept { return argument.starts_with('-'); }

/// The index of the next argument that is not a flag, or `arguments.size()`.
std::size_t next_word(Words arguments, std::size_t from) noexcept {
  while (from < arguments.size() && is_flag(arguments[from])) {
    ++from;
  }
  return from;
}

std::string_view word_at(Words arguments, std::size_t index) noexcept {
  return index < arguments.size() ? arguments[index] : std::string_view();
}

/// Whether the words `first second` follow each other at `index`, flags between them aside.
bool is_pair_at(Words arguments, std::size_t index, std::string_view first,
                std::string_view second) noexcept {
  return word_at(arguments, index) == first &&
         word_at(arguments, next_word(arguments, index + 1)) == second;
}

/// A module path of another host (`example.com/x`) or a version (`x@latest`), not `.`, `./cmd` or
/// `main.go`: go help packages.
bool is_remote_go_target(std::string_view argument) noexcept {
  if (argument.empty() || is_flag(argument) || argument.front() == '.' || argument.front() == '/' ||
      argument.ends_with(".go")) {
    return false;
  }
  const std::string_view host = argument.substr(0, argument.find('/'));
  return host.find('.') != std::string_view::npos || argument.find('@') != std::string_view::npos;
}

bool go_installs(Words arguments) noexcept {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_pair_at(arguments, i, "mod", "tidy") || is_pair_at(arguments, i, "mod", "download")) {
      return true;
    }
    if (contains(kGoFetching, arguments[i]) &&
        std::ranges::any_of(arguments.subspan(i + 1), is_remote_go_target)) {
      return true;
    }
  }
  return false;
}

/// Commands that install and are recognised by more than one word standing somewhere.
bool installs_by_shape(PackageManager manager, Words arguments) noexcept {
  const std::size_t first = next_word(arguments, 0);
  switch (manager) {
    case PackageManager::npx:
    case PackageManager::pnpx:
    case PackageManager::uvx:
      return true;
    case PackageManager::yarn:
      return first == arguments.size() && !std::ranges::any_of(arguments, [](std::string_view a) {
               return contains(kAskAbout, a);
             });
    case PackageManager::uv:
      return word_at(arguments, first) == "sync" || is_pair_at(arguments, first, "pip", "sync");
    case PackageManager::poetry:
      return word_at(arguments, first) == "install";
    case PackageManager::go:
      return go_installs(arguments);
    case PackageManager::npm:
    case PackageManager::pnpm:
    case PackageManager::bun:
    case PackageManager::pip:
    case PackageManager::pip3:
    case PackageManager::pipx:
      break;
  }
  return false;
}

/// No command word: help and version are local, anything else (`bun --eval=…`) is not known.
bool only_asks(Words arguments) noexcept {
  return std::ranges::all_of(arguments, [](std::string_view a) { return contains(kAskAbout, a); });
}

}  // namespace

std::optional<PackageManager> parse_package_manager(std::string_view word) noexcept {
  const auto* const found = std::ranges::find(kCommands, word, &Commands::name);
  return found == kCommands.end() ? std::nullopt : std::optional(found->manager);
}

std::string_view name_of(PackageManager manager) noexcept { return commands_of(manager).name; }

std::span<const PackageManager> all_package_managers() noexcept { return kManagers; }

CommandKind classify(PackageManager manager, Words arguments) noexcept {
  const Commands& commands = commands_of(manager);
  const bool names_install_word = std::ranges::any_of(
      arguments, [&commands](std::string_view a) { return contains(commands.install, a); });
  if (names_install_word || installs_by_shape(manager, arguments)) {
    return CommandKind::install;
  }
  if (only_asks(arguments) ||
      contains(commands.local, word_at(arguments, next_word(arguments, 0)))) {
    return CommandKind::local;
  }
  return CommandKind::may_download;
}

}  // namespace pmg::domain
