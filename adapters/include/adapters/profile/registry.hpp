/// Profiles by name.
///
///   ProfileRegistry registry("/home/u/.config/safedep/pmg/sandbox/profiles");
///   auto policy = registry.resolve("npm");        // expected<Policy, LoadError>
///   for (const ProfileSummary& row : registry.list()) …
///
/// N1: a name is looked up among the built-in profiles, then as NAME.yml and NAME.yaml of the
/// user's profile directory. A reference with a `/`, or that ends in `.yml` or `.yaml` and is not
/// in that directory, is a path. A bare word never names a file of the working directory: a
/// repository could otherwise supply the policy for a mistyped name. N2: inheritance has one level
/// and the parent is built-in; a parent that inherits is resolved first. Not for: overlays and
/// command-line allowances, which are added to what this returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/preset/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/policy.hpp"

namespace pmg::adapters {

enum class ProfileSource : std::uint8_t {
  built_in,
  user,  ///< a file of the user's profile directory
  file,  ///< named by path
};

/// Whether a built-in profile of the same name is used instead.
enum class Shadowing : std::uint8_t { none, by_built_in };

struct LoadedProfile {
  std::string name;  ///< of a user profile: the file's name, whatever its `name:` says
  ProfileSource source;
  std::string path;       ///< empty for a built-in one
  std::string text;       ///< as written
  domain::Policy policy;  ///< its own rules only
};

struct ProfileSummary {
  std::string name;
  ProfileSource source;
  std::string path;
  std::string inherits;
  std::vector<std::string> package_managers;
  std::string description;
  Shadowing shadowing;
  std::optional<LoadError> error;  ///< why a user profile does not load; the row is then bare
};

class ProfileRegistry {
 public:
  /// `user_directory` need not exist.
  explicit ProfileRegistry(std::string user_directory,
                           PresetRegistry presets = PresetRegistry({})) noexcept
      : user_directory_(std::move(user_directory)), presets_(std::move(presets)) {}

  [[nodiscard]] const std::string& user_directory() const noexcept { return user_directory_; }

  /// Built-in profiles first, then those of the user, each by name.
  [[nodiscard]] std::vector<ProfileSummary> list() const;

  [[nodiscard]] tl::expected<LoadedProfile, LoadError> load(std::string_view reference) const;

  /// The file of a profile of the user, whatever is in it, also under a built-in one's name.
  [[nodiscard]] std::optional<std::string> file_of(std::string_view name) const;
  /// Where a new one of that name belongs.
  [[nodiscard]] std::string new_file_of(std::string_view name) const;
  /// All names, built-in ones first.
  [[nodiscard]] std::vector<std::string> names() const;

  /// The effective policy: with the parent's rules, `inherits` cleared, and what its presets give.
  /// One that grants nothing is an error.
  [[nodiscard]] tl::expected<domain::Policy, LoadError> resolve(std::string_view reference) const;
  [[nodiscard]] tl::expected<domain::Policy, LoadError> resolve(const LoadedProfile& profile) const;

 private:
  std::string user_directory_;
  PresetRegistry presets_;
};

/// The effective policy of one document from elsewhere (`profile lint -` reads standard input),
/// before its presets.
[[nodiscard]] tl::expected<domain::Policy, LoadError> resolve_profile(const LoadedProfile& profile);

/// What it inherits, resolved; an empty policy where it inherits nothing.
[[nodiscard]] tl::expected<domain::Policy, LoadError> resolve_parent(const LoadedProfile& profile);

/// A document that is no file yet. `path` is for messages and origins.
[[nodiscard]] tl::expected<LoadedProfile, LoadError> load_text(std::string text,
                                                               const std::string& path);

[[nodiscard]] std::optional<LoadedProfile> built_in_profile(std::string_view name);
[[nodiscard]] std::vector<std::string_view> built_in_names();

/// Where a key of the root of a document stands; nowhere where it is not there.
[[nodiscard]] Mark mark_of_key(std::string_view text, std::string_view key);

}  // namespace pmg::adapters
