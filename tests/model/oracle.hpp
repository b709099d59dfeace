/// What the policy says about a probe: the object as `View` finds it, and `decide` on it.
///
///   const Prediction wanted = Oracle(policy, view).predict(probe);
///
/// SEMANTICS.md in the terms of system calls: which operations a call is, on which real and which
/// spelled path. Shares nothing with the broker but `decide`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/compiled.hpp"
#include "model/probes.hpp"
#include "model/resolve.hpp"

namespace pmg::model {

struct Prediction {
  enum class Verdict : std::uint8_t {
    allow,
    deny,
    undecided,  ///< the path leads nowhere: no rule is asked, the kernel's error is the answer
  } verdict = Verdict::undecided;
  /// Everything that may change lies in the tree, so the call may be tried outside, too.
  enum class Reach : std::uint8_t { tree, elsewhere } reach = Reach::tree;
  std::vector<std::string> places;  ///< what the operation can change, or looks at
  std::string why;                  ///< the questions asked and the answers, in words

  // What a difference between model and kernel may be explained with.
  Kind kind = Kind::file;             ///< of the first path's object
  Kind replaced = Kind::file;         ///< of what stands at the second, for a rename
  bool may_read = true;               ///< for O_PATH
  std::vector<std::string> programs;  ///< for exec: the program and its interpreters
};

class Oracle {
 public:
  Oracle(const domain::CompiledPolicy& policy, const View& view) : policy_(policy), view_(view) {}
  [[nodiscard]] Prediction predict(const Probe& probe) const;

 private:
  class Question;
  const domain::CompiledPolicy& policy_;
  const View& view_;
};

}  // namespace pmg::model
