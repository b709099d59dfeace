/// `pmg config …`: the user's config.yml.
#pragma once

#include <string>

#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"

namespace pmg::app {

struct GetSetting {
  static constexpr Synopsis kSynopsis{
      "config get", "the value of a key as it holds, as JSON",
      "pmg config get sandbox.policies.npm.profile", Listing::shown,
      R"(KEY is the name of a value or of a section, such as `sandbox` or `sandbox.policies.npm`. What holds is the
default, under config.yml, under the environment variables.
)"};
  std::string key;

  void declare(Options& options);
  [[nodiscard]] int run(Context context) const;
};

struct SetSetting {
  static constexpr Synopsis kSynopsis{
      "config set", "change a key of config.yml", "pmg config set sandbox.enabled true",
      Listing::shown,
      R"(Comments, order and layout of the file stay. A missing file is written first, with every key and its default;
a missing key is added to its section. A profile has to exist and to be for the package manager.
)"};
  std::string key;
  std::string value;

  void declare(Options& options);
  [[nodiscard]] int run(const Context& context) const;
};

struct EditConfig {
  static constexpr Synopsis kSynopsis{
      "config edit", "open config.yml in your editor, check it, store it", "pmg config edit"};

  static void declare(Options& options);
  [[nodiscard]] static int run(const Context& context);
};

struct ShowConfigPath {
  static constexpr Synopsis kSynopsis{"config path", "where the configuration in force is",
                                      "pmg config path"};

  static void declare(Options& options);
  [[nodiscard]] static int run(const Context& context);
};

}  // namespace pmg::app
