#include "environment.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "domain/environment.hpp"
#include "domain/policy.hpp"
#include "platform/filter.hpp"

namespace pmg::app {
namespace {

std::string_view name_of(std::string_view entry) noexcept {
  return entry.substr(0, entry.find('='));
}

bool has_name_of_shims(std::string_view directory) noexcept {
  return directory.ends_with("/.pmg/bin") || directory.ends_with("/safedep/pmg/bin");
}

/// A directory may be in PATH through a symlink, or with `..` and slashes in its name.
bool is_shim_directory(std::string_view directory, std::string_view invoking) {
  while (directory.size() > 1 && directory.back() == '/') {
    directory.remove_suffix(1);
  }
  if (has_name_of_shims(directory) || (!invoking.empty() && directory == invoking)) {
    return true;
  }
  std::error_code error;
  const auto real = std::filesystem::canonical(directory, error);
  return !error && has_name_of_shims(real.native());
}

/// The elements of a PATH that `is_kept` keeps; empty where none is left.
template <class Keep>
std::optional<std::string> filtered(std::string_view path, const Keep& is_kept) {
  std::optional<std::string> kept;
  while (true) {
    const auto colon = path.find(':');
    const auto element = path.substr(0, colon);
    if (is_kept(element)) {
      kept = kept ? *kept + ":" + std::string(element) : std::string(element);
    }
    if (colon == std::string_view::npos) {
      return kept;
    }
    path.remove_prefix(colon + 1);
  }
}

}  // namespace

Environment Environment::of_process() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return Environment(std::move(entries));
}

std::optional<std::string_view> Environment::get(std::string_view name) const noexcept {
  for (const std::string_view entry : entries_) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

void Environment::set(std::string_view name, std::string_view value) {
  remove(name);
  entries_.push_back(std::string(name) + "=" + std::string(value));
}

void Environment::remove(std::string_view name) {
  std::erase_if(entries_, [name](const std::string& entry) { return name_of(entry) == name; });
}

ConfinedEnvironment confined_environment(const Environment& mine,
                                         const domain::EnvironmentRules& rules) {
  // An entry without a name or without '=' (execve(2) allows both) belongs to no rule: it goes.
  std::vector<std::string> entries = mine.entries();
  std::erase_if(entries, [](const std::string& entry) {
    const auto equals = entry.find('=');
    return equals == std::string::npos || equals == 0;
  });
  std::vector<std::string_view> names(entries.size());
  std::transform(entries.begin(), entries.end(), names.begin(), name_of);
  auto scrubbed = domain::scrub(rules, names);
  std::unordered_set<std::string_view> gone;
  for (const auto& name : scrubbed) {
    gone.insert(name.name);
  }
  std::erase_if(entries,
                [&gone](const std::string& entry) { return gone.contains(name_of(entry)); });

  Environment variables(std::move(entries));
  variables.set(kMarker, "1");
  // `git init` and `git clone` copy hook samples into .git/hooks, which nothing in the sandbox may
  // write. An empty value means: copy nothing (git-init(1), TEMPLATE DIRECTORY).
  if (!variables.get("GIT_TEMPLATE_DIR")) {
    variables.set("GIT_TEMPLATE_DIR", "");
  }
  return {std::move(variables), std::move(scrubbed)};
}

Environment without_shims(Environment environment) {
  std::string_view invoking;
  if (const auto shim = environment.get("PMG_SHIM_PATH")) {
    invoking = shim->substr(0, shim->rfind('/'));
  }
  if (const auto path = environment.get("PATH")) {
    const auto kept = filtered(*path, [invoking](std::string_view element) {
      return !is_shim_directory(element, invoking);
    });
    // An empty PATH would mean the working directory.
    if (!kept) {
      environment.remove("PATH");
    } else if (*kept != *path) {
      environment.set("PATH", *kept);
    }
  }
  environment.remove("PMG_SHIM_PATH");
  return environment;
}

std::optional<std::string> path_without_us(const Environment& environment, std::string_view name) {
  const auto path = environment.get("PATH");
  return filtered(path.value_or("/bin:/usr/bin"), [name](std::string_view element) {
    return !is_this_program(std::string(element.empty() ? "." : element) + "/" + std::string(name));
  });
}

bool is_this_program(const std::string& file) {
  struct stat one {};
  struct stat other {};
  return ::stat(file.c_str(), &one) == 0 && ::stat("/proc/self/exe", &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool is_inside_sandbox(const Environment& environment) {
  if (environment.get(kMarker) != "1") {
    return false;
  }
  // Anybody can set the marker; only the kernel knows whether it is true.
  return platform::probe_supervisor() == platform::Supervisor::present;
}

}  // namespace pmg::app
