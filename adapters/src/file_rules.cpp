#include "adapters/file_rules.hpp"

#include <variant>

namespace pmg::adapters {
namespace {

using domain::PathUse;

/// Whether the names of any path of an operation may fold.
struct MayFold {
  FileRules::Question names_along;

  bool operator()(const domain::Rename& op) const { return asks(op.from) || asks(op.to); }
  bool operator()(const domain::Link& op) const { return asks(op.from) || asks(op.to); }
  template <class T>
  bool operator()(const T& op) const {
    return asks(op.path);
  }

 private:
  // The spelling is a text: it may name a place that is not there (`link/..`). No file system takes
  // such names for others; the object's count.
  [[nodiscard]] bool asks(const PathUse& use) const {
    return names_along(use.real.text()) != platform::Names::by_bytes ||
           (use.spelled != use.real &&
            names_along(use.spelled.text()) == platform::Names::may_fold);
  }
};

}  // namespace

domain::Decision FileRules::decide(const domain::Operation& operation) const {
  return domain::decide(policy_, folded_, operation, [this](const domain::Operation& asked) {
    return std::visit(MayFold{question_}, asked);
  });
}

}  // namespace pmg::adapters
