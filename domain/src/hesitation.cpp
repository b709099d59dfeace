#include "domain/hesitation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <variant>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/path.hpp"

namespace pmg::domain {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kSystem{"/bin"sv,   "/boot"sv,   "/dev"sv, "/etc"sv,  "/lib"sv,  "/lib32"sv,
                             "/lib64"sv, "/libx32"sv, "/opt"sv, "/proc"sv, "/root"sv, "/run"sv,
                             "/sbin"sv,  "/sys"sv,    "/usr"sv, "/var"sv};
/// Directories from which programs, hooks and modules are started by name.
constexpr std::array kStarted{"bin"sv,           "sbin"sv,          "libexec"sv,  "hooks"sv,
                              "site-packages"sv, "dist-packages"sv, "autostart"sv};

bool is_within(std::string_view path, std::string_view directory) noexcept {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

bool is_odd_name(std::string_view name) noexcept {
  const bool is_hidden = name.starts_with('.') && name != ".cache";
  return is_hidden || name.ends_with(".git") || std::ranges::find(kStarted, name) != kStarted.end();
}

bool has_odd_name(std::string_view path) noexcept {
  while (!path.empty()) {
    const std::size_t length = std::min(path.find('/'), path.size());
    if (is_odd_name(path.substr(0, length))) {
      return true;
    }
    path.remove_prefix(std::min(length + 1, path.size()));
  }
  return false;
}

bool runs_later(std::string_view path, const Surroundings& surroundings) {
  const std::string_view home = surroundings.variables.home.text();
  const bool is_at_home = is_within(path, home);
  const bool is_system =
      !is_at_home && std::ranges::any_of(kSystem, [path](std::string_view directory) {
        return is_within(path, directory);
      });
  const bool is_program = std::ranges::any_of(
      surroundings.search_path,
      [path](const AbsolutePath& directory) { return is_within(path, directory.text()); });
  // Where the home directory itself lies says nothing.
  return is_system || is_program || has_odd_name(is_at_home ? path.substr(home.size()) : path);
}

/// Of operations that only read, nothing; `Execute` runs inside.
struct Judge {
  const Surroundings& surroundings;

  Hesitation operator()(const Read& /*op*/) const { return Hesitation::none; }
  Hesitation operator()(const Execute& /*op*/) const { return Hesitation::none; }
  Hesitation operator()(const ConnectUnix& /*op*/) const { return Hesitation::leads_outside; }
  Hesitation operator()(const ChangeMetadata& op) const { return of(op.path); }
  template <class Op>
  Hesitation operator()(const Op& op) const {
    if (op.kind == NodeKind::directory) {
      return Hesitation::everything_beneath;
    }
    if constexpr (requires { op.to; }) {
      return std::max(of(op.from), of(op.to));
    } else {
      return of(op.path);
    }
  }

 private:
  [[nodiscard]] Hesitation of(const PathUse& path) const {
    return runs_later(path.real.text(), surroundings) ||
                   runs_later(path.spelled.text(), surroundings)
               ? Hesitation::runs_later
               : Hesitation::none;
  }
};

}  // namespace

Hesitation hesitation_over(const Operation& operation, const Surroundings& surroundings) {
  return std::visit(Judge{surroundings}, operation);
}

}  // namespace pmg::domain
