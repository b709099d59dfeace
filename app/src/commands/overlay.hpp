/// `pmg sandbox allow` and `pmg sandbox project …`: allowances that are kept for one repository.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

enum class Force { no, yes };

struct AllowForProject {
  static constexpr Synopsis kSynopsis{
      "sandbox allow", "allow something in every run in this repository",
      "pmg sandbox allow write=./dist preset=vite", Listing::shown,
      R"(Keeps allowances for the repository of the working directory, outside of it: a clone cannot bring
any. They are of the kinds of --sandbox-allow:

  read=PATH write=PATH exec=PATH unix=SOCKET net-connect=HOST:PORT net-bind=HOST:PORT
  env=NAME preset=NAME

--last keeps what allows the refusal that the last run most likely failed for, --all of them; never what
takes a second thought. Without either, TYPE=VALUE has to be given.

What opens a credential, a secret variable or a file that runs code later is refused without --force.
Hooks of git and files of pmg are never opened.
)"};
  enum class FromRun { nothing, primary, all };

  std::vector<std::string> allowances;
  FromRun from_run = FromRun::nothing;
  Force force = Force::no;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct ShowProject {
  static constexpr Synopsis kSynopsis{"sandbox project show",
                                      "the allowances that are kept for this repository",
                                      "pmg sandbox project show"};
  Output output = Output::text;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct ListProjects {
  static constexpr Synopsis kSynopsis{"sandbox project list",
                                      "the repositories that have allowances",
                                      "pmg sandbox project list --json"};
  Output output = Output::text;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct ResetProject {
  static constexpr Synopsis kSynopsis{"sandbox project reset",
                                      "remove the allowances of this repository",
                                      "pmg sandbox project reset --yes"};
  enum class Confirmed { no, yes } confirmed = Confirmed::no;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

}  // namespace pmg::app
