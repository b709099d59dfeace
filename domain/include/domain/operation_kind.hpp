/// What kind of thing was refused, for records and messages: the operations that `decide` judges,
/// and those that are refused without asking it.
///
///   to_word(kind_of(Read{path}))                      // "read"
///   parse_operation_kind("rename")                    // OperationKind::rename
///
/// OK1: every kind has one word, which is part of the format of records and reads back as the kind.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/operation.hpp"

namespace pmg::domain {

enum class OperationKind : std::uint8_t {
  read,
  write,
  open,  ///< in any way: devices, terminals of others
  create,
  remove,
  rename,
  link,
  change_metadata,
  execute,
  connect_unix,
  set_identity,     ///< a set-user-ID or set-group-ID bit
  read_arguments,   ///< by the broker: the memory of the caller is closed to it
  signal,           ///< a process outside the sandbox
  control_process,  ///< limits and scheduling of a process outside the sandbox
  pass_variable,    ///< to the program, when it starts
};

inline constexpr std::array kOperationKinds{
    OperationKind::read,         OperationKind::write,           OperationKind::open,
    OperationKind::create,       OperationKind::remove,          OperationKind::rename,
    OperationKind::link,         OperationKind::change_metadata, OperationKind::execute,
    OperationKind::connect_unix, OperationKind::set_identity,    OperationKind::read_arguments,
    OperationKind::signal,       OperationKind::control_process, OperationKind::pass_variable,
};

[[nodiscard]] OperationKind kind_of(const Operation& operation) noexcept;

/// "read", "metadata", "unix", …
[[nodiscard]] std::string_view to_word(OperationKind kind) noexcept;
[[nodiscard]] std::optional<OperationKind> parse_operation_kind(std::string_view word) noexcept;

/// For a sentence with a path behind it: "connect to".
[[nodiscard]] std::string_view to_words(OperationKind kind) noexcept;

[[nodiscard]] std::string_view to_word(NodeKind kind) noexcept;
[[nodiscard]] std::optional<NodeKind> parse_node_kind(std::string_view word) noexcept;

}  // namespace pmg::domain
