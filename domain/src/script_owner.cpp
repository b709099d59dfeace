#include "domain/script_owner.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/violation.hpp"

namespace pmg::domain {
namespace {

/// Empty where it is not among them. The first one counts, as for getenv(3).
std::string_view value_of(std::span<const std::string_view> variables, std::string_view name) {
  for (const std::string_view variable : variables) {
    if (variable.size() > name.size() && variable[name.size()] == '=' &&
        variable.starts_with(name)) {
      return variable.substr(name.size() + 1);
    }
  }
  return {};
}

}  // namespace

std::optional<ScriptOwner> script_owner(std::span<const std::string_view> variables) {
  const std::string_view package = value_of(variables, "npm_package_name");
  if (package.empty()) {
    return std::nullopt;
  }
  return ScriptOwner{std::string(package), std::string(value_of(variables, "npm_package_version")),
                     std::string(value_of(variables, "npm_lifecycle_event"))};
}

}  // namespace pmg::domain
