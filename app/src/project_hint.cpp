#include "project_hint.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using domain::AbsolutePath;

/// How a manager knows a project, and what it writes there first.
struct Marks {
  std::string_view manifest;
  std::string_view content;
};

std::optional<Marks> marks_of(domain::PackageManager manager) {
  switch (manager) {
    case domain::PackageManager::npm:
    case domain::PackageManager::pnpm:
    case domain::PackageManager::yarn:
    case domain::PackageManager::bun:
      return Marks{"package.json", "node_modules"};
    case domain::PackageManager::poetry:
    case domain::PackageManager::uv:
      return Marks{"pyproject.toml", ".venv"};
    case domain::PackageManager::npx:
    case domain::PackageManager::pnpx:
    case domain::PackageManager::pip:
    case domain::PackageManager::pip3:
    case domain::PackageManager::pipx:
    case domain::PackageManager::uvx:
    case domain::PackageManager::go:
      break;
  }
  return std::nullopt;
}

bool is_there(const AbsolutePath& directory, std::string_view name) {
  std::error_code error;
  return std::filesystem::exists(domain::normalise(directory, name).text(), error);
}

std::string beginning_of(const AbsolutePath& file) {
  constexpr std::streamsize kEnough = 1 << 20;
  std::ifstream stream(file.text(), std::ios::binary);
  std::string text(kEnough, '\0');
  stream.read(text.data(), kEnough);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

/// The manifest makes the projects in folders below parts of this one.
bool is_workspace(const AbsolutePath& directory, const Marks& marks) {
  const std::string text = beginning_of(domain::normalise(directory, marks.manifest));
  if (marks.manifest != "package.json") {
    return text.find("[tool.uv.workspace]") != std::string::npos;
  }
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return is_there(directory, "pnpm-workspace.yaml") ||
         (json.is_object() && json.contains("workspaces"));
}

bool is_project(const AbsolutePath& directory, const Marks& marks) {
  return is_there(directory, marks.manifest) ||
         (marks.content == "node_modules" && is_there(directory, marks.content));
}

/// The folder above in which the manager works; empty where that is `cwd` itself, or none.
std::optional<AbsolutePath> project_above(const AbsolutePath& cwd, const Marks& marks) {
  const bool is_own = is_project(cwd, marks);
  AbsolutePath directory = cwd;
  while (!directory.is_root()) {
    directory = domain::normalise(directory, "..");
    if (is_own ? is_there(directory, marks.manifest) && is_workspace(directory, marks)
               : is_project(directory, marks)) {
      return directory;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> project_hint(const Session& session, domain::PackageManager manager) {
  const auto marks = marks_of(manager);
  if (!marks) {
    return std::nullopt;
  }
  const AbsolutePath& cwd = session.surroundings.variables.cwd;
  const auto project = project_above(cwd, *marks);
  if (!project) {
    return std::nullopt;
  }
  const AbsolutePath content =
      domain::normalise(domain::normalise(*project, marks->content), "package");
  const auto decision = decide(
      session.compiled, domain::Create{domain::PathView(content), domain::NodeKind::regular});
  if (decision.allowed()) {
    return std::nullopt;
  }
  return std::string(name_of(manager)) + " takes " + app::quoted(project->text()) +
         " for its project, and the policy lets it write only below " + app::quoted(cwd.text()) +
         "; run it there: `cd " + shell_word(project->text()) + "`";
}

}  // namespace pmg::app
