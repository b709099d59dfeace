/// What may come next on a command line.
///
///   complete({"sandbox", "profile"}, names)     // words: list, show
///   complete({"--sandbox-profile"}, names)      // words: the names of profiles, then files
///
/// Not for: telling apart what begins with what is typed already; the shells do that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace pmg::app {

/// Names that only exist at run time.
struct CompletionNames {
  std::vector<std::string> profiles;
  std::vector<std::string> presets;
  std::vector<std::string> settings;
};

struct Suggestions {
  enum class Files { no, yes };
  std::vector<std::string> words;
  Files files = Files::no;  ///< names of files as well
  friend bool operator==(const Suggestions&, const Suggestions&) = default;
};

/// `words`: those after `pmg` that are complete. Behind the name of a package manager, or of the
/// program of `sandbox exec`, only files are suggested.
[[nodiscard]] Suggestions complete(const std::vector<std::string>& words,
                                   const CompletionNames& names);

}  // namespace pmg::app
