#include "adapters/yaml/load_error.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/yaml/yaml_node.hpp"
#include "domain/caution.hpp"
#include "domain/escaped.hpp"
#include "domain/overrides.hpp"
#include "domain/pattern.hpp"
#include "domain/preset.hpp"

namespace pmg::adapters {

namespace {

/// Control characters as `\xNN`: a file must not be able to drive the terminal.
std::string escape(std::string_view text) {
  std::string out;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7F) {
      domain::append_escape(out, character);
    } else {
      out += character;
    }
  }
  return out;
}

std::string quote(std::string_view text) { return "`" + escape(text) + "`"; }

std::string suggestion(const LoadError& error) {
  return error.nearest.empty() ? "" : "; did you mean " + quote(error.nearest) + "?";
}

std::string words_of(const YamlError& error) {
  switch (error.code) {
    case YamlErrc::empty:
      return "the file is empty";
    case YamlErrc::several_documents:
      return "a second document starts here; a file holds one";
    case YamlErrc::too_large:
      return "the file is larger than 256 KiB";
    case YamlErrc::too_deep:
      return "nested more than 16 levels deep";
    case YamlErrc::too_many_nodes:
      return "more than 20000 values";
    case YamlErrc::nul_byte:
      return "a NUL byte";
    case YamlErrc::not_utf8:
      return "not valid UTF-8";
    case YamlErrc::tab_indentation:
      return "a tab in the indentation; use spaces";
    case YamlErrc::anchor:
      return "anchors (`&name`) are not supported";
    case YamlErrc::alias:
      return "aliases (`*name`) are not supported; quote a pattern that starts with `*`";
    case YamlErrc::tag:
      return "tags (" + quote(error.detail) + ") are not supported";
    case YamlErrc::key_not_text:
      return "a key must be plain text";
    case YamlErrc::duplicate_key:
      return "the key " + quote(error.detail) + " appears twice";
    case YamlErrc::syntax:
      return "not valid YAML: " + error.detail;
  }
  return {};
}

std::string words_of(const domain::PatternError& error) {
  switch (error.code) {
    case domain::PatternErrc::empty:
      return "must not be empty";
    case domain::PatternErrc::relative:
      return "must be absolute or start with ${CWD}, ${HOME}, ${TMPDIR} or **/";
    case domain::PatternErrc::unknown_variable:
      return "has an unknown or misplaced variable; ${CWD}, ${HOME} and ${TMPDIR} may start a path";
    case domain::PatternErrc::dot_segment:
      return "must not have a `.` or `..` segment";
    case domain::PatternErrc::nul_byte:
      return "must not have a NUL byte";
    case domain::PatternErrc::too_long:
      return "is longer than 4096 bytes or 256 segments";
  }
  return {};
}

std::string words_of(domain::EnvPatternErrc error) {
  switch (error) {
    case domain::EnvPatternErrc::empty:
      return "must not be empty";
    case domain::EnvPatternErrc::has_equals:
      return "must be a name, without `=` and value";
    case domain::EnvPatternErrc::has_slash:
      return "must not have a slash";
    case domain::EnvPatternErrc::has_space:
      return "must not have white space";
    case domain::EnvPatternErrc::has_control:
      return "must not have control characters";
  }
  return {};
}

std::string words_of(domain::HostPortErrc error) {
  switch (error) {
    case domain::HostPortErrc::no_port:
      return "needs a port: `host:port`";
    case domain::HostPortErrc::empty_host:
      return "needs a host: `host:port`";
    case domain::HostPortErrc::bad_host:
      return "has a host that is neither a name, an address, `*` nor `*.name`";
    case domain::HostPortErrc::bad_port:
      return "has a port that is neither 1 to 65535 nor `*`";
    case domain::HostPortErrc::has_scheme:
      return "must not have a scheme such as `https://`";
    case domain::HostPortErrc::has_path:
      return "must not have a path";
  }
  return {};
}

std::string words_of(domain::PresetErrc error) {
  switch (error) {
    case domain::PresetErrc::bad_pattern:
      return "is no pattern: it starts with ${CWD}/, ${HOME}/ or ${TMPDIR}/, without `..`";
    case domain::PresetErrc::not_anchored:
      return "must be below ${CWD}/, ${HOME}/ or ${TMPDIR}/";
    case domain::PresetErrc::whole_anchor:
      return "is too wide for a preset: name what the tool has below ${CWD}/ or ${HOME}/";
    case domain::PresetErrc::credential:
      return "names a credential, which no preset opens";
    case domain::PresetErrc::startup_file:
      return "would let a file be written that runs code later, which no preset does";
    case domain::PresetErrc::git_internals:
      return "names hooks or the configuration of git, which no preset opens";
    case domain::PresetErrc::bad_endpoint:
      return "is no `host:port`";
    case domain::PresetErrc::not_loopback:
      return "must be on localhost, 127.0.0.1 or [::1]";
    case domain::PresetErrc::not_exact_host:
      return "must be one host by its full name, and one port";
    case domain::PresetErrc::not_exact_name:
      return "must be the whole name of one variable";
  }
  return {};
}

std::string words_of(domain::OverrideErrc /*error*/) { return "is no allowance"; }

std::string words_of(domain::Caution caution) {
  return caution == domain::Caution::git_hooks ? "names hooks of git, which nothing opens"
                                               : "names files of pmg, which nothing opens";
}

std::string words_of(std::monostate /*none*/) { return {}; }

std::string cause_words(const LoadError& error) {
  return std::visit([](const auto& cause) { return words_of(cause); }, error.cause);
}

std::string body(const LoadError& error) {
  switch (error.code) {
    case LoadErrc::missing:
      return "no such file";
    case LoadErrc::directory:
      return "is a directory, not a file";
    case LoadErrc::unreadable:
      return "cannot be read";
    case LoadErrc::unsafe_kind:
      return "is neither a regular file nor a directory of its own (no symlink)";
    case LoadErrc::unsafe_owner:
      return "does not belong to root, so it cannot govern this machine";
    case LoadErrc::unsafe_mode:
      return "may be written by others than root, so it cannot govern this machine (`chmod go-w`)";
    case LoadErrc::bad_yaml:
      return cause_words(error);
    case LoadErrc::unknown_key:
      return "unknown key " + quote(error.subject) + suggestion(error);
    case LoadErrc::missing_key:
      return "the key " + quote(error.subject) + " is missing";
    case LoadErrc::wrong_type:
      return quote(error.subject) + " must be " + error.expected;
    case LoadErrc::bad_path:
      return "the pattern " + quote(error.subject) + " " + cause_words(error);
    case LoadErrc::bad_environment:
      return "the variable " + quote(error.subject) + " " + cause_words(error);
    case LoadErrc::bad_host_port:
      return "the address " + quote(error.subject) + " " + cause_words(error);
    case LoadErrc::unknown_profile:
      return "no profile is called " + quote(error.subject) +
             (error.nearest.empty() ? "; a file is named by a path such as `./my-profile.yml`"
                                    : suggestion(error));
    case LoadErrc::parent_not_built_in:
      return "inherits " + quote(error.subject) + ", which is not a built-in profile" +
             suggestion(error);
    case LoadErrc::no_profile_for_manager:
      return "no sandbox profile is configured for " + quote(error.subject);
    case LoadErrc::unknown_preset:
      return "no preset is called " + quote(error.subject) +
             (error.nearest.empty() ? "; `pmg sandbox preset list` shows them" : suggestion(error));
    case LoadErrc::bad_preset_entry:
    case LoadErrc::bad_allowance:
    case LoadErrc::never_allowed:
      return quote(error.subject) + " " + cause_words(error);
    case LoadErrc::relative_allowance:
      return quote(error.subject) + " must be absolute, or start with ${HOME}, ${TMPDIR} or **/";
    case LoadErrc::other_repository:
      return "is for the repository " + quote(error.subject) + ", not for this one";
    case LoadErrc::preset_gives_nothing:
      return "the preset gives nothing; add at least one entry";
    case LoadErrc::grants_nothing:
      return "the policy allows nothing; add at least one rule";
  }
  return {};
}

/// Insertions, deletions, replacements and swaps of neighbours (`naem`).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  const std::size_t width = to.size() + 1;
  std::vector<std::size_t> cells((from.size() + 1) * width);
  const auto cell = [&cells, width](std::size_t i, std::size_t j) -> std::size_t& {
    return cells[i * width + j];
  };
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cell(i, j) = i + j;
        continue;
      }
      const std::size_t replaced = cell(i - 1, j - 1) + (from[i - 1] == to[j - 1] ? 0U : 1U);
      cell(i, j) = std::min({replaced, cell(i - 1, j) + 1, cell(i, j - 1) + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        cell(i, j) = std::min(cell(i, j), cell(i - 2, j - 2) + 1);
      }
    }
  }
  return cells.back();
}

}  // namespace

std::string to_message(const LoadError& error) {
  std::string where = escape(error.file);
  if (error.mark.line != 0) {
    where += ":" + std::to_string(error.mark.line) +
             (error.mark.column == 0 ? "" : ":" + std::to_string(error.mark.column));
  }
  return where.empty() ? body(error) : where + ": " + body(error);
}

std::string nearest_of(std::string_view word, const std::vector<std::string_view>& candidates) {
  // Longer words are no typing mistakes of ours, and the distance is quadratic.
  constexpr std::size_t kLongest = 64;
  if (word.size() > kLongest) {
    return {};
  }
  std::size_t best = word.size() > 8 ? 3 : word.size() > 4 ? 2 : 1;
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best || (distance == best && nearest.empty())) {
      best = distance;
      nearest = candidate;
    }
  }
  return std::string(nearest);
}

}  // namespace pmg::adapters
