/// What a process may want to do: the questions that `decide` answers.
#pragma once

#include <cstdint>
#include <variant>

#include "domain/path.hpp"

namespace pmg::domain {

/// A path in use. `real` is the canonical form of the object (symlinks resolved by the kernel),
/// `spelled` the absolute form of the text that the process passed (normalised, not resolved).
/// Allow rules are judged on `real` alone; deny rules on both (R1).
struct PathUse {
  PathView real;
  PathView spelled;

  // NOLINTNEXTLINE(google-explicit-constructor): both forms are often the same
  PathUse(PathView both) noexcept : real(both), spelled(both) {}
  PathUse(PathView real_path, PathView spelled_path) noexcept
      : real(real_path), spelled(spelled_path) {}
};

enum class NodeKind : std::uint8_t { regular, directory, symlink, fifo, socket, device };

struct Read {
  PathUse path;
};
/// Changing the content of something that exists (or, for `Create`, that does not).
struct Write {
  PathUse path;
  NodeKind kind = NodeKind::regular;
};
struct Create {
  PathUse path;
  NodeKind kind;
};
struct Remove {
  PathUse path;
  NodeKind kind;
};
/// `kind` is what `from` is. An exchange is asked as two renames.
struct Rename {
  PathUse from;
  PathUse to;
  NodeKind kind;
};
/// `kind` is what `from` is: a second name of a symlink is a symlink.
struct Link {
  PathUse from;
  PathUse to;
  NodeKind kind = NodeKind::regular;
};
/// chmod, chown, times, extended attributes.
struct ChangeMetadata {
  PathUse path;
};
struct Execute {
  PathUse path;
};

/// connect(2) to a unix socket that the sandbox did not bind itself.
struct ConnectUnix {
  PathUse path;
};

using Operation =
    std::variant<Read, Write, Create, Remove, Rename, Link, ChangeMetadata, Execute, ConnectUnix>;

}  // namespace pmg::domain
