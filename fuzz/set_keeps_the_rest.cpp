// set_setting(text, key, value) is an error, or the same document with that one value, which loads
// to a configuration if the text did.
//
// The input is a byte for the key, a byte for the kind of value, the value up to a NUL, the text.
// Equation: tree(set(text, key, value)) = tree(text)[key := value]; comments(set(…)) =
// comments(text). Inputs above 64 KiB only repeat smaller ones and slow the fuzzer down.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/config.hpp"
#include "adapters/config/settings.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/path.hpp"

namespace {

using pmg::adapters::YamlNode;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// "a.b=text" for every scalar but that of `skipped`, in order.
void flatten(const YamlNode& node, const std::string& prefix, const std::string& skipped,
             std::string& out) {
  for (const auto& entry : node.entries) {
    flatten(entry.value, prefix + "." + entry.key, skipped, out);
  }
  for (const YamlNode& item : node.items) {
    flatten(item, prefix + "[]", skipped, out);
  }
  if (node.kind == pmg::adapters::YamlKind::scalar && prefix != skipped) {
    out += prefix + "=" + node.text + "\n";
  }
}

std::string comments(std::string_view text) {
  std::string out;
  for (std::size_t line = 0; line < text.size();) {
    const auto end = std::min(text.find('\n', line), text.size());
    const auto begin = text.find_first_not_of(" \t", line);
    if (begin < end && text[begin] == '#') {
      out += text.substr(line, end - line);
      out.erase(out.find_last_not_of('\r') + 1);  // part of the end of the line
      out += '\n';
    }
    line = end + 1;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pmg;  // NOLINT(google-build-using-namespace): one function
  constexpr std::size_t kLongest = 64UL * 1024;
  if (size < 3 || size > kLongest) {
    return 0;
  }
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto keys = adapters::setting_keys();
  const std::string key =
      data[0] == 0 ? "sandbox.policy_templates.mine.path" : keys[data[0] % keys.size()];
  const std::string_view rest = input.substr(2);
  const auto nul = std::min(rest.find('\0'), rest.size());
  const std::string_view text = rest.substr(std::min(nul + 1, rest.size()));
  const auto setting = adapters::find_setting(key);
  require(setting.has_value());
  std::string value(rest.substr(0, nul));
  if (setting->type == adapters::SettingType::boolean) {
    value = data[1] % 2 == 0 ? "true" : "false";
  }
  const auto changed = adapters::set_setting(text, *setting, value);
  if (!changed) {
    return 0;
  }
  const auto before = adapters::parse_yaml(text);
  const auto after = adapters::parse_yaml(*changed);
  require(after.has_value());
  std::string old_rest;
  std::string new_rest;
  if (before) {
    flatten(*before, "", "." + key, old_rest);
  }
  flatten(*after, "", "." + key, new_rest);
  require(old_rest == new_rest && comments(text) == comments(*changed));
  const YamlNode* node = &*after;
  for (const std::string& word : setting->path) {
    node = node == nullptr ? nullptr : node->find(word);
  }
  require(node != nullptr && node->text == value);
  const auto file = domain::normalise(domain::AbsolutePath::root(), "c/config.yml");
  require(!adapters::parse_config(text, file) || adapters::parse_config(*changed, file));
  return 0;
}
