#include "domain/violation.hpp"

#include <cstddef>
#include <optional>
#include <span>

#include "domain/operation.hpp"
#include "domain/path.hpp"

namespace pmg::domain {
namespace {

/// How likely a program fails for it; 0 where it does not.
int weight_of(const Violation& violation) noexcept {
  switch (violation.operation) {
    case OperationKind::write:
    case OperationKind::create:
    case OperationKind::remove:
    case OperationKind::rename:
    case OperationKind::link:
    case OperationKind::change_metadata:
    case OperationKind::execute:
    case OperationKind::connect_unix:
      return 3;
    case OperationKind::read:
    case OperationKind::open:
      return violation.reason == Reason::denied_by_rule ? 2 : 1;
    case OperationKind::set_identity:
    case OperationKind::read_arguments:
    case OperationKind::signal:
    case OperationKind::control_process:
    case OperationKind::pass_variable:
      break;
  }
  return 0;
}

}  // namespace

CitedRule cite(const Rule& rule) { return {rule.effect, rule.access, rule.text, rule.origin}; }

std::optional<Operation> operation_of(const Violation& violation) {
  const PathUse path(PathView::unsafe_from(violation.real),
                     PathView::unsafe_from(violation.spelled));
  const PathUse to(PathView::unsafe_from(violation.real_to),
                   PathView::unsafe_from(violation.spelled_to));
  if (!violation.note.empty()) {
    return std::nullopt;
  }
  switch (violation.operation) {
    case OperationKind::read:
      return Read{path};
    case OperationKind::write:
      return Write{path, violation.node};
    case OperationKind::create:
      return Create{path, violation.node};
    case OperationKind::remove:
      return Remove{path, violation.node};
    case OperationKind::rename:
      return Rename{path, to, violation.node};
    case OperationKind::link:
      return Link{path, to, violation.node};
    case OperationKind::change_metadata:
      return ChangeMetadata{path};
    case OperationKind::execute:
      return Execute{path};
    case OperationKind::connect_unix:
      return ConnectUnix{path};
    case OperationKind::open:
    case OperationKind::set_identity:
    case OperationKind::read_arguments:
    case OperationKind::signal:
    case OperationKind::control_process:
    case OperationKind::pass_variable:
      break;
  }
  return std::nullopt;
}

std::optional<std::size_t> primary_of(std::span<const Violation> violations) {
  std::optional<std::size_t> best;
  int heaviest = 1;
  for (std::size_t i = 0; i < violations.size(); ++i) {
    const int weight = weight_of(violations[i]);
    if (weight >= heaviest) {
      heaviest = weight;
      best = i;
    }
  }
  return best;
}

}  // namespace pmg::domain
