/// What the calls that make, remove, rename and link names have in common: reading the places of
/// their arguments, and what a place means now.
///
///   const auto place = read_place(call, form_of(which), 0);      // Result<Place>
///   const auto kind = kind_at(*place);                           // Result<NodeKind>
///
/// Not for: objects that are held; resolve.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/types.h>

#include "broker/call.hpp"
#include "domain/operation.hpp"

namespace pmg::adapters::broker {

[[nodiscard]] domain::PathUse use_of(const Place& place);

[[nodiscard]] domain::NodeKind kind_of(mode_t mode);

/// The name as the kernel should get it for looking at the entry itself: no trailing '/', which
/// would follow a symlink.
[[nodiscard]] std::string entry_name(const Place& place);

/// What is there now; ENOENT for nothing.
[[nodiscard]] Result<domain::NodeKind> kind_at(const Place& place);

/// Whether paths come with a descriptor to start at, as in the *at calls, or alone.
enum class Form : std::uint8_t { path, at };

[[nodiscard]] Form form_of(platform::Trapped which);

/// The index of the argument after the path that starts at `first`.
[[nodiscard]] constexpr std::size_t after_path(Form form, std::size_t first) {
  return first + (form == Form::at ? 2 : 1);
}

[[nodiscard]] Result<Place> read_place(const Call& call, Form form, std::size_t first);

/// Judges removing what `place` means now, or replacing it by a rename. A socket to which somebody
/// outside is bound stays, or the tree could put its own in its place.
[[nodiscard]] Result<void> judge_removal(const Call& call, const Place& place,
                                         domain::NodeKind kind);

}  // namespace pmg::adapters::broker
