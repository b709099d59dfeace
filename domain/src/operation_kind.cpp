#include "domain/operation_kind.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <variant>

namespace pmg::domain {
namespace {

struct KindOf {
  OperationKind operator()(const Read& /*op*/) const { return OperationKind::read; }
  OperationKind operator()(const Write& /*op*/) const { return OperationKind::write; }
  OperationKind operator()(const Create& /*op*/) const { return OperationKind::create; }
  OperationKind operator()(const Remove& /*op*/) const { return OperationKind::remove; }
  OperationKind operator()(const Rename& /*op*/) const { return OperationKind::rename; }
  OperationKind operator()(const Link& /*op*/) const { return OperationKind::link; }
  OperationKind operator()(const Execute& /*op*/) const { return OperationKind::execute; }
  OperationKind operator()(const ConnectUnix& /*op*/) const { return OperationKind::connect_unix; }
  OperationKind operator()(const ChangeMetadata& /*op*/) const {
    return OperationKind::change_metadata;
  }
};

constexpr std::array kNodeKinds{NodeKind::regular, NodeKind::directory, NodeKind::symlink,
                                NodeKind::fifo,    NodeKind::socket,    NodeKind::device};

/// The one of `kinds` that is called `word`.
template <class Kinds>
std::optional<typename Kinds::value_type> find_word(const Kinds& kinds,
                                                    std::string_view word) noexcept {
  const auto* const found =
      std::ranges::find_if(kinds, [word](auto kind) { return to_word(kind) == word; });
  return found == kinds.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

OperationKind kind_of(const Operation& operation) noexcept {
  return std::visit(KindOf{}, operation);
}

std::string_view to_word(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::read:
      return "read";
    case OperationKind::write:
      return "write";
    case OperationKind::open:
      return "open";
    case OperationKind::create:
      return "create";
    case OperationKind::remove:
      return "remove";
    case OperationKind::rename:
      return "rename";
    case OperationKind::link:
      return "link";
    case OperationKind::change_metadata:
      return "metadata";
    case OperationKind::execute:
      return "exec";
    case OperationKind::connect_unix:
      return "unix";
    case OperationKind::set_identity:
      return "set-id";
    case OperationKind::read_arguments:
      return "arguments";
    case OperationKind::signal:
      return "signal";
    case OperationKind::control_process:
      return "process";
    case OperationKind::pass_variable:
      return "env";
  }
  return "";
}

std::string_view to_words(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::change_metadata:
      return "change metadata of";
    case OperationKind::execute:
      return "execute";
    case OperationKind::connect_unix:
      return "connect to";
    case OperationKind::set_identity:
      return "set-user-ID of";
    case OperationKind::read_arguments:
      return "read arguments";
    case OperationKind::control_process:
      return "control process";
    case OperationKind::pass_variable:
      return "pass on variable";
    case OperationKind::read:
    case OperationKind::write:
    case OperationKind::open:
    case OperationKind::create:
    case OperationKind::remove:
    case OperationKind::rename:
    case OperationKind::link:
    case OperationKind::signal:
      break;
  }
  return to_word(kind);
}

std::string_view to_word(NodeKind kind) noexcept {
  switch (kind) {
    case NodeKind::regular:
      return "file";
    case NodeKind::directory:
      return "directory";
    case NodeKind::symlink:
      return "symlink";
    case NodeKind::fifo:
      return "fifo";
    case NodeKind::socket:
      return "socket";
    case NodeKind::device:
      return "device";
  }
  return "";
}

std::optional<OperationKind> parse_operation_kind(std::string_view word) noexcept {
  return find_word(kOperationKinds, word);
}

std::optional<NodeKind> parse_node_kind(std::string_view word) noexcept {
  return find_word(kNodeKinds, word);
}

}  // namespace pmg::domain
