/// Reading one file into a strict YAML tree, and the words a schema is read with.
///
///   auto text = read_text("p.yml");                      // expected<std::string, LoadError>
///   auto tree = parse_document(*text, "p.yml");          // expected<YamlNode, LoadError>
///   auto bad  = check_keys(*tree, {"name", "kind"}, "p.yml");   // unknown key, with the nearest
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/yaml_node.hpp"

namespace pmg::adapters {

/// The bytes of a file, at most kMaxYamlBytes + 1 of them (`parse_yaml` reports what is longer).
[[nodiscard]] tl::expected<std::string, LoadError> read_text(const std::string& path);

/// `parse_yaml` with the file's name in the error. The root must be a mapping.
[[nodiscard]] tl::expected<YamlNode, LoadError> parse_document(std::string_view text,
                                                               const std::string& file);

/// The first key of `mapping` that is not in `known`.
[[nodiscard]] std::optional<LoadError> check_keys(const YamlNode& mapping,
                                                  const std::vector<std::string_view>& known,
                                                  const std::string& file);

/// `true`, `yes` and `on` or `false`, `no` and `off`, unquoted, as YAML 1.1 has them; empty for
/// everything else.
[[nodiscard]] std::optional<bool> as_boolean(const YamlNode& node) noexcept;

}  // namespace pmg::adapters
