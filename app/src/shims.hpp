/// Shims: symlinks to pmg that are called as the package managers, in a directory of their own that
/// goes first in PATH. pmg that is started by such a name is `pmg NAME`.
///
///   auto shims = look_at_shims(context);
///   auto made = make_shim(shims[0], command);             // expected<void, std::string>
///
/// Symlinks and no scripts: a shell in between drops variables whose names it does not like, and
/// npm reads such (`npm_config_//registry/:_authToken`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "session.hpp"

namespace pmg::app {

enum class ShimState : std::uint8_t {
  missing,
  current,  ///< leads to this pmg
  stale,    ///< leads to another pmg or one that is gone, or is a script of an older tool
  foreign,  ///< anything else: never touched
};

struct Shim {
  domain::PackageManager manager;
  domain::AbsolutePath file;
  ShimState state;
};

[[nodiscard]] domain::AbsolutePath shim_directory(const Context& context);

/// One for each manager but `go`, which builds as much as it installs.
[[nodiscard]] std::vector<Shim> look_at_shims(const Context& context);

/// Where shims lead: pmg as PATH finds it, if that is this program (the name stays when a new
/// version is installed behind it), or else this program's file.
[[nodiscard]] tl::expected<std::string, std::string> shim_target(const Context& context);

/// Replaces what is stale; `foreign` is the caller's to refuse.
[[nodiscard]] tl::expected<void, std::string> make_shim(const Shim& shim,
                                                        const std::string& target);
[[nodiscard]] tl::expected<void, std::string> remove_shim(const Shim& shim);

}  // namespace pmg::app
