/// Finding the file of a program, as a shell would.
///
///   auto file = find_program("npm", environment.get("PATH"), cwd);   // expected<AbsolutePath, …>
///
/// The rules are those of execvp(3): a name with a '/' is a path, an empty element of PATH is the
/// working directory, and a file that may not be executed is remembered while the search goes on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "domain/path.hpp"

namespace pmg::app {

enum class LookupErrc {
  not_found,
  not_executable,  ///< there is such a file, but no permission to execute it
  is_directory,
};

struct LookupError {
  LookupErrc code;
  std::string name;  ///< as asked for
  std::string file;  ///< the file that was found; empty for not_found
  bool in_path;      ///< it was searched for in PATH
};

[[nodiscard]] tl::expected<domain::AbsolutePath, LookupError> find_program(
    std::string_view name, std::optional<std::string_view> search_path,
    const domain::AbsolutePath& cwd);

}  // namespace pmg::app
