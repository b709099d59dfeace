/// `pmg sandbox preset …`: bundles of allowances for one tool.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct ListPresets {
  static constexpr Synopsis kSynopsis{
      "sandbox preset list", "the built-in presets and those in the configuration directory",
      "pmg sandbox preset list --label agent"};
  std::vector<std::string> labels;  ///< all of them must match
  std::optional<std::string> author;
  Output output = Output::text;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct ShowPreset {
  static constexpr Synopsis kSynopsis{
      "sandbox preset show", "what a preset gives and what that costs",
      "pmg sandbox preset show claude", Listing::shown,
      R"(Prints the preset as it is written, under a head that says where it comes from, which hosts it
names and what there is to know before using it.
)"};
  Output output = Output::text;
  std::string name;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct InitPreset {
  static constexpr Synopsis kSynopsis{
      "sandbox preset init", "write a preset of your own to begin with",
      "pmg sandbox preset init my-tool --description 'Caches of my tool'", Listing::shown,
      R"(Writes NAME.yml into the configuration directory and prints its path. A preset gives paths below
the project, the home directory or the temporary directory, ports of this machine and variables by
name. It takes nothing away, and opens no credential.
)"};
  std::string name;
  std::optional<std::string> description;
  std::optional<std::string> author;
  std::vector<std::string> labels;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct EditPreset {
  static constexpr Synopsis kSynopsis{
      "sandbox preset edit", "edit a preset of your own", "pmg sandbox preset edit my-tool",
      Listing::shown,
      R"(Opens $VISUAL, $EDITOR or vi on a draft, and stores it once it is right.
)"};
  std::string name;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct LintPresets {
  static constexpr Synopsis kSynopsis{"sandbox preset lint", "check files of presets",
                                      "pmg sandbox preset lint my-tool.yml"};
  std::vector<std::string> files;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

}  // namespace pmg::app
