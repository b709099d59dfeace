/// `pmg __probe …`: what the doctor starts inside a sandbox.
#pragma once

#include <string>
#include <vector>

#include "flags.hpp"
#include "options.hpp"
#include "synopsis.hpp"

namespace pmg::app {

/// Plain attempts with the rights that it has, and one line for each: `got`, or `refused EACCES`.
///
///   copy FROM TO      write FILE       move FROM TO      mode FILE
///   run PROGRAM FILE  (PROGRAM __probe mark FILE)
///   environment FILE  variable NAME    launcher FILE     (what its parent's environment holds)
///   signal self       signal parent    (number 0)
///   connect NAME      serve NAME       exit CODE         (as the last one)
///
/// `mark` is `write` without a line. Several are separated by the word `then`. Without `exit` the
/// code is 0 whatever was refused, so that it tells whether the whole list was gone through.
struct Probe {
  static constexpr Synopsis kSynopsis{"__probe", "try something, and tell what came of it",
                                      "pmg __probe -- copy a b then write c", Listing::hidden};
  std::vector<std::string> words;

  void declare(Options& options);
  /// Needs no configuration: there is none inside a sandbox, and a broken one is no obstacle.
  [[nodiscard]] int run(const Flags& flags) const;
};

}  // namespace pmg::app
