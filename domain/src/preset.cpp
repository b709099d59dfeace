#include "domain/preset.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "domain/origin.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "sensitive.hpp"

namespace pmg::domain {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kAnchors{"${CWD}/"sv, "${HOME}/"sv, "${TMPDIR}/"sv};
constexpr std::array kLoopback{"localhost"sv, "127.0.0.1"sv, "[::1]"sv};

bool is_letter_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_lower_or_digit(char c) noexcept { return is_letter_or_digit(c) && !(c >= 'A' && c <= 'Z'); }

/// What stands below the anchor: variables that are the root expand to no segment.
PathPattern below_anchor(const PatternTemplate& pattern) {
  const AbsolutePath root = AbsolutePath::root();
  return pattern.expand(Variables{root, root, root});
}

/// The first segment says which of the many things in a home directory is meant.
bool is_some_name(const Segment& segment) {
  if (segment.kind != SegmentKind::glob) {
    return segment.kind == SegmentKind::literal;
  }
  const auto head = std::string_view(segment.text).substr(0, segment.text.find_first_of("*?["));
  return std::ranges::any_of(head, is_letter_or_digit);
}

std::string_view host_of(const HostPortPattern& endpoint) noexcept {
  return std::string_view(endpoint.text()).substr(0, endpoint.text().rfind(':'));
}

template <class T>
bool has(const std::vector<Sourced<T>>& list, const T& value) {
  return std::ranges::any_of(
      list, [&value](const Sourced<T>& entry) { return entry.value.text() == value.text(); });
}

template <class T>
void add(std::vector<Sourced<T>>& list, const T& value, const Origin& origin) {
  if (!has(list, value)) {
    list.push_back({value, origin});
  }
}

void add_paths(PathRules& list, const std::vector<Sourced<PresetPath>>& paths) {
  for (const auto& path : paths) {
    add(list, path.value.pattern(), path.origin);
  }
}

bool is_denied(const EnvRules& denies, const VariableName& name) {
  return std::ranges::any_of(denies,
                             [&name](const auto& rule) { return rule.value.matches(name.text()); });
}

}  // namespace

tl::expected<PresetPath, PresetErrc> PresetPath::parse(std::string_view text, PresetAccess access) {
  auto pattern = PatternTemplate::parse(text);
  if (!pattern) {
    return tl::unexpected(PresetErrc::bad_pattern);
  }
  const bool is_anchored = std::ranges::any_of(kAnchors, [&pattern](std::string_view anchor) {
    return pattern->text().starts_with(anchor);
  });
  if (!is_anchored) {
    const bool is_bare = std::ranges::any_of(kAnchors, [&pattern](std::string_view anchor) {
      return pattern->text() == anchor.substr(0, anchor.size() - 1);
    });
    return tl::unexpected(is_bare ? PresetErrc::whole_anchor : PresetErrc::not_anchored);
  }
  const PathPattern below = below_anchor(*pattern);
  const std::span<const Segment> segments = below.segments();
  const bool in_home = pattern->text().starts_with("${HOME}/");
  if (segments.empty() || (in_home && !is_some_name(segments.front()))) {
    return tl::unexpected(PresetErrc::whole_anchor);
  }
  if (names_credential(segments)) {
    return tl::unexpected(PresetErrc::credential);
  }
  const bool changes = access != PresetAccess::read;
  if (names_git_hooks(segments) || (changes && names_git_config(segments))) {
    return tl::unexpected(PresetErrc::git_internals);
  }
  if (access == PresetAccess::write && names_startup_file(segments)) {
    return tl::unexpected(PresetErrc::startup_file);
  }
  return PresetPath(*std::move(pattern));
}

tl::expected<LoopbackEndpoint, PresetErrc> LoopbackEndpoint::parse(std::string_view text) {
  // `::1:80` is how existing presets write it; brackets are how everything else does.
  const bool is_bare = text.starts_with("::1:");
  auto endpoint =
      HostPortPattern::parse(is_bare ? "[::1]" + std::string(text.substr(3)) : std::string(text));
  if (!endpoint) {
    return tl::unexpected(PresetErrc::bad_endpoint);
  }
  if (std::ranges::find(kLoopback, host_of(*endpoint)) == kLoopback.end()) {
    return tl::unexpected(PresetErrc::not_loopback);
  }
  return LoopbackEndpoint(*std::move(endpoint));
}

tl::expected<ExactEndpoint, PresetErrc> ExactEndpoint::parse(std::string_view text) {
  auto endpoint = HostPortPattern::parse(text);
  if (!endpoint) {
    return tl::unexpected(PresetErrc::bad_endpoint);
  }
  if (endpoint->text().find_first_of("*$") != std::string::npos) {
    return tl::unexpected(PresetErrc::not_exact_host);
  }
  return ExactEndpoint(*std::move(endpoint));
}

tl::expected<VariableName, PresetErrc> VariableName::parse(std::string_view text) {
  auto pattern = EnvPattern::parse(text);
  if (!pattern || text.find_first_of("*?[\\") != std::string_view::npos) {
    return tl::unexpected(PresetErrc::not_exact_name);
  }
  return VariableName(*std::move(pattern));
}

bool is_preset_name(std::string_view text) noexcept {
  return !text.empty() && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool grants_nothing(const Preset& preset) noexcept {
  return preset.allow_read.empty() && preset.allow_write.empty() && preset.allow_exec.empty() &&
         preset.allow_bind.empty() && preset.allow_env.empty() && preset.allow_outbound.empty();
}

Policy with_preset(Policy policy, const Preset& preset) {
  add_paths(policy.filesystem.allow_read, preset.allow_read);
  add_paths(policy.filesystem.allow_write, preset.allow_write);
  add_paths(policy.process.allow_exec, preset.allow_exec);
  for (const auto& bind : preset.allow_bind) {
    add(policy.network.allow_bind, bind.value.endpoint(), bind.origin);
  }
  if (!preset.allow_bind.empty() && policy.allow_network_bind == Toggle::unset) {
    policy.allow_network_bind = Toggle::on;
  }
  for (const auto& host : preset.allow_outbound) {
    add(policy.network.allow_outbound, host.value.endpoint(), host.origin);
  }
  for (const auto& name : preset.allow_env) {
    if (!is_denied(policy.environment.deny, name.value)) {
      add(policy.environment.allow, name.value.pattern(), name.origin);
    }
  }
  return policy;
}

std::vector<std::string> withheld_variables(const Policy& policy, const Preset& preset) {
  std::vector<std::string> names;
  for (const auto& name : preset.allow_env) {
    if (is_denied(policy.environment.deny, name.value)) {
      names.push_back(name.value.text());
    }
  }
  return names;
}

}  // namespace pmg::domain
