#include "domain/script_owner.hpp"

#include <cstddef>
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

/// Longer than any name that npm takes (214 bytes), so that a claim cannot fill the disk.
constexpr std::size_t kLongest = 256;

std::string claim(std::span<const std::string_view> variables, std::string_view name) {
  return std::string(value_of(variables, name).substr(0, kLongest));
}

}  // namespace

std::optional<ScriptOwner> script_owner(std::span<const std::string_view> variables) {
  if (value_of(variables, "npm_package_name").empty()) {
    return std::nullopt;
  }
  return ScriptOwner{claim(variables, "npm_package_name"), claim(variables, "npm_package_version"),
                     claim(variables, "npm_lifecycle_event")};
}

}  // namespace pmg::domain
