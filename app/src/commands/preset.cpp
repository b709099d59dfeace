#include "commands/preset.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "adapters/preset/parse_preset.hpp"
#include "adapters/preset/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/quoted.hpp"
#include "adapters/yaml/read_document.hpp"
#include "domain/path.hpp"
#include "domain/preset.hpp"
#include "edit.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "platform/stored_file.hpp"
#include "session.hpp"
#include "synopsis.hpp"
#include "table.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using adapters::PresetSource;
using nlohmann::ordered_json;

constexpr std::size_t kMaxDescription = 60;

std::string_view to_word(PresetSource source) noexcept {
  return source == PresetSource::built_in ? "builtin" : "user";
}

std::vector<std::string> to_row(const adapters::PresetRow& row) {
  const std::string about = row.error ? to_message(*row.error) : row.preset.description;
  return {row.error                                  ? "ERROR"
          : row.use == adapters::PresetUse::shadowed ? "SHADOWED"
                                                     : "OK",
          visible(row.preset.name),
          std::string(to_word(row.source)),
          visible(row.preset.author),
          visible(joined(row.preset.labels)),
          row.error ? visible(about) : shortened(visible(about), kMaxDescription)};
}

template <class Value>
void add(ordered_json& into, const char* key, const Value& value) {
  if (!value.empty()) {
    into[key] = value;
  }
}

ordered_json head_of(PresetSource source, const std::string& path, const domain::Preset& preset) {
  ordered_json out{{"name", preset.name}, {"source", to_word(source)}};
  add(out, "path", path);
  add(out, "author", preset.author);
  add(out, "labels", preset.labels);
  add(out, "description", preset.description);
  return out;
}

ordered_json to_json(const adapters::PresetRow& row) {
  ordered_json out = head_of(row.source, row.path, row.preset);
  if (row.use == adapters::PresetUse::shadowed) {
    out["shadowed"] = true;
  }
  if (row.error) {
    out["error"] = to_message(*row.error);
  }
  return out;
}

template <class List>
ordered_json texts(const List& list) {
  ordered_json out = ordered_json::array();
  for (const auto& entry : list) {
    out.push_back(entry.value.text());
  }
  return out;
}

ordered_json to_json(const adapters::LoadedPreset& loaded) {
  const domain::Preset& preset = loaded.preset;
  ordered_json out = head_of(loaded.source, loaded.path, preset);
  add(out, "threats", preset.threats);
  out["filesystem"] = {{"allow_read", texts(preset.allow_read)},
                       {"allow_write", texts(preset.allow_write)}};
  out["network"] = {{"allow_bind", texts(preset.allow_bind)}};
  if (!preset.allow_outbound.empty()) {
    out["network"]["allow_outbound"] = texts(preset.allow_outbound);
  }
  out["process"] = {{"allow_exec", texts(preset.allow_exec)}};
  out["environment"] = {{"allow", texts(preset.allow_env)}};
  return out;
}

/// Comments, so that what `show` prints is a preset again.
std::string head_text(const adapters::LoadedPreset& loaded) {
  const domain::Preset& preset = loaded.preset;
  std::string out = "# preset " + visible(preset.name) + ", ";
  out += loaded.source == PresetSource::built_in ? "built-in" : visible(loaded.path);
  out += "\n";
  for (const auto& host : preset.allow_outbound) {
    out += "# host: " + visible(host.value.text()) + "\n";
  }
  for (const std::string& threat : preset.threats) {
    out += "# know: " + visible(threat) + "\n";
  }
  return out + "\n";
}

/// The user's file of a name, also one that does not load.
std::optional<std::string> file_of(const adapters::PresetRegistry& registry,
                                   const std::string& name) {
  if (const auto loaded = registry.load(name); loaded && loaded->source == PresetSource::user) {
    return loaded->path;
  }
  for (const char* extension : {".yml", ".yaml"}) {
    std::string path = registry.user_directory() + "/" + name + extension;
    std::error_code error;
    if (domain::is_preset_name(name) && std::filesystem::exists(path, error)) {
      return path;
    }
  }
  return std::nullopt;
}

std::string built_in_text(const std::string& name) {
  return quoted(name) + " is built in; write one of your own with `pmg sandbox preset init NAME`";
}

/// A file that anybody could use, or a copy of a built-in preset: that one may name the hosts that
/// the built-in one names, since it is never used in its place.
tl::expected<std::string, std::string> check(const std::string& text, const std::string& file,
                                             const adapters::PresetRegistry& registry) {
  const auto preset = adapters::parse_preset(text, {file, PresetSource::user});
  if (preset) {
    return adapters::is_built_in_preset(preset->name)
               ? "the built-in preset " + quoted(preset->name) + " is used instead"
               : std::string();
  }
  const auto copy = adapters::parse_preset(text, {file, PresetSource::built_in});
  const auto original = copy ? registry.load(copy->name) : tl::unexpected(preset.error());
  const bool is_copy = original && original->source == PresetSource::built_in &&
                       std::ranges::all_of(copy->allow_outbound, [&original](const auto& host) {
                         return std::ranges::any_of(
                             original->preset.allow_outbound,
                             [&host](const auto& other) { return other.value == host.value; });
                       });
  if (!is_copy) {
    return tl::unexpected(to_message(preset.error()));
  }
  return "the built-in preset " + quoted(copy->name) + " is used instead";
}

std::string starter(const InitPreset& options) {
  const auto quote = [](const std::string& text) { return adapters::yaml_quoted(text); };
  std::string labels;
  for (const std::string& label : options.labels) {
    labels += (labels.empty() ? "" : ", ") + quote(label);
  }
  return "# " + options.name + R"(: allowances for one tool. `pmg sandbox preset lint` checks it;
# `--sandbox-allow preset=)" +
         options.name + R"(` and `presets: [)" + options.name + R"(]` of a profile use it.

schema_version: 1
kind: preset
name: )" +
         options.name + "\ndescription: " + quote(options.description.value_or("")) +
         "\nmetadata:\n  author: " + quote(options.author.value_or("")) + "\n  labels: [" + labels +
         R"(]
threats: []

# Paths start with ${CWD}/, ${HOME}/ or ${TMPDIR}/.
filesystem:
  allow_read:
    - "${CWD}/**"
  allow_write: []
process:
  allow_exec: []
# Ports of this machine: localhost:3000, 127.0.0.1:*
network:
  allow_bind: []
# Whole names of variables.
environment:
  allow: []
)";
}

}  // namespace

void ListPresets::declare(Options& options) {
  options.values("--label", "LABEL", labels, "only those with this label (repeatable)");
  options.value("--author", "AUTHOR", author, "only those of this author");
  options.flag("--json", output, Output::json, "as JSON");
}

int ListPresets::run(const Context& context) const {
  auto presets = context.presets().list();
  std::erase_if(presets, [this](const adapters::PresetRow& row) {
    return (author && row.preset.author != *author) ||
           !std::ranges::all_of(labels, [&row](const std::string& label) {
             return std::ranges::find(row.preset.labels, label) != row.preset.labels.end();
           });
  });
  if (output == Output::json) {
    ordered_json rows = ordered_json::array();
    for (const auto& row : presets) {
      rows.push_back(to_json(row));
    }
    return print_json({{"presets", std::move(rows)}});
  }
  std::vector<std::vector<std::string>> rows{
      {"STATUS", "NAME", "SOURCE", "AUTHOR", "LABELS", "DESCRIPTION"}};
  for (const auto& row : presets) {
    rows.push_back(to_row(row));
  }
  return print(table(rows)) ? 0 : 1;
}

void ShowPreset::declare(Options& options) {
  options.argument("NAME", name, Completion::preset);
  options.flag("--json", output, Output::json, "as JSON");
}

int ShowPreset::run(const Context& context) const {
  const auto loaded = context.presets().load(name);
  if (!loaded) {
    return fail(to_message(loaded.error()));
  }
  if (output == Output::json) {
    return print_json(to_json(*loaded));
  }
  return print(head_text(*loaded) + visible_lines(loaded->text)) ? 0 : 1;
}

void InitPreset::declare(Options& options) {
  options.argument("NAME", name);
  options.value("--description", "TEXT", description, "what it is for");
  options.value("--author", "NAME", author, "who wrote it");
  options.values("--label", "LABEL", labels, "a word to find it by (repeatable)");
}

int InitPreset::run(const Context& context) const {
  if (!domain::is_preset_name(name)) {
    return fail(quoted(name) + " is no name for a preset: lowercase letters, digits and dashes");
  }
  if (adapters::is_built_in_preset(name)) {
    return fail(quoted(name) + " is the name of a built-in preset, which would be used instead");
  }
  const adapters::PresetRegistry registry = context.presets();
  if (const auto taken = file_of(registry, name)) {
    return fail("there is a preset " + quoted(name) + " in " + quoted(*taken) +
                "; change it with `pmg sandbox preset edit " + name + "`");
  }
  const std::string file = registry.user_directory() + "/" + name + ".yml";
  const std::string text = starter(*this);
  if (const auto right = check(text, file, registry); !right) {
    return fail(right.error());
  }
  if (const auto stored = platform::store(file, text, platform::IfThere::fail); !stored) {
    return fail(to_text(stored.error()));
  }
  return print(visible(file) + "\n") ? 0 : 1;
}

void EditPreset::declare(Options& options) { options.argument("NAME", name, Completion::preset); }

int EditPreset::run(const Context& context) const {
  const adapters::PresetRegistry registry = context.presets();
  if (adapters::is_built_in_preset(name)) {
    return fail(built_in_text(name));
  }
  const auto found = file_of(registry, name);
  if (!found) {
    return fail(to_message(registry.load(name).error()));
  }
  const auto text = adapters::read_text(*found);
  if (!text) {
    return fail(to_message(text.error()));
  }
  const auto file = normalise(context.caller.working_directory, *found);
  return edit_file(context, file,
                   {*text, [&](const std::string& draft) {
                      const auto notes = check(draft, *found, registry);
                      return notes && !notes->empty()
                                 ? tl::expected<std::string, std::string>("note: " + *notes + "\n")
                                 : notes;
                    }});
}

void LintPresets::declare(Options& options) { options.arguments("FILE", files, Completion::file); }

int LintPresets::run(const Context& context) const {
  bool all_right = true;
  std::string out;
  for (const std::string& file : files) {
    const auto text = adapters::read_text(file);
    const auto result =
        text ? check(*text, file, context.presets()) : tl::unexpected(to_message(text.error()));
    all_right = all_right && result.has_value();
    out += result ? "✓ " + visible(file) + (result->empty() ? "" : ": note: " + *result)
                  : "✗ " + visible(result.error());
    out += "\n";
  }
  return print(out) && all_right ? 0 : 1;
}

}  // namespace pmg::app
