#include "adapters/yaml/schema_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/origin.hpp"
#include "domain/policy.hpp"

namespace pmg::adapters {

namespace {

/// The byte of the file where `offset` of a one-line scalar is; escapes in quotes are not counted.
Mark position(const YamlNode& item, std::size_t offset) noexcept {
  const std::size_t quote = item.style == ScalarStyle::quoted ? 1 : 0;
  Mark mark = item.mark;
  mark.column += static_cast<std::uint32_t>(offset + quote);
  return mark;
}

}  // namespace

void SchemaReader::fail(LoadError error) {
  if (!error_) {
    error_ = std::move(error);
  }
}

void SchemaReader::wrong_type(const YamlNode& node, std::string_view key, std::string expected) {
  fail({LoadErrc::wrong_type, file_, node.mark, std::string(key), {}, std::move(expected), {}});
}

void SchemaReader::require(const YamlNode& root, std::string_view key, bool is_missing) {
  if (is_missing) {
    fail({LoadErrc::missing_key, file_, root.mark, std::string(key), {}, {}, {}});
  }
}

void SchemaReader::keys(const YamlNode& node, const std::vector<std::string_view>& known) {
  if (auto error = check_keys(node, known, file_)) {
    fail(std::move(*error));
  }
}

const YamlNode* SchemaReader::value(const YamlNode& parent, std::string_view key) noexcept {
  const YamlNode* node = parent.find(key);
  return node == nullptr || node->kind == YamlKind::null ? nullptr : node;
}

const YamlNode* SchemaReader::mapping(const YamlNode& parent, std::string_view key) {
  const YamlNode* node = value(parent, key);
  if (node != nullptr && node->kind != YamlKind::mapping) {
    wrong_type(*node, key, "a mapping of keys");
    return nullptr;
  }
  return node;
}

void SchemaReader::text(const YamlNode& parent, std::string_view key, std::string& out) {
  if (const YamlNode* node = value(parent, key)) {
    if (node->kind != YamlKind::scalar) {
      wrong_type(*node, key, "text");
    }
    out = node->text;
  }
}

void SchemaReader::toggle(const YamlNode& parent, std::string_view key, domain::Toggle& out) {
  if (const YamlNode* node = value(parent, key)) {
    const std::optional<bool> flag = as_boolean(*node);
    if (!flag) {
      wrong_type(*node, key, "`true` or `false`");
    }
    out = flag.value_or(false) ? domain::Toggle::on : domain::Toggle::off;
  }
}

void SchemaReader::list(const YamlNode& parent, std::string_view key, const Take& take) {
  const YamlNode* node = value(parent, key);
  if (node == nullptr) {
    return;
  }
  if (node->kind != YamlKind::sequence) {
    wrong_type(*node, key, "a list");
    return;
  }
  for (const YamlNode& item : node->items) {
    if (item.kind != YamlKind::scalar) {
      wrong_type(item, key, "a list of text");
      return;
    }
    if (item.style == ScalarStyle::folded) {
      wrong_type(item, key, "a list with one entry per line (is a dash missing?)");
      return;
    }
    if (auto problem = take(item.text, origin_of(item))) {
      fail({problem->code,
            file_,
            position(item, problem->offset),
            item.text,
            {},
            {},
            std::move(problem->cause)});
      return;
    }
  }
}

void SchemaReader::texts(const YamlNode& parent, std::string_view key,
                         std::vector<std::string>& out) {
  list(parent, key, [&out](std::string_view text, const domain::Origin&) {
    out.emplace_back(text);
    return std::optional<Problem>();
  });
}

}  // namespace pmg::adapters
