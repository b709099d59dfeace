#include "adapters/overlay/overlay.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/quoted.hpp"
#include "adapters/yaml/read_document.hpp"
#include "adapters/yaml/schema_reader.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/origin.hpp"
#include "domain/overrides.hpp"
#include "domain/pattern.hpp"

namespace pmg::adapters {

namespace {

/// Null for what is no path.
const domain::PatternTemplate* path_of(const domain::Override& rule) noexcept {
  if (const auto* read = std::get_if<domain::AllowRead>(&rule)) {
    return &read->pattern;
  }
  if (const auto* write = std::get_if<domain::AllowWrite>(&rule)) {
    return &write->pattern;
  }
  if (const auto* exec = std::get_if<domain::AllowExec>(&rule)) {
    return &exec->pattern;
  }
  const auto* socket = std::get_if<domain::AllowUnix>(&rule);
  return socket == nullptr ? nullptr : &socket->pattern;
}

class OverlayReader : private SchemaReader {
 public:
  explicit OverlayReader(const std::string& file) : SchemaReader(file, domain::Layer::overlay) {}

  tl::expected<Overlay, LoadError> read(const YamlNode& root) {
    Overlay overlay;
    keys(root, {"schema_version", "repo_root", "created_at", "updated_at", "allow"});
    std::string version = "1";
    text(root, "schema_version", version);
    if (version != "1" && version != "0") {
      wrong_type(*root.find("schema_version"), "schema_version", "`1`");
    }
    text(root, "repo_root", overlay.repo_root);
    require(root, "repo_root", overlay.repo_root.empty());
    text(root, "created_at", overlay.created_at);
    text(root, "updated_at", overlay.updated_at);
    read_entries(root, overlay);
    if (auto error = take_error()) {
      return tl::unexpected(*std::move(error));
    }
    return overlay;
  }

 private:
  void read_entries(const YamlNode& root, Overlay& overlay) {
    const YamlNode* list = value(root, "allow");
    if (list == nullptr) {
      return;
    }
    if (list->kind != YamlKind::sequence) {
      wrong_type(*list, "allow", "a list");
      return;
    }
    for (const YamlNode& item : list->items) {
      if (item.kind != YamlKind::mapping) {
        wrong_type(item, "allow", "a list of mappings with the keys `type` and `value`");
        return;
      }
      read_entry(item, overlay);
    }
  }

  void read_entry(const YamlNode& item, Overlay& overlay) {
    keys(item, {"type", "value"});
    std::string type;
    std::string allowed;
    text(item, "type", type);
    text(item, "value", allowed);
    require(item, "type", type.empty());
    require(item, "value", allowed.empty());
    if (failed()) {
      return;
    }
    const std::string words = type + "=" + allowed;
    auto rule = domain::parse_override(words);
    if (!rule) {
      fail({LoadErrc::bad_allowance, file(), item.mark, words, {}, {}, rule.error().code});
      return;
    }
    // Relative text would mean another thing in each directory.
    const auto* path = path_of(*rule);
    if (path != nullptr && path->text().starts_with("${CWD}")) {
      fail({LoadErrc::relative_allowance, file(), item.mark, allowed, {}, {}, {}});
      return;
    }
    const auto types = domain::override_types();
    domain::OverrideText saved{*std::ranges::find(types, type), std::move(allowed)};
    const bool is_known = std::ranges::any_of(
        overlay.allow, [&saved](const SavedAllowance& other) { return other.text == saved; });
    if (!is_known) {
      overlay.allow.push_back({std::move(saved), *std::move(rule), origin_of(item)});
    }
  }
};

}  // namespace

std::vector<domain::Sourced<domain::Override>> Overlay::rules() const {
  std::vector<domain::Sourced<domain::Override>> all;
  all.reserve(allow.size());
  for (const SavedAllowance& entry : allow) {
    all.push_back({entry.rule, entry.origin});
  }
  return all;
}

tl::expected<Overlay, LoadError> parse_overlay(std::string_view text, const std::string& file) {
  const auto tree = parse_document(text, file);
  if (!tree) {
    return tl::unexpected(tree.error());
  }
  return OverlayReader(file).read(*tree);
}

std::string to_yaml(const Overlay& overlay) {
  std::string out =
      "# Allowances of one repository, kept by `pmg sandbox allow`; `pmg sandbox project reset` "
      "removes them.\nschema_version: 1\n";
  const auto line = [&out](std::string_view key, const std::string& value) {
    out.append(key).append(": ").append(yaml_quoted(value)).append("\n");
  };
  line("repo_root", overlay.repo_root);
  line("created_at", overlay.created_at);
  line("updated_at", overlay.updated_at);
  out += overlay.allow.empty() ? "allow: []\n" : "allow:\n";
  for (const SavedAllowance& entry : overlay.allow) {
    line("  - type", std::string(entry.text.type));
    line("    value", entry.text.value);
  }
  return out;
}

}  // namespace pmg::adapters
