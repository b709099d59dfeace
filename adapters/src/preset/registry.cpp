#include "adapters/preset/registry.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/preset/embedded_presets.hpp"
#include "adapters/preset/parse_preset.hpp"
#include "adapters/yaml/compact_tree.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "domain/policy.hpp"
#include "domain/preset.hpp"

namespace pmg::adapters {

namespace {

namespace fs = std::filesystem;

std::optional<LoadedPreset> built_in(const EmbeddedPreset& embedded) {
  // A built-in preset that does not load fails the build, so it is as good as absent here.
  const auto tree = from_compact(embedded.tree);
  if (!tree) {
    return std::nullopt;
  }
  auto preset = read_preset(*tree, {std::string(embedded.name), PresetSource::built_in});
  if (!preset) {
    return std::nullopt;
  }
  return LoadedPreset{PresetSource::built_in, {}, std::string(embedded.text), *std::move(preset)};
}

tl::expected<LoadedPreset, LoadError> load_file(const std::string& path) {
  auto text = read_text(path);
  if (!text) {
    return tl::unexpected(std::move(text.error()));
  }
  auto preset = parse_preset(*text, {path, PresetSource::user});
  if (!preset) {
    return tl::unexpected(std::move(preset.error()));
  }
  return LoadedPreset{PresetSource::user, path, *std::move(text), *std::move(preset)};
}

/// By name; none where the directory cannot be listed.
std::vector<std::string> user_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_preset = name.ends_with(".yml") || name.ends_with(".yaml");
    if (is_preset && !name.starts_with('.')) {
      files.push_back(entry->path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string stem(const std::string& path) { return fs::path(path).stem().string(); }

}  // namespace

bool is_built_in_preset(std::string_view name) noexcept {
  return std::ranges::find(embedded_presets(), name, &EmbeddedPreset::name) !=
         embedded_presets().end();
}

std::vector<PresetRow> PresetRegistry::list() const {
  std::vector<PresetRow> rows;
  for (const EmbeddedPreset& embedded : embedded_presets()) {
    if (auto preset = built_in(embedded)) {
      rows.push_back({PresetSource::built_in, {}, PresetUse::used, std::move(preset->preset), {}});
    }
  }
  for (const std::string& path : user_files(user_directory_)) {
    auto preset = load_file(path);
    if (!preset) {
      domain::Preset bare;
      bare.name = stem(path);
      rows.push_back(
          {PresetSource::user, path, PresetUse::used, std::move(bare), std::move(preset.error())});
      continue;
    }
    const bool is_taken = std::ranges::any_of(rows, [&preset](const PresetRow& row) {
      return !row.error && row.preset.name == preset->preset.name;
    });
    rows.push_back({PresetSource::user,
                    path,
                    is_taken ? PresetUse::shadowed : PresetUse::used,
                    std::move(preset->preset),
                    {}});
  }
  return rows;
}

tl::expected<LoadedPreset, LoadError> PresetRegistry::load(std::string_view name) const {
  const auto embedded = std::ranges::find(embedded_presets(), name, &EmbeddedPreset::name);
  if (embedded != embedded_presets().end()) {
    if (auto preset = built_in(*embedded)) {
      return *std::move(preset);
    }
  }
  std::vector<std::string> names;
  std::optional<LoadError> broken;
  for (const std::string& path : user_files(user_directory_)) {
    auto preset = load_file(path);
    if (preset && preset->preset.name == name) {
      return preset;
    }
    if (!preset && stem(path) == name) {
      broken = std::move(preset.error());
    }
    names.push_back(preset ? preset->preset.name : stem(path));
  }
  if (broken) {
    return tl::unexpected(*std::move(broken));
  }
  std::vector<std::string_view> known(names.begin(), names.end());
  std::ranges::transform(embedded_presets(), std::back_inserter(known), &EmbeddedPreset::name);
  return tl::unexpected(LoadError{
      LoadErrc::unknown_preset, {}, {}, std::string(name), nearest_of(name, known), {}, {}});
}

tl::expected<domain::Policy, LoadError> PresetRegistry::apply_to(domain::Policy policy) const {
  for (const auto& name : std::vector(policy.presets)) {
    auto preset = load(name.value);
    if (!preset) {
      LoadError error = std::move(preset.error());
      if (error.code == LoadErrc::unknown_preset) {
        error.file = name.origin.file;
        error.mark = {name.origin.line, 0};
      }
      return tl::unexpected(std::move(error));
    }
    policy = with_preset(std::move(policy), preset->preset);
  }
  return policy;
}

}  // namespace pmg::adapters
