#include "adapters/config.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/caller.hpp"
#include "adapters/config/managed_file.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"

namespace pmg::adapters {

namespace {

namespace fs = std::filesystem;
using domain::PackageManager;

/// The built-in profile of a package manager.
std::string_view own_profile(PackageManager manager) noexcept {
  switch (manager) {
    case PackageManager::pnpx:
      return "npx";
    case PackageManager::pip3:
      return "pip";
    case PackageManager::npm:
    case PackageManager::pnpm:
    case PackageManager::yarn:
    case PackageManager::bun:
    case PackageManager::npx:
    case PackageManager::pip:
    case PackageManager::pipx:
    case PackageManager::poetry:
    case PackageManager::uv:
    case PackageManager::uvx:
    case PackageManager::go:
      break;
  }
  return domain::name_of(manager);
}

/// Whether `profile` is the name that a configuration before the split gave this manager.
bool is_legacy(std::string_view profile, PackageManager manager) noexcept {
  switch (manager) {
    case PackageManager::npm:
    case PackageManager::yarn:
    case PackageManager::bun:
      return profile == "npm-restrictive";
    case PackageManager::pnpm:
      return profile == "pnpm-restrictive";
    case PackageManager::pip:
    case PackageManager::pip3:
    case PackageManager::pipx:
    case PackageManager::poetry:
    case PackageManager::uv:
    case PackageManager::uvx:
      return profile == "pypi-restrictive";
    case PackageManager::npx:
    case PackageManager::pnpx:
    case PackageManager::go:
      break;
  }
  return false;
}

/// Reads `sandbox` into a configuration; keeps the first mistake.
class ConfigReader {
 public:
  ConfigReader(SandboxConfig& config, const domain::AbsolutePath& file)
      : config_(config), directory_(domain::normalise(file, "..")) {}

  std::optional<LoadError> read(const YamlNode& root) {
    near_misses(root);
    if (config_.source == ConfigSource::managed) {
      Switch locked = Switch::off;
      flag(root, "global_lockdown", locked);
      config_.lockdown = locked == Switch::on ? Lockdown::on : Lockdown::off;
    }
    const YamlNode* sandbox = mapping(root, "sandbox");
    if (sandbox != nullptr) {
      keys(*sandbox, {"enabled", "enforce_always", "policy_templates", "policies"});
      flag(*sandbox, "enabled", config_.enabled);
      flag(*sandbox, "enforce_always", config_.enforce_always);
      read_templates(*sandbox);
      read_policies(*sandbox);
    }
    return std::move(error_);
  }

 private:
  /// Other sections are another tool's, but one that is nearly ours is ours, and misspelt.
  void near_misses(const YamlNode& root) {
    const std::vector<std::string_view> ours{"sandbox", "global_lockdown"};
    for (const YamlEntry& entry : root.entries) {
      std::string word = entry.key;
      std::ranges::transform(word, word.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
      });
      std::string nearest = nearest_of(word, ours);
      if (!nearest.empty() && nearest != entry.key) {
        fail({LoadErrc::unknown_key,
              config_.file,
              entry.key_mark,
              entry.key,
              std::move(nearest),
              {},
              {}});
      }
    }
  }

  void read_templates(const YamlNode& sandbox) {
    const YamlNode* templates = mapping(sandbox, "policy_templates");
    if (templates == nullptr) {
      return;
    }
    for (const YamlEntry& entry : templates->entries) {
      if (entry.value.kind != YamlKind::mapping) {
        wrong_type(entry.value, entry.key, "a mapping with the key `path`");
        continue;
      }
      keys(entry.value, {"path"});
      std::string path;
      text(entry.value, "path", path);
      if (path.empty()) {
        fail({LoadErrc::missing_key, config_.file, entry.key_mark, "path", {}, {}, {}});
      }
      config_.templates[entry.key] = domain::normalise(directory_, path).text();
    }
  }

  void read_policies(const YamlNode& sandbox) {
    const YamlNode* policies = mapping(sandbox, "policies");
    if (policies == nullptr) {
      return;
    }
    std::vector<std::string_view> managers;
    for (const PackageManager manager : domain::all_package_managers()) {
      managers.push_back(domain::name_of(manager));
    }
    keys(*policies, managers);
    for (const YamlEntry& entry : policies->entries) {
      const auto manager = domain::parse_package_manager(entry.key);
      if (!manager) {
        continue;
      }
      if (entry.value.kind != YamlKind::mapping) {
        wrong_type(entry.value, entry.key, "a mapping with the keys `enabled` and `profile`");
        continue;
      }
      keys(entry.value, {"enabled", "profile"});
      ManagerPolicy& policy = config_.policies[*manager];
      flag(entry.value, "enabled", policy.enabled);
      text(entry.value, "profile", policy.profile);
    }
  }

  void fail(LoadError error) {
    if (!error_) {
      error_ = std::move(error);
    }
  }

  void wrong_type(const YamlNode& node, std::string_view key, std::string expected) {
    fail({LoadErrc::wrong_type,
          config_.file,
          node.mark,
          std::string(key),
          {},
          std::move(expected),
          {}});
  }

  void keys(const YamlNode& node, const std::vector<std::string_view>& known) {
    if (auto error = check_keys(node, known, config_.file)) {
      fail(std::move(*error));
    }
  }

  const YamlNode* mapping(const YamlNode& parent, std::string_view key) {
    const YamlNode* node = parent.find(key);
    if (node == nullptr || node->kind == YamlKind::null) {
      return nullptr;
    }
    if (node->kind != YamlKind::mapping) {
      wrong_type(*node, key, "a mapping of keys");
      return nullptr;
    }
    return node;
  }

  void flag(const YamlNode& parent, std::string_view key, Switch& out) {
    if (const YamlNode* node = parent.find(key)) {
      const auto value = as_boolean(*node);
      if (!value) {
        wrong_type(*node, key, "`true` or `false`");
      }
      out = value.value_or(false) ? Switch::on : Switch::off;
    }
  }

  void text(const YamlNode& parent, std::string_view key, std::string& out) {
    if (const YamlNode* node = parent.find(key)) {
      if (node->kind != YamlKind::scalar || node->text.empty()) {
        wrong_type(*node, key, "text");
      }
      out = node->text;
    }
  }

  SandboxConfig& config_;
  domain::AbsolutePath directory_;
  std::optional<LoadError> error_;
};

SandboxConfig defaults(const domain::AbsolutePath& file, ConfigSource source) {
  SandboxConfig config;
  config.file = file.text();
  config.source = source;
  for (const PackageManager manager : domain::all_package_managers()) {
    config.policies[manager] = {Switch::on, std::string(own_profile(manager))};
  }
  return config;
}

tl::expected<SandboxConfig, LoadError> parse(std::string_view text,
                                             const domain::AbsolutePath& file,
                                             ConfigSource source) {
  SandboxConfig config = defaults(file, source);
  const auto tree = parse_document(text, config.file);
  if (!tree) {
    return tl::unexpected(tree.error());
  }
  if (auto error = ConfigReader(config, file).read(*tree)) {
    return tl::unexpected(std::move(*error));
  }
  return config;
}

tl::expected<SandboxConfig, LoadError> read_files(const domain::AbsolutePath& user_file,
                                                  const ManagedFile& managed) {
  const auto text_of_all = read_managed(managed);
  if (!text_of_all) {
    return tl::unexpected(text_of_all.error());
  }
  if (*text_of_all) {
    return parse(**text_of_all, managed.path, ConfigSource::managed);
  }
  std::error_code error;
  if (fs::symlink_status(user_file.text(), error).type() == fs::file_type::not_found) {
    return defaults(user_file, ConfigSource::user);
  }
  // From here on a missing file is a dangling link: a configuration that was lost.
  const auto text = read_text(user_file.text());
  return text ? parse(*text, user_file, ConfigSource::user) : tl::unexpected(text.error());
}

/// Reads the variables over a configuration; keeps the first mistake.
class VariableReader {
 public:
  explicit VariableReader(const Caller& caller) noexcept : caller_(caller) {}

  void flag(const std::string& name, Switch& out) {
    const std::string_view value = caller_.variable(name);
    const bool on = value == "true" || value == "1";
    if (!value.empty() && !on && value != "false" && value != "0" && !error_) {
      error_ = LoadError{LoadErrc::wrong_type, {}, {}, name, {}, "`true` or `false`", {}};
    }
    if (!value.empty()) {
      out = on ? Switch::on : Switch::off;
    }
  }

  void text(const std::string& name, std::string& out) const {
    if (const std::string_view value = caller_.variable(name); !value.empty()) {
      out = value;
    }
  }

  [[nodiscard]] std::optional<LoadError> error() && { return std::move(error_); }

 private:
  const Caller& caller_;
  std::optional<LoadError> error_;
};

std::optional<LoadError> apply_variables(const Caller& caller, SandboxConfig& config) {
  VariableReader reader(caller);
  reader.flag("PMG_SANDBOX_ENABLED", config.enabled);
  reader.flag("PMG_SANDBOX_ENFORCE_ALWAYS", config.enforce_always);
  for (auto& [manager, policy] : config.policies) {
    std::string prefix = "PMG_SANDBOX_POLICIES_";
    for (const char c : domain::name_of(manager)) {
      prefix += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    reader.flag(prefix + "_ENABLED", policy.enabled);
    reader.text(prefix + "_PROFILE", policy.profile);
  }
  return std::move(reader).error();
}

}  // namespace

tl::expected<SandboxConfig, LoadError> parse_config(std::string_view text,
                                                    const domain::AbsolutePath& file) {
  return parse(text, file, ConfigSource::user);
}

tl::expected<SandboxConfig, LoadError> read_config(const domain::AbsolutePath& directory,
                                                   const Caller& caller,
                                                   const ManagedFile& managed) {
  auto config = read_files(domain::normalise(directory, "config.yml"), managed);
  if (!config || config->lockdown == Lockdown::on) {
    return config;
  }
  if (auto error = apply_variables(caller, *config)) {
    return tl::unexpected(std::move(*error));
  }
  return config;
}

tl::expected<ProfileChoice, LoadError> choose_profile(const SandboxConfig& config,
                                                      PackageManager manager) {
  const auto entry = config.policies.find(manager);
  if (entry == config.policies.end()) {
    return tl::unexpected(LoadError{LoadErrc::no_profile_for_manager,
                                    config.file,
                                    {},
                                    std::string(domain::name_of(manager)),
                                    {},
                                    {},
                                    {}});
  }
  const ManagerPolicy& policy = entry->second;
  if (policy.enabled == Switch::off) {
    return SandboxSkipped{};
  }
  if (const auto found = config.templates.find(policy.profile); found != config.templates.end()) {
    return ProfileReference{found->second};
  }
  if (is_legacy(policy.profile, manager)) {
    return ProfileReference{std::string(own_profile(manager))};
  }
  if (policy.profile.find('/') != std::string::npos || policy.profile.ends_with(".yml") ||
      policy.profile.ends_with(".yaml")) {
    // Relative to the configuration: never a file of the project that happens to be current.
    return ProfileReference{(fs::path(config.file).parent_path() / policy.profile).string()};
  }
  return ProfileReference{policy.profile};
}

}  // namespace pmg::adapters
