/// Who called pmg, from where and with what environment: everything that is derived from it takes
/// this value, so tests can be anyone.
///
///   auto caller = read_caller(::geteuid(), environ);     // expected<Caller, CallerError>
///   auto directories = state_directories(*caller);       // configuration, cache and data of pmg
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "domain/path.hpp"

namespace pmg::adapters {

struct Caller {
  std::map<std::string, std::string, std::less<>> environment;
  domain::AbsolutePath
      working_directory;     ///< as spelled by PWD where that names the same directory
  std::uint32_t user = 0;    ///< effective user id
  std::string account_home;  ///< of the password database; empty where it has none
  std::optional<domain::AbsolutePath> own_binary;

  /// The value of a variable; empty where it is unset.
  [[nodiscard]] std::string_view variable(std::string_view name) const noexcept;
};

enum class CallerErrc : std::uint8_t {
  no_working_directory,  ///< removed, or not readable
  no_home,               ///< HOME is unset and the password database has none
  relative_home,
  root_home,           ///< "/", or a symlink to it: ${HOME}/** would be everything
  relative_directory,  ///< PMG_CONFIG_DIR or PMG_CACHE_DIR
};

struct CallerError {
  CallerErrc code;
  std::string subject;  ///< the variable's value
};

[[nodiscard]] std::string to_message(const CallerError& error);

/// `environment` ends with a null pointer, as `environ` does. The first of equal names counts.
[[nodiscard]] tl::expected<Caller, CallerError> read_caller(std::uint32_t effective_user,
                                                            const char* const* environment);

/// HOME; where it is unset or empty, the home directory of the password database. It need not
/// exist.
[[nodiscard]] tl::expected<domain::AbsolutePath, CallerError> home_of(const Caller& caller);

/// Where pmg keeps its own files. They need not exist.
struct StateDirectories {
  domain::AbsolutePath config;  ///< $PMG_CONFIG_DIR, else $XDG_CONFIG_HOME|~/.config + safedep/pmg
  domain::AbsolutePath cache;   ///< $PMG_CACHE_DIR, else $XDG_CACHE_HOME|~/.cache + safedep/pmg
  domain::AbsolutePath data;    ///< $XDG_DATA_HOME|~/.local/share + safedep/pmg
};

/// As the XDG specification asks, relative XDG_* values are ignored. Under sudo the directories are
/// those of root's account, not those of the variables that sudo may have kept.
[[nodiscard]] tl::expected<StateDirectories, CallerError> state_directories(const Caller& caller);

}  // namespace pmg::adapters
