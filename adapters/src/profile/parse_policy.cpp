#include "adapters/profile/parse_policy.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "adapters/yaml/schema_reader.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/origin.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::adapters {

namespace {

using domain::Sourced;

/// Reads a tree into a policy; keeps the first mistake and does nothing after it.
class PolicyReader : private SchemaReader {
 public:
  explicit PolicyReader(const PolicySource& source) noexcept
      : SchemaReader(source.file, source.layer) {}

  tl::expected<domain::Policy, LoadError> read(const YamlNode& root) {
    domain::Policy policy;
    keys(root, {"name", "description", "inherits", "package_managers", "presets", "filesystem",
                "network", "process", "environment", "unix_sockets", "allow_git_config",
                "allow_pty", "allow_network_bind", "network_via_proxy_only", "allow_direct_dns"});
    text(root, "name", policy.name);
    text(root, "description", policy.description);
    text(root, "inherits", policy.inherits);
    read_package_managers(root, policy);
    list(root, "presets", [&policy](std::string_view value, domain::Origin origin) {
      policy.presets.push_back({std::string(value), std::move(origin)});
      return std::optional<Problem>();
    });
    read_sections(root, policy);
    toggle(root, "allow_git_config", policy.allow_git_config);
    toggle(root, "allow_pty", policy.allow_pty);
    toggle(root, "allow_network_bind", policy.allow_network_bind);
    toggle(root, "network_via_proxy_only", policy.network_via_proxy_only);
    toggle(root, "allow_direct_dns", policy.allow_direct_dns);
    require(root, "name", policy.name.empty());
    require(root, "package_managers", policy.package_managers.empty());
    if (auto error = take_error()) {
      return tl::unexpected(std::move(*error));
    }
    return policy;
  }

 private:
  void read_package_managers(const YamlNode& root, domain::Policy& policy) {
    const YamlNode* node = root.find("package_managers");
    if (node != nullptr && node->kind == YamlKind::sequence && node->items.empty()) {
      wrong_type(*node, "package_managers",
                 "a list of at least one package manager, as in `[npm]`");
      return;
    }
    list(root, "package_managers", [&policy](std::string_view value, const domain::Origin&) {
      policy.package_managers.emplace_back(value);
      return std::optional<Problem>();
    });
  }

  void read_sections(const YamlNode& root, domain::Policy& policy) {
    if (const YamlNode* section = mapping(root, "filesystem")) {
      keys(*section, {"allow_read", "allow_write", "deny_read", "deny_write", "package_content"});
      paths(*section, "allow_read", policy.filesystem.allow_read);
      paths(*section, "allow_write", policy.filesystem.allow_write);
      paths(*section, "deny_read", policy.filesystem.deny_read);
      paths(*section, "deny_write", policy.filesystem.deny_write);
      paths(*section, "package_content", policy.filesystem.package_content);
    }
    if (const YamlNode* section = mapping(root, "network")) {
      keys(*section, {"allow_outbound", "deny_outbound", "allow_bind"});
      addresses(*section, "allow_outbound", policy.network.allow_outbound);
      addresses(*section, "deny_outbound", policy.network.deny_outbound);
      addresses(*section, "allow_bind", policy.network.allow_bind);
    }
    if (const YamlNode* section = mapping(root, "process")) {
      keys(*section, {"allow_exec", "deny_exec"});
      paths(*section, "allow_exec", policy.process.allow_exec);
      paths(*section, "deny_exec", policy.process.deny_exec);
    }
    if (const YamlNode* section = mapping(root, "environment")) {
      keys(*section, {"allow", "deny"});
      variables(*section, "allow", policy.environment.allow);
      variables(*section, "deny", policy.environment.deny);
    }
    if (const YamlNode* section = mapping(root, "unix_sockets")) {
      keys(*section, {"allow"});
      paths(*section, "allow", policy.unix_sockets);
    }
  }

  void paths(const YamlNode& parent, std::string_view key, domain::PathRules& out) {
    list(parent, key, [&out](std::string_view value_text, domain::Origin origin) {
      auto pattern = domain::PatternTemplate::parse(value_text);
      if (!pattern) {
        return std::optional(Problem{LoadErrc::bad_path, pattern.error(), pattern.error().offset});
      }
      out.push_back({std::move(*pattern), std::move(origin)});
      return std::optional<Problem>();
    });
  }

  void addresses(const YamlNode& parent, std::string_view key, domain::NetRules& out) {
    list(parent, key, [&out](std::string_view value_text, domain::Origin origin) {
      auto pattern = domain::HostPortPattern::parse(value_text);
      if (!pattern) {
        return std::optional(Problem{LoadErrc::bad_host_port, pattern.error(), 0});
      }
      out.push_back({std::move(*pattern), std::move(origin)});
      return std::optional<Problem>();
    });
  }

  void variables(const YamlNode& parent, std::string_view key, domain::EnvRules& out) {
    list(parent, key, [&out](std::string_view value_text, domain::Origin origin) {
      auto pattern = domain::EnvPattern::parse(value_text);
      if (!pattern) {
        return std::optional(Problem{LoadErrc::bad_environment, pattern.error(), 0});
      }
      out.push_back({std::move(*pattern), std::move(origin)});
      return std::optional<Problem>();
    });
  }
};

}  // namespace

tl::expected<domain::Policy, LoadError> parse_policy(std::string_view text,
                                                     const PolicySource& source) {
  const auto tree = parse_document(text, source.file);
  if (!tree) {
    return tl::unexpected(tree.error());
  }
  return read_policy(*tree, source);
}

tl::expected<domain::Policy, LoadError> read_policy(const YamlNode& document,
                                                    const PolicySource& source) {
  return PolicyReader(source).read(document);
}

}  // namespace pmg::adapters
