#include "adapters/caller.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <pwd.h>

#include <tl/expected.hpp>

#include "adapters/canonical.hpp"
#include "domain/path.hpp"

namespace pmg::adapters {

namespace {

namespace fs = std::filesystem;
using domain::AbsolutePath;

std::string account_home(std::uint32_t user) {
  // getpwuid_r(3): long entries (LDAP) ask for a larger buffer with ERANGE.
  constexpr std::size_t kLargest = 1U << 20U;
  for (std::size_t size = 4096; size <= kLargest; size *= 4) {
    std::vector<char> buffer(size);
    passwd entry{};
    passwd* found = nullptr;
    const int error = ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
    if (error == 0) {
      return found == nullptr || found->pw_dir == nullptr ? "" : found->pw_dir;
    }
    if (error != static_cast<int>(std::errc::result_out_of_range)) {
      break;
    }
  }
  return {};
}

/// PWD where it names the working directory: it keeps the name that the user typed.
tl::expected<AbsolutePath, CallerError> working_directory(std::string_view logical) {
  std::error_code error;
  const std::string physical = fs::current_path(error).string();
  const auto real = AbsolutePath::parse(physical);
  // getcwd(3) gives "(unreachable)…" for a directory outside the root.
  if (error || !real) {
    return tl::unexpected(CallerError{CallerErrc::no_working_directory, physical});
  }
  if (const auto spelled = AbsolutePath::parse(logical)) {
    if (fs::equivalent(spelled->text(), physical, error) && !error) {
      return *spelled;
    }
  }
  return *real;
}

/// `value` as a path; trailing and doubled slashes are forgiven, dot segments resolved by text.
tl::expected<AbsolutePath, CallerError> absolute(std::string_view value, CallerErrc otherwise) {
  if (!value.starts_with('/')) {
    return tl::unexpected(CallerError{otherwise, std::string(value)});
  }
  return domain::normalise(AbsolutePath::root(), value);
}

}  // namespace

std::string_view Caller::variable(std::string_view name) const noexcept {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

tl::expected<Caller, CallerError> read_caller(std::uint32_t effective_user,
                                              const char* const* environment) {
  std::map<std::string, std::string, std::less<>> variables;
  for (const char* const* entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  const auto pwd = variables.find("PWD");
  auto directory = working_directory(pwd == variables.end() ? "" : pwd->second);
  if (!directory) {
    return tl::unexpected(std::move(directory.error()));
  }
  // The password database costs time and may ask a server, so it is only asked where it counts.
  const auto home = variables.find("HOME");
  const bool asks_account =
      home == variables.end() || home->second.empty() || variables.contains("SUDO_USER");
  Caller caller{std::move(variables), std::move(*directory), effective_user,
                asks_account ? account_home(effective_user) : std::string(), std::nullopt};
  std::error_code error;
  if (const auto binary = AbsolutePath::parse(fs::read_symlink("/proc/self/exe", error).string())) {
    caller.own_binary = *binary;
  }
  return caller;
}

tl::expected<AbsolutePath, CallerError> home_of(const Caller& caller) {
  std::string_view value = caller.variable("HOME");
  if (value.empty()) {
    value = caller.account_home;
  }
  if (value.empty()) {
    return tl::unexpected(CallerError{CallerErrc::no_home, {}});
  }
  auto home = absolute(value, CallerErrc::relative_home);
  if (home && (home->is_root() || canonical(*home).is_root())) {
    return tl::unexpected(CallerError{CallerErrc::root_home, std::string(value)});
  }
  return home;
}

tl::expected<StateDirectories, CallerError> state_directories(const Caller& caller) {
  const bool under_sudo = caller.user == 0 && !caller.variable("SUDO_USER").empty() &&
                          caller.account_home.starts_with('/');
  const auto home =
      under_sudo ? absolute(caller.account_home, CallerErrc::relative_home) : home_of(caller);
  if (!home) {
    return tl::unexpected(home.error());
  }
  const auto xdg = [&](std::string_view variable, std::string_view below_home) {
    const std::string_view value = under_sudo ? std::string_view() : caller.variable(variable);
    const AbsolutePath base = value.starts_with('/')
                                  ? domain::normalise(AbsolutePath::root(), value)
                                  : domain::normalise(*home, below_home);
    return domain::normalise(base, "safedep/pmg");
  };
  StateDirectories directories{xdg("XDG_CONFIG_HOME", ".config"), xdg("XDG_CACHE_HOME", ".cache"),
                               xdg("XDG_DATA_HOME", ".local/share")};
  for (const auto& [variable, directory] : {std::pair("PMG_CONFIG_DIR", &directories.config),
                                            std::pair("PMG_CACHE_DIR", &directories.cache)}) {
    if (const std::string_view value = caller.variable(variable); !value.empty()) {
      auto path = absolute(value, CallerErrc::relative_directory);
      if (!path) {
        return tl::unexpected(std::move(path.error()));
      }
      *directory = std::move(*path);
    }
  }
  return directories;
}

std::string to_message(const CallerError& error) {
  switch (error.code) {
    case CallerErrc::no_working_directory:
      return "the working directory no longer exists or cannot be read";
    case CallerErrc::no_home:
      return "HOME is not set and the password database names no home directory";
    case CallerErrc::relative_home:
      return "HOME is `" + error.subject + "`, which is not an absolute path";
    case CallerErrc::root_home:
      return "HOME is `" + error.subject + "`, the root of the file system; set it to a directory";
    case CallerErrc::relative_directory:
      return "`" + error.subject + "` is not an absolute path (PMG_CONFIG_DIR, PMG_CACHE_DIR)";
  }
  return {};
}

}  // namespace pmg::adapters
