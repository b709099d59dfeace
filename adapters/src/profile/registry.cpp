#include "adapters/profile/registry.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/profile/embedded_profiles.hpp"
#include "adapters/profile/parse_policy.hpp"
#include "adapters/yaml/compact_tree.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/origin.hpp"
#include "domain/policy.hpp"

namespace pmg::adapters {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kExtensions{".yml", ".yaml"};

/// Null where there is none.
const EmbeddedProfile* embedded(std::string_view name) noexcept {
  const auto profiles = embedded_profiles();
  const auto found = std::ranges::find(profiles, name, &EmbeddedProfile::name);
  return found == profiles.end() ? nullptr : &*found;
}

bool has_extension(std::string_view name) noexcept {
  return std::ranges::any_of(kExtensions,
                             [name](std::string_view suffix) { return name.ends_with(suffix); });
}

tl::expected<LoadedProfile, LoadError> load_file(const std::string& path, ProfileSource source) {
  auto text = read_text(path);
  if (!text) {
    return tl::unexpected(std::move(text.error()));
  }
  auto profile = load_text(std::move(*text), path);
  if (profile) {
    profile->source = source;
  }
  return profile;
}

/// Files of the user's profile directory, by name; none where it cannot be listed.
std::vector<std::string> user_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (has_extension(entry->path().filename().string())) {
      files.push_back(entry->path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// The user's file for `name`, also where it can only be named and not read.
std::optional<std::string> user_file(const std::string& directory, std::string_view name) {
  for (const std::string_view extension : kExtensions) {
    const fs::path path = fs::path(directory) / (std::string(name) + std::string(extension));
    std::error_code error;
    if (fs::symlink_status(path, error).type() != fs::file_type::not_found) {
      return path.string();
    }
  }
  return std::nullopt;
}

tl::unexpected<LoadError> unknown_profile(const ProfileRegistry& registry, std::string_view name) {
  const std::vector<std::string> known = registry.names();
  return tl::unexpected(LoadError{LoadErrc::unknown_profile,
                                  {},
                                  {},
                                  std::string(name),
                                  nearest_of(name, {known.begin(), known.end()}),
                                  {},
                                  {}});
}

Mark mark_of_parent(std::string_view text) {
  const auto tree = parse_yaml(text);
  const YamlNode* parent = tree ? tree->find("inherits") : nullptr;
  return parent == nullptr ? Mark{} : parent->mark;
}

ProfileSummary summary_of(LoadedProfile profile, Shadowing shadowing) {
  return {std::move(profile.name),
          profile.source,
          std::move(profile.path),
          std::move(profile.policy.inherits),
          std::move(profile.policy.package_managers),
          std::move(profile.policy.description),
          shadowing,
          std::nullopt};
}

}  // namespace

std::vector<std::string_view> built_in_names() {
  std::vector<std::string_view> names;
  std::ranges::transform(embedded_profiles(), std::back_inserter(names), &EmbeddedProfile::name);
  return names;
}

Mark mark_of_key(std::string_view text, std::string_view key) {
  const auto tree = parse_yaml(text);
  if (tree) {
    const auto entry = std::ranges::find(tree->entries, key, &YamlEntry::key);
    if (entry != tree->entries.end()) {
      return entry->key_mark;
    }
  }
  return {};
}

tl::expected<LoadedProfile, LoadError> load_text(std::string text, const std::string& path) {
  auto policy = parse_policy(text, {path, domain::Layer::profile});
  if (!policy) {
    return tl::unexpected(std::move(policy.error()));
  }
  return LoadedProfile{fs::path(path).stem().string(), ProfileSource::file, path, std::move(text),
                       std::move(*policy)};
}

std::optional<LoadedProfile> built_in_profile(std::string_view name) {
  const EmbeddedProfile* const found = embedded(name);
  if (found == nullptr) {
    return std::nullopt;
  }
  // A built-in profile that does not parse fails the build, so it is as good as absent here.
  const auto tree = from_compact(found->tree);
  if (!tree) {
    return std::nullopt;
  }
  auto policy = read_policy(*tree, {std::string(name), domain::Layer::profile});
  if (!policy) {
    return std::nullopt;
  }
  return LoadedProfile{
      std::string(name), ProfileSource::built_in, {}, std::string(found->text), std::move(*policy)};
}

tl::expected<domain::Policy, LoadError> resolve_parent(const LoadedProfile& profile) {
  const std::string& name = profile.policy.inherits;
  if (name.empty()) {
    return domain::Policy();
  }
  const auto parent = built_in_profile(name);
  if (!parent) {
    return tl::unexpected(LoadError{LoadErrc::parent_not_built_in,
                                    profile.path.empty() ? profile.name : profile.path,
                                    mark_of_parent(profile.text),
                                    name,
                                    nearest_of(name, built_in_names()),
                                    {},
                                    {}});
  }
  // Ends: only built-in profiles are parents, and a test shows that their chains are finite.
  return resolve_profile(*parent);
}

tl::expected<domain::Policy, LoadError> resolve_profile(const LoadedProfile& profile) {
  domain::Policy policy = profile.policy;
  if (!policy.inherits.empty()) {
    auto parent = resolve_parent(profile);
    if (!parent) {
      return parent;
    }
    policy = domain::inherit(*parent, policy);
    policy.inherits.clear();
  }
  if (domain::grants_nothing(policy) && policy.presets.empty()) {
    const std::string& file = profile.path.empty() ? profile.name : profile.path;
    return tl::unexpected(LoadError{LoadErrc::grants_nothing, file, {}, {}, {}, {}, {}});
  }
  return policy;
}

std::optional<std::string> ProfileRegistry::file_of(std::string_view name) const {
  return user_file(user_directory_, name);
}

std::string ProfileRegistry::new_file_of(std::string_view name) const {
  return user_directory_ + "/" + std::string(name) + ".yml";
}

std::vector<std::string> ProfileRegistry::names() const {
  std::vector<std::string> names;
  for (const std::string_view name : built_in_names()) {
    names.emplace_back(name);
  }
  for (const std::string& file : user_files(user_directory_)) {
    names.push_back(fs::path(file).stem().string());
  }
  return names;
}

std::vector<ProfileSummary> ProfileRegistry::list() const {
  std::vector<ProfileSummary> rows;
  for (const std::string_view name : built_in_names()) {
    if (auto profile = built_in_profile(name)) {
      rows.push_back(summary_of(std::move(*profile), Shadowing::none));
    }
  }
  for (const std::string& path : user_files(user_directory_)) {
    const std::string name = fs::path(path).stem().string();
    const Shadowing shadowing =
        embedded(name) == nullptr ? Shadowing::none : Shadowing::by_built_in;
    auto profile = load_file(path, ProfileSource::user);
    if (profile) {
      rows.push_back(summary_of(std::move(*profile), shadowing));
    } else {
      rows.push_back(
          {name, ProfileSource::user, path, {}, {}, {}, shadowing, std::move(profile.error())});
    }
  }
  return rows;
}

tl::expected<LoadedProfile, LoadError> ProfileRegistry::load(std::string_view reference) const {
  if (reference.find('/') != std::string_view::npos || reference == "." || reference == "..") {
    return load_file(std::string(reference), ProfileSource::file);
  }
  if (auto profile = built_in_profile(reference)) {
    return std::move(*profile);
  }
  if (!reference.empty()) {
    if (const auto path = user_file(user_directory_, reference)) {
      return load_file(*path, ProfileSource::user);
    }
  }
  if (has_extension(reference)) {
    return load_file(std::string(reference), ProfileSource::file);
  }
  return unknown_profile(*this, reference);
}

tl::expected<domain::Policy, LoadError> ProfileRegistry::resolve(std::string_view reference) const {
  const auto profile = load(reference);
  if (!profile) {
    return tl::unexpected(profile.error());
  }
  return resolve(*profile);
}

tl::expected<domain::Policy, LoadError> ProfileRegistry::resolve(
    const LoadedProfile& profile) const {
  auto policy = resolve_profile(profile);
  if (!policy) {
    return policy;
  }
  policy = presets_.apply_to(*std::move(policy));
  if (policy && domain::grants_nothing(*policy)) {
    const std::string& file = profile.path.empty() ? profile.name : profile.path;
    return tl::unexpected(LoadError{LoadErrc::grants_nothing, file, {}, {}, {}, {}, {}});
  }
  return policy;
}

}  // namespace pmg::adapters
