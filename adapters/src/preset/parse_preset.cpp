#include "adapters/preset/parse_preset.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "adapters/yaml/schema_reader.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/origin.hpp"
#include "domain/preset.hpp"

namespace pmg::adapters {

namespace {

class PresetReader : private SchemaReader {
 public:
  explicit PresetReader(const PresetFile& file)
      : SchemaReader(file.file, domain::Layer::preset), source_(file.source) {}

  tl::expected<domain::Preset, LoadError> read(const YamlNode& root) {
    domain::Preset preset;
    keys(root, {"schema_version", "kind", "name", "description", "metadata", "threats",
                "filesystem", "process", "network", "environment"});
    read_head(root, preset);
    texts(root, "threats", preset.threats);
    read_lists(root, preset);
    if (!failed() && grants_nothing(preset)) {
      fail({LoadErrc::preset_gives_nothing, file(), {}, {}, {}, {}, {}});
    }
    if (auto error = take_error()) {
      return tl::unexpected(std::move(*error));
    }
    return preset;
  }

 private:
  void read_head(const YamlNode& root, domain::Preset& preset) {
    one_of(root, "schema_version", {"1", "0"});
    std::string kind;
    text(root, "kind", kind);
    require(root, "kind", kind.empty());
    one_of(root, "kind", {"preset"});
    text(root, "name", preset.name);
    require(root, "name", preset.name.empty());
    if (!preset.name.empty() && !domain::is_preset_name(preset.name)) {
      wrong_type(*root.find("name"), "name", "lowercase letters, digits and dashes");
    }
    text(root, "description", preset.description);
    if (const YamlNode* metadata = mapping(root, "metadata")) {
      keys(*metadata, {"author", "labels"});
      text(*metadata, "author", preset.author);
      texts(*metadata, "labels", preset.labels);
    }
  }

  void read_lists(const YamlNode& root, domain::Preset& preset) {
    using domain::PresetAccess;
    if (const YamlNode* section = mapping(root, "filesystem")) {
      keys(*section, {"allow_read", "allow_write"});
      paths(*section, "allow_read", PresetAccess::read, preset.allow_read);
      paths(*section, "allow_write", PresetAccess::write, preset.allow_write);
    }
    if (const YamlNode* section = mapping(root, "process")) {
      keys(*section, {"allow_exec"});
      paths(*section, "allow_exec", PresetAccess::exec, preset.allow_exec);
    }
    if (const YamlNode* section = mapping(root, "network")) {
      std::vector<std::string_view> known{"allow_bind"};
      if (source_ == PresetSource::built_in) {
        known.emplace_back("allow_outbound");
      }
      keys(*section, known);
      values(*section, "allow_bind", preset.allow_bind);
      values(*section, "allow_outbound", preset.allow_outbound);
    }
    if (const YamlNode* section = mapping(root, "environment")) {
      keys(*section, {"allow"});
      values(*section, "allow", preset.allow_env);
    }
  }

  /// The first one is the one to write.
  void one_of(const YamlNode& root, std::string_view key,
              const std::vector<std::string_view>& known) {
    std::string given(known.front());
    text(root, key, given);
    if (std::ranges::find(known, given) == known.end()) {
      wrong_type(*root.find(key), key, "`" + std::string(known.front()) + "`");
    }
  }

  void paths(const YamlNode& parent, std::string_view key, domain::PresetAccess access,
             std::vector<domain::Sourced<domain::PresetPath>>& out) {
    entries(parent, key, out,
            [access](std::string_view text) { return domain::PresetPath::parse(text, access); });
  }

  template <class T>
  void values(const YamlNode& parent, std::string_view key, std::vector<domain::Sourced<T>>& out) {
    entries(parent, key, out, [](std::string_view text) { return T::parse(text); });
  }

  template <class T, class Parse>
  void entries(const YamlNode& parent, std::string_view key, std::vector<domain::Sourced<T>>& out,
               Parse parse) {
    list(parent, key, [&out, parse](std::string_view text, domain::Origin origin) {
      auto parsed = parse(text);
      if (!parsed) {
        return std::optional(Problem{LoadErrc::bad_preset_entry, parsed.error(), 0});
      }
      out.push_back({*std::move(parsed), std::move(origin)});
      return std::optional<Problem>();
    });
  }

  PresetSource source_;
};

}  // namespace

tl::expected<domain::Preset, LoadError> parse_preset(std::string_view text,
                                                     const PresetFile& file) {
  const auto tree = parse_document(text, file.file);
  if (!tree) {
    return tl::unexpected(tree.error());
  }
  return read_preset(*tree, file);
}

tl::expected<domain::Preset, LoadError> read_preset(const YamlNode& document,
                                                    const PresetFile& file) {
  return PresetReader(file).read(document);
}

}  // namespace pmg::adapters
