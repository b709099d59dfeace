/// The abstract unix socket names that are bound in this network namespace (unix(7)).
///
///   const auto bound = abstract_names();
///   if (bound && !bound->may_hold(name)) { … }   // nobody has it
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"

namespace pmg::platform {

class AbstractNames {
 public:
  /// From the text of /proc/net/unix.
  [[nodiscard]] static AbstractNames parse(std::string_view text);

  /// False only if nobody has bound `name`, which starts with a NUL. The kernel's list shows NUL as
  /// `@` and other bytes as they are, so of a name with a newline nothing can be told.
  [[nodiscard]] bool may_hold(std::string_view name) const;

 private:
  std::unordered_set<std::string> shown_;
};

/// Those of this moment. The errno of reading the list.
[[nodiscard]] tl::expected<AbstractNames, Errno> abstract_names();

}  // namespace pmg::platform
