/// The operations that are tried in a world: every one on every path, in several spellings.
///
///   for (const Probe& probe : probes_of(world, view)) { … }
///
/// Which spellings and which pairs of paths are tried depends on the paths and the salt alone, so
/// that a smaller world is tried in the same way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/resolve.hpp"
#include "model/wire.hpp"

namespace pmg::model {

struct Probe {
  Op op = Op::open_read;
  Form form = Form::at;
  Spelling first{kFromCwd, {}};
  Spelling second{kFromCwd, {}};  ///< of rename, exchange and link
};

/// What `view` shows is all there: built, early and late. `missing`: more paths to try.
[[nodiscard]] std::vector<Probe> probes_of(const View& view,
                                           const std::vector<std::string>& missing, unsigned salt);

/// The directories and files that a probe holds by descriptors.
[[nodiscard]] std::vector<std::string> paths_to_hold(const Tree& tree, unsigned salt);

[[nodiscard]] std::string_view word_of(Op op);
[[nodiscard]] bool has_two_paths(Op op);
/// True where success leaves everything as it was.
[[nodiscard]] bool only_looks(Op op);

[[nodiscard]] std::string describe(const Probe& probe);
/// As it goes through the pipe.
[[nodiscard]] std::string encode(const Probe& probe);

}  // namespace pmg::model
