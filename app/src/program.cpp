#include "program.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include <tl/expected.hpp>

#include "domain/path.hpp"

namespace pmg::app {
namespace {

using domain::AbsolutePath;

/// What execvp(3) uses where PATH is unset.
constexpr std::string_view kDefaultPath = "/bin:/usr/bin";

/// `spelled` taken from the working directory. ".." is resolved by the file system, because by text
/// alone it would be wrong behind a symlink; the last name stays as it is (it may be a symlink
/// whose name matters, as those of version managers).
AbsolutePath absolute(const AbsolutePath& cwd, const std::string& spelled) {
  const std::filesystem::path path = std::filesystem::path(cwd.text()) / spelled;
  std::error_code error;
  const auto parent = std::filesystem::canonical(path.parent_path(), error);
  if (spelled.find("..") == std::string::npos || error) {
    return normalise(cwd, spelled);
  }
  return normalise(cwd, (parent / path.filename()).string());
}

/// Empty where there is no such file.
std::optional<LookupErrc> obstacle(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    return LookupErrc::not_found;
  }
  if (S_ISDIR(status.st_mode)) {
    return LookupErrc::is_directory;
  }
  // The effective ids are the ones that execve(2) looks at.
  if (!S_ISREG(status.st_mode) || ::eaccess(file.c_str(), X_OK) != 0) {
    return LookupErrc::not_executable;
  }
  return std::nullopt;
}

}  // namespace

tl::expected<AbsolutePath, LookupError> find_program(std::string_view name,
                                                     std::optional<std::string_view> search_path,
                                                     const AbsolutePath& cwd) {
  const auto candidate = [&cwd](std::string_view spelled) {
    return absolute(cwd, std::string(spelled));
  };
  if (name.find('/') != std::string_view::npos) {
    const AbsolutePath file = candidate(name);
    if (const auto code = obstacle(file.text())) {
      return tl::unexpected(LookupError{*code, std::string(name), file.text(), false});
    }
    return file;
  }
  LookupError error{LookupErrc::not_found, std::string(name), "", true};
  std::string_view rest = search_path.value_or(kDefaultPath);
  while (!name.empty()) {
    const auto colon = rest.find(':');
    const auto element = rest.substr(0, colon);
    const AbsolutePath file =
        candidate(std::string(element.empty() ? "." : element) + "/" + std::string(name));
    const auto code = obstacle(file.text());
    if (!code) {
      return file;
    }
    // A directory of that name is passed over silently, as every shell does.
    if (*code == LookupErrc::not_executable) {
      error.code = *code;
      error.file = file.text();
    }
    if (colon == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(colon + 1);
  }
  return tl::unexpected(error);
}

}  // namespace pmg::app
