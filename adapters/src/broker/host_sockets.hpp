/// Unix sockets of the machine that somebody outside the tree uses: they are addresses. Their
/// clients trust who answers there, so the tree may not put a socket of its own in their place.
#pragma once

#include <string>

#include "broker/resolve.hpp"
#include "broker/shared.hpp"

namespace pmg::adapters::broker {

/// Whether the name means a socket that the tree did not bind, and to which somebody is bound.
[[nodiscard]] bool is_host_socket(const Shared& shared, const Place& place);

/// Whether such a socket lies beneath a directory, by the name under which it was bound.
[[nodiscard]] bool holds_host_socket(Shared& shared, const Place& directory);

}  // namespace pmg::adapters::broker
