#include "domain/violation.hpp"

#include <optional>

#include "domain/operation.hpp"
#include "domain/path.hpp"

namespace pmg::domain {

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

}  // namespace pmg::domain
