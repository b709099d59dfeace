#include "allowances.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "adapters/yaml/load_error.hpp"
#include "domain/caution.hpp"
#include "domain/overrides.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

std::string types() {
  std::string out;
  for (const std::string_view type : domain::override_types()) {
    out += (out.empty() ? "" : ", ") + std::string(type);
  }
  return out;
}

std::string unknown_type(std::string_view text) {
  const auto known = domain::override_types();
  const auto nearest =
      adapters::nearest_of(text.substr(0, text.find('=')), {known.begin(), known.end()});
  return nearest.empty() ? "has an unknown type; it is one of " + types()
                         : "has an unknown type; did you mean " + quoted(nearest) + "?";
}

std::string words_of(const domain::OverrideError& error) {
  switch (error.code) {
    case domain::OverrideErrc::no_equals:
      return "is not TYPE=VALUE";
    case domain::OverrideErrc::empty_type:
      return "has no type; it is one of " + types();
    case domain::OverrideErrc::empty_value:
      return "has no value";
    case domain::OverrideErrc::unknown_type:
      return unknown_type(error.text);
    case domain::OverrideErrc::type_is_two:
      return "is about connecting or binding: write net-connect=HOST:PORT or net-bind=HOST:PORT";
    case domain::OverrideErrc::tilde:
      return "starts with `~`, which the shell did not expand here; write `${HOME}/…` in single "
             "quotes";
    case domain::OverrideErrc::glob_in_exec:
      return "has a wildcard; exec takes the path of one program or directory";
    case domain::OverrideErrc::glob_in_unix:
      return "has a wildcard; unix takes the path of one socket";
    case domain::OverrideErrc::bad_pattern:
      return "is not a path: it is absolute, relative to the working directory, or starts with "
             "${HOME}, ${CWD}, ${TMPDIR} or **/";
    case domain::OverrideErrc::bad_endpoint:
      return "is not HOST:PORT, such as example.com:443; a port is 1 to 65535";
    case domain::OverrideErrc::wildcard_in_host:
      return "has a wildcard in the host; it takes one host by its full name";
    case domain::OverrideErrc::wildcard_in_port:
      return "has no single port; it takes one, such as example.com:443";
    case domain::OverrideErrc::bad_env_name:
      return "is not the name of a variable, or a pattern such as NPM_CONFIG_*";
    case domain::OverrideErrc::every_variable:
      return "would pass on every secret; name the variables";
    case domain::OverrideErrc::bad_preset_name:
      return "is not the name of a preset: lowercase letters, digits and dashes";
  }
  return {};
}

}  // namespace

std::string to_text(const domain::OverrideError& error) {
  return quoted(error.text) + " " + words_of(error);
}

std::string_view to_words(domain::Caution caution) noexcept {
  switch (caution) {
    case domain::Caution::none:
      return "";
    case domain::Caution::open_port:
      return "lets other machines connect";
    case domain::Caution::whole_tree:
      return "is the home directory, or holds it";
    case domain::Caution::git_config:
      return "is git's configuration, which names programs that git runs outside the sandbox";
    case domain::Caution::profile_deny:
      return "is what the profile `exec` denies, and this would lift";
    case domain::Caution::startup_file:
      return "is a file that runs code later, outside the sandbox";
    case domain::Caution::host_daemon:
      return "is the socket of a service that starts programs outside the sandbox";
    case domain::Caution::secret_variable:
      return "is removed because it is a secret";
    case domain::Caution::credential:
      return "is a credential, or where some are kept; a program that reads it can send it away";
    case domain::Caution::own_state:
      return "is where pmg keeps its own files, which nothing opens";
    case domain::Caution::git_hooks:
      return "is a hook of git, which nothing opens";
  }
  return "";
}

}  // namespace pmg::app
