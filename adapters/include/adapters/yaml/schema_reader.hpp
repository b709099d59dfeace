/// What the readers of our documents (profiles, presets, overlays) have in common: they walk a tree
/// key by key, keep the first mistake with its place, and do nothing after it.
///
///   class PresetReader : private SchemaReader { … text(root, "name", preset.name); … };
///
/// Not for: which keys there are; each reader says that itself.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/origin.hpp"
#include "domain/policy.hpp"

namespace pmg::adapters {

class SchemaReader {
 protected:
  /// What is wrong with one entry of a list, and at which byte of it.
  struct Problem {
    LoadErrc code;
    LoadCause cause;
    std::size_t offset;
  };
  using Take = std::function<std::optional<Problem>(std::string_view text, domain::Origin origin)>;

  SchemaReader(std::string file, domain::Layer layer) noexcept
      : file_(std::move(file)), layer_(layer) {}

  void fail(LoadError error);
  void wrong_type(const YamlNode& node, std::string_view key, std::string expected);
  void require(const YamlNode& root, std::string_view key, bool is_missing);
  void keys(const YamlNode& node, const std::vector<std::string_view>& known);

  /// The value of `key` if it has one.
  [[nodiscard]] static const YamlNode* value(const YamlNode& parent, std::string_view key) noexcept;
  [[nodiscard]] const YamlNode* mapping(const YamlNode& parent, std::string_view key);

  /// Each leaves `out` alone where there is no value.
  void text(const YamlNode& parent, std::string_view key, std::string& out);
  void toggle(const YamlNode& parent, std::string_view key, domain::Toggle& out);
  void list(const YamlNode& parent, std::string_view key, const Take& take);
  void texts(const YamlNode& parent, std::string_view key, std::vector<std::string>& out);

  [[nodiscard]] domain::Origin origin_of(const YamlNode& node) const {
    return {layer_, file_, node.mark.line, node.mark.column};
  }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] bool failed() const noexcept { return error_.has_value(); }
  /// The first mistake.
  [[nodiscard]] std::optional<LoadError> take_error() { return std::move(error_); }

 private:
  std::string file_;
  domain::Layer layer_;
  std::optional<LoadError> error_;
};

}  // namespace pmg::adapters
