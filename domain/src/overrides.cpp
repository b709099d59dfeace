#include "domain/overrides.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "domain/origin.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/preset.hpp"

namespace pmg::domain {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kTypes{"read"sv,     "write"sv, "exec"sv,   "net-connect"sv,
                            "net-bind"sv, "env"sv,   "preset"sv, "unix"sv};

tl::expected<PatternTemplate, OverrideErrc> parse_path(std::string_view value) {
  if (value.front() == '~') {
    return tl::unexpected(OverrideErrc::tilde);
  }
  auto pattern = PatternTemplate::parse_from_cwd(value);
  if (!pattern) {
    return tl::unexpected(OverrideErrc::bad_pattern);
  }
  return *std::move(pattern);
}

/// A program or socket is one path: whether a pattern is one does not depend on the values of its
/// variables, since they expand to literal segments (X1).
tl::expected<PatternTemplate, OverrideErrc> parse_one_path(std::string_view value,
                                                           OverrideErrc if_glob) {
  auto pattern = parse_path(value);
  if (!pattern) {
    return pattern;
  }
  const AbsolutePath root = AbsolutePath::root();
  if (!pattern->expand(Variables{root, root, root}).is_literal()) {
    return tl::unexpected(if_glob);
  }
  return pattern;
}

/// Whether the name of a host or the port may stand for several.
enum class Ports { one, any };

tl::expected<HostPortPattern, OverrideErrc> parse_endpoint(std::string_view value, Ports ports) {
  auto endpoint = HostPortPattern::parse(value);
  if (!endpoint) {
    return tl::unexpected(OverrideErrc::bad_endpoint);
  }
  const std::size_t colon = value.rfind(':');
  if (value.substr(0, colon).find('*') != std::string_view::npos) {
    return tl::unexpected(OverrideErrc::wildcard_in_host);
  }
  if (ports == Ports::one && value.substr(colon + 1) == "*") {
    return tl::unexpected(OverrideErrc::wildcard_in_port);
  }
  return *std::move(endpoint);
}

tl::expected<EnvPattern, OverrideErrc> parse_names(std::string_view value) {
  auto names = EnvPattern::parse(value);
  if (!names || value.find('\\') != std::string_view::npos) {
    return tl::unexpected(OverrideErrc::bad_env_name);
  }
  if (value.find_first_not_of("*?") == std::string_view::npos) {
    return tl::unexpected(OverrideErrc::every_variable);
  }
  return *std::move(names);
}

template <class Rule>
constexpr auto as_override() {
  return [](auto value) -> Override { return Rule{std::move(value)}; };
}

tl::expected<Override, OverrideErrc> parse_typed(std::string_view type, std::string_view value) {
  if (type == "read") {
    return parse_path(value).map(as_override<AllowRead>());
  }
  if (type == "write") {
    return parse_path(value).map(as_override<AllowWrite>());
  }
  if (type == "exec") {
    return parse_one_path(value, OverrideErrc::glob_in_exec).map(as_override<AllowExec>());
  }
  if (type == "unix") {
    return parse_one_path(value, OverrideErrc::glob_in_unix).map(as_override<AllowUnix>());
  }
  if (type == "net-connect") {
    return parse_endpoint(value, Ports::one).map(as_override<AllowConnect>());
  }
  if (type == "net-bind") {
    return parse_endpoint(value, Ports::any).map(as_override<AllowBind>());
  }
  if (type == "env") {
    return parse_names(value).map(as_override<AllowEnv>());
  }
  if (type == "preset") {
    return is_preset_name(value)
               ? tl::expected<Override, OverrideErrc>(AllowPreset{std::string(value)})
               : tl::unexpected(OverrideErrc::bad_preset_name);
  }
  return tl::unexpected(type == "net" ? OverrideErrc::type_is_two : OverrideErrc::unknown_type);
}

/// O1: names are the same as EnvPattern::matches sees them, and only whole names are removed: what
/// has no glob matches nothing that has one.
bool is_same_name(const EnvPattern& denied, const EnvPattern& allowed) noexcept {
  return !has_glob(denied.text()) && denied.matches(allowed.text());
}

class Applier {
 public:
  Applier(Policy& policy, const Variables& variables, const std::vector<Preset>& presets) noexcept
      : policy_(policy), variables_(variables), presets_(presets) {}

  void apply(const Sourced<Override>& rule) {
    std::visit([&](const auto& each) { add(each, rule.origin); }, rule.value);
  }

 private:
  void add(const AllowRead& rule, const Origin& origin) {
    add_path(rule.pattern, origin, policy_.filesystem.allow_read, policy_.filesystem.deny_read);
  }
  void add(const AllowWrite& rule, const Origin& origin) {
    add_path(rule.pattern, origin, policy_.filesystem.allow_write, policy_.filesystem.deny_write);
  }
  void add(const AllowExec& rule, const Origin& origin) {
    add_path(rule.pattern, origin, policy_.process.allow_exec, policy_.process.deny_exec);
  }
  void add(const AllowUnix& rule, const Origin& origin) {
    policy_.unix_sockets.push_back({rule.pattern, origin});
  }
  void add(const AllowConnect& rule, const Origin& origin) {
    policy_.network.allow_outbound.push_back({rule.endpoint, origin});
    std::erase_if(policy_.network.deny_outbound,
                  [&rule](const auto& entry) { return entry.value == rule.endpoint; });
  }
  void add(const AllowBind& rule, const Origin& origin) {
    policy_.network.allow_bind.push_back({rule.endpoint, origin});
    policy_.allow_network_bind = Toggle::on;
  }
  void add(const AllowEnv& rule, const Origin& origin) {
    policy_.environment.allow.push_back({rule.pattern, origin});
    std::erase_if(policy_.environment.deny, [&rule](const Sourced<EnvPattern>& entry) {
      return is_same_name(entry.value, rule.pattern);
    });
  }
  void add(const AllowPreset& rule, const Origin& /*those of the preset*/) {
    const auto found = std::ranges::find(presets_, rule.name, &Preset::name);
    if (found != presets_.end()) {
      policy_ = with_preset(std::move(policy_), *found);
    }
  }

  void add_path(const PatternTemplate& pattern, const Origin& origin, PathRules& allow,
                PathRules& deny) {
    allow.push_back({pattern, origin});
    const PathPattern expanded = pattern.expand(variables_);
    if (!expanded.is_literal()) {
      return;
    }
    std::erase_if(deny, [&](const Sourced<PatternTemplate>& entry) {
      return entry.value.expand(variables_) == expanded;
    });
  }

  Policy& policy_;
  const Variables& variables_;
  const std::vector<Preset>& presets_;
};

/// "/a/**/b", "**/b"
std::string text_of(const PathPattern& pattern) {
  std::string text;
  for (const Segment& segment : pattern.segments()) {
    text += "/" + (segment.kind == SegmentKind::any_depth ? "**" : segment.text);
  }
  return text.empty() ? "/" : pattern.is_floating() ? text.substr(1) : text;
}

/// What stands below another variable means the same from everywhere as it is.
std::optional<std::string> path_text(const PatternTemplate& pattern, const Variables& variables) {
  if (!pattern.text().starts_with("${CWD}")) {
    return pattern.text();
  }
  const PathPattern expanded = pattern.expand(variables);
  std::string text = text_of(expanded);
  const auto again = PatternTemplate::parse(text);
  return again && again->expand(variables) == expanded ? std::optional(std::move(text))
                                                       : std::nullopt;
}

struct Printer {
  const Variables& variables;

  std::optional<OverrideText> operator()(const AllowRead& rule) const {
    return path("read", rule.pattern);
  }
  std::optional<OverrideText> operator()(const AllowWrite& rule) const {
    return path("write", rule.pattern);
  }
  std::optional<OverrideText> operator()(const AllowExec& rule) const {
    return path("exec", rule.pattern);
  }
  std::optional<OverrideText> operator()(const AllowUnix& rule) const {
    return path("unix", rule.pattern);
  }
  std::optional<OverrideText> operator()(const AllowConnect& rule) const {
    return OverrideText{"net-connect", rule.endpoint.text()};
  }
  std::optional<OverrideText> operator()(const AllowBind& rule) const {
    return OverrideText{"net-bind", rule.endpoint.text()};
  }
  std::optional<OverrideText> operator()(const AllowEnv& rule) const {
    return OverrideText{"env", rule.pattern.text()};
  }
  std::optional<OverrideText> operator()(const AllowPreset& rule) const {
    return OverrideText{"preset", rule.name};
  }

  [[nodiscard]] std::optional<OverrideText> path(std::string_view type,
                                                 const PatternTemplate& pattern) const {
    auto text = path_text(pattern, variables);
    return text ? std::optional(OverrideText{type, *std::move(text)}) : std::nullopt;
  }
};

}  // namespace

std::span<const std::string_view> override_types() noexcept { return kTypes; }

std::optional<OverrideText> text_of(const Override& rule, const Variables& variables) {
  return std::visit(Printer{variables}, rule);
}

tl::expected<Override, OverrideError> parse_override(std::string_view text) {
  const auto fail = [text](OverrideErrc code) {
    return tl::unexpected(OverrideError{code, std::string(text)});
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return fail(OverrideErrc::no_equals);
  }
  const std::string_view type = text.substr(0, equals);
  const std::string_view value = text.substr(equals + 1);
  if (type.empty()) {
    return fail(OverrideErrc::empty_type);
  }
  if (value.empty()) {
    return fail(OverrideErrc::empty_value);
  }
  auto parsed = parse_typed(type, value);
  if (!parsed) {
    return fail(parsed.error());
  }
  return *std::move(parsed);
}

Policy with_allowances(Policy policy, const std::vector<Sourced<Override>>& allowances,
                       const Variables& variables, const std::vector<Preset>& presets) {
  Applier applier(policy, variables, presets);
  for (const Sourced<Override>& rule : allowances) {
    applier.apply(rule);
  }
  return policy;
}

Policy with_overrides(Policy policy, const std::vector<Override>& overrides,
                      const Variables& variables, const std::vector<Preset>& presets) {
  std::vector<Sourced<Override>> rules;
  rules.reserve(overrides.size());
  for (const Override& rule : overrides) {
    rules.push_back({rule, Origin{Layer::command_line, {}, 0}});
  }
  return with_allowances(std::move(policy), rules, variables, presets);
}

}  // namespace pmg::domain
