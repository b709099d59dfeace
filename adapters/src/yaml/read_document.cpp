#include "adapters/yaml/read_document.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "bounded_read.hpp"

namespace pmg::adapters {

namespace {

LoadError file_error(LoadErrc code, const std::string& path) {
  return LoadError{code, path, {}, {}, {}, {}, {}};
}

}  // namespace

tl::expected<std::string, LoadError> read_text(const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) {
    return tl::unexpected(file_error(LoadErrc::missing, path));
  }
  if (kind == std::filesystem::file_type::directory) {
    return tl::unexpected(file_error(LoadErrc::directory, path));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return tl::unexpected(file_error(LoadErrc::unreadable, path));
  }
  std::string text = read_at_most(stream, kMaxYamlBytes + 1);
  if (stream.bad()) {
    return tl::unexpected(file_error(LoadErrc::unreadable, path));
  }
  return text;
}

tl::expected<YamlNode, LoadError> parse_document(std::string_view text, const std::string& file) {
  auto tree = parse_yaml(text);
  if (!tree) {
    const Mark mark = tree.error().mark;
    return tl::unexpected(
        LoadError{LoadErrc::bad_yaml, file, mark, {}, {}, {}, std::move(tree.error())});
  }
  if (tree->kind != YamlKind::mapping) {
    return tl::unexpected(
        LoadError{LoadErrc::wrong_type, file, tree->mark, "document", {}, "a mapping of keys", {}});
  }
  return std::move(*tree);
}

std::optional<LoadError> check_keys(const YamlNode& mapping,
                                    const std::vector<std::string_view>& known,
                                    const std::string& file) {
  for (const YamlEntry& entry : mapping.entries) {
    if (std::ranges::find(known, entry.key) == known.end()) {
      return LoadError{LoadErrc::unknown_key,
                       file,
                       entry.key_mark,
                       entry.key,
                       nearest_of(entry.key, known),
                       {},
                       {}};
    }
  }
  return std::nullopt;
}

std::optional<bool> as_boolean(const YamlNode& node) noexcept {
  constexpr std::array<std::string_view, 9> kTrue{"true", "True", "TRUE", "yes", "Yes",
                                                  "YES",  "on",   "On",   "ON"};
  constexpr std::array<std::string_view, 9> kFalse{"false", "False", "FALSE", "no", "No",
                                                   "NO",    "off",   "Off",   "OFF"};
  if (node.kind != YamlKind::scalar || node.style != ScalarStyle::plain) {
    return std::nullopt;
  }
  if (std::ranges::find(kTrue, node.text) != kTrue.end()) {
    return true;
  }
  if (std::ranges::find(kFalse, node.text) != kFalse.end()) {
    return false;
  }
  return std::nullopt;
}

}  // namespace pmg::adapters
