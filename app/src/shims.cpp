#include "shims.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <tl/expected.hpp>

#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "environment.hpp"
#include "messages.hpp"
#include "platform/os_error.hpp"
#include "platform/stored_file.hpp"
#include "program.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

namespace fs = std::filesystem;

/// The scripts of the tool that this one replaces set this variable, and are far shorter.
bool is_script_of_older_tool(const std::string& file) {
  constexpr std::streamsize kLongest = 4096;
  std::ifstream stream(file, std::ios::binary);
  std::string text(kLongest, '\0');
  stream.read(text.data(), kLongest);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text.starts_with("#!") && text.find("PMG_SHIM_PATH") != std::string::npos;
}

ShimState state_of(const std::string& file) {
  std::error_code error;
  switch (fs::symlink_status(file, error).type()) {
    case fs::file_type::not_found:
      return ShimState::missing;
    case fs::file_type::symlink:
      break;
    case fs::file_type::regular:
      return is_script_of_older_tool(file) ? ShimState::stale : ShimState::foreign;
    default:
      return ShimState::foreign;
  }
  if (is_this_program(file)) {
    return ShimState::current;
  }
  const auto target = fs::read_symlink(file, error);
  return !error && target.filename() == "pmg" ? ShimState::stale : ShimState::foreign;
}

tl::unexpected<std::string> failed(const char* call, const std::string& operand) {
  return tl::unexpected(to_text(platform::OsError{call, errno, operand}));
}

}  // namespace

domain::AbsolutePath shim_directory(const Context& context) {
  return domain::normalise(context.directories.data, "bin");
}

std::vector<Shim> look_at_shims(const Context& context) {
  const auto directory = shim_directory(context);
  std::vector<Shim> shims;
  for (const auto manager : domain::all_package_managers()) {
    if (manager != domain::PackageManager::go) {
      const auto file = domain::normalise(directory, name_of(manager));
      shims.push_back({manager, file, state_of(file.text())});
    }
  }
  return shims;
}

tl::expected<std::string, std::string> shim_target(const Context& context) {
  const auto found = find_program("pmg", without_shims(context.environment).get("PATH"),
                                  context.caller.working_directory);
  if (found && is_this_program(found->text())) {
    return found->text();
  }
  if (context.caller.own_binary && is_this_program(context.caller.own_binary->text())) {
    return context.caller.own_binary->text();
  }
  return tl::unexpected(std::string("the file of this program cannot be found"));
}

tl::expected<void, std::string> make_shim(const Shim& shim, const std::string& target) {
  const std::string& file = shim.file.text();
  const std::string directory = file.substr(0, file.rfind('/'));
  if (const auto made = platform::make_directories(directory); !made) {
    return tl::unexpected(to_text(made.error()));
  }
  // Moved into place: there is no moment at which the shim of an older version is gone.
  const std::string draft = file + ".new-" + std::to_string(::getpid());
  if (::symlink(target.c_str(), draft.c_str()) != 0) {
    return failed("symlink", draft);
  }
  if (::rename(draft.c_str(), file.c_str()) != 0) {
    auto error = failed("rename", file);
    ::unlink(draft.c_str());
    return error;
  }
  return {};
}

tl::expected<void, std::string> remove_shim(const Shim& shim) {
  return ::unlink(shim.file.text().c_str()) == 0 ? tl::expected<void, std::string>()
                                                 : failed("unlink", shim.file.text());
}

}  // namespace pmg::app
