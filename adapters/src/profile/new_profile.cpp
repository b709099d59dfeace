#include "adapters/profile/new_profile.hpp"

#include <string>
#include <string_view>

#include "adapters/yaml/quoted.hpp"

namespace pmg::adapters {

namespace {

/// One `#` in front of each line; without them it is a document of its own sections.
constexpr std::string_view kExamples = R"(
# What may be added. Take the `#` away from a section and its entries. A path starts with ${CWD}, ${HOME},
# ${TMPDIR}, `/` or `**/`; a deny beats every allow, and credentials stay denied whatever is here. Look it over:
#   pmg sandbox profile lint NAME

#environment:
#  allow:
#    - MY_TOOL_HOME
)";

constexpr std::string_view kFilesystem = R"(
#filesystem:
#  allow_read:
#    - ${HOME}/shared/**
#  allow_write:
#    - ${CWD}/dist/**
#  deny_read:
#    - ${HOME}/private
#  deny_write:
#    - ${CWD}/docs/**
)";

constexpr std::string_view kProcess = R"(
#process:
#  allow_exec:
#    - ${HOME}/tools/bin
)";

constexpr std::string_view kStarter = R"(
filesystem:
  # To begin with: the project may be read, and nothing else.
  allow_read:
    - ${CWD}/**
)";

std::string with_name(std::string_view text, std::string_view name) {
  constexpr std::string_view kPlaceholder = "NAME";
  std::string out(text);
  if (const auto at = out.find(kPlaceholder); at != std::string::npos) {
    out.replace(at, kPlaceholder.size(), name);
  }
  return out;
}

}  // namespace

std::string new_profile_text(const NewProfile& profile) {
  std::string out;
  if (profile.inherits.empty()) {
    out += "# Everything that this profile allows is written here.\n\n";
  } else {
    out += "# All rules of `" + profile.inherits + "` hold here as well. They are shown by\n";
    out += "#   pmg sandbox profile show " + profile.inherits + " --resolved\n";
    out += "# Rules can be added, and a deny takes away what they allow.\n\n";
  }
  out += "name: " + yaml_quoted(profile.name) + "\n";
  out += "description: " + yaml_quoted(profile.description) + "\n";
  if (!profile.inherits.empty()) {
    out += "inherits: " + yaml_quoted(profile.inherits) + "\n";
  }
  out += "package_managers:\n";
  for (const std::string& manager : profile.package_managers) {
    out += "  - " + yaml_quoted(manager) + "\n";
  }
  if (profile.inherits.empty()) {
    out += kStarter;
  }
  out += with_name(kExamples, profile.name);
  out += profile.inherits.empty() ? "" : kFilesystem;
  out += kProcess;
  return out;
}

}  // namespace pmg::adapters
