/// Unix sockets of the machine that somebody outside the tree uses: they are addresses. Their
/// clients trust who answers there, so the tree may not put a socket of its own in their place.
///
///   if (is_host_socket(call.shared(), place)) …               // it stays
///   const auto judged = judge_content(call, directory);       // before it is moved
///
/// Not for: connecting to them; socket.cpp.
#pragma once

#include <string>

#include "broker/call.hpp"

namespace pmg::adapters::broker {

/// Whether the name means a socket that the tree did not bind, and to which somebody is bound.
[[nodiscard]] bool is_host_socket(const Shared& shared, const Place& place);
[[nodiscard]] bool is_host_socket(const Shared& shared, int directory, const std::string& name);

/// Looks through what lies beneath a directory. EACCES, and a report, where such a socket does, or
/// where that cannot be known; EXDEV where there is too much to look at: who moves it copies it
/// then. One that is bound meanwhile may be missed: the tree could as well have moved the directory
/// before.
[[nodiscard]] Result<void> judge_content(const Call& call, const Place& directory);

}  // namespace pmg::adapters::broker
