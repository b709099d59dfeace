// Runtime overrides: `--sandbox-allow TYPE=VALUE`.
#include <algorithm>
#include <array>
#include <cstddef>
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

namespace pmg::domain {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kNotYet{"net-connect"sv, "net-bind"sv, "preset"sv};

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

tl::expected<Override, OverrideErrc> parse_typed(std::string_view type, std::string_view value) {
  if (type == "read") {
    return parse_path(value).map(
        [](PatternTemplate p) -> Override { return AllowRead{std::move(p)}; });
  }
  if (type == "write") {
    return parse_path(value).map(
        [](PatternTemplate p) -> Override { return AllowWrite{std::move(p)}; });
  }
  if (type == "exec") {
    return parse_one_path(value, OverrideErrc::glob_in_exec).map([](PatternTemplate p) -> Override {
      return AllowExec{std::move(p)};
    });
  }
  if (type == "unix") {
    return parse_one_path(value, OverrideErrc::glob_in_unix).map([](PatternTemplate p) -> Override {
      return AllowUnix{std::move(p)};
    });
  }
  if (type == "env") {
    auto name = EnvPattern::parse(value);
    if (!name) {
      return tl::unexpected(OverrideErrc::bad_env_name);
    }
    return AllowEnv{*std::move(name)};
  }
  return tl::unexpected(std::ranges::find(kNotYet, type) == kNotYet.end()
                            ? OverrideErrc::unknown_type
                            : OverrideErrc::not_yet);
}

/// O1: names are the same as EnvPattern::matches sees them, and only whole names are removed: what
/// has no glob matches nothing that has one.
bool is_same_name(const EnvPattern& denied, const EnvPattern& allowed) noexcept {
  return !has_glob(denied.text()) && denied.matches(allowed.text());
}

class Applier {
 public:
  Applier(Policy& policy, const Variables& variables) noexcept
      : policy_(policy), variables_(variables) {}

  void operator()(const AllowRead& rule) {
    apply(rule.pattern, policy_.filesystem.allow_read, policy_.filesystem.deny_read);
  }
  void operator()(const AllowWrite& rule) {
    apply(rule.pattern, policy_.filesystem.allow_write, policy_.filesystem.deny_write);
  }
  void operator()(const AllowExec& rule) {
    apply(rule.pattern, policy_.process.allow_exec, policy_.process.deny_exec);
  }
  void operator()(const AllowUnix& rule) {
    policy_.unix_sockets.push_back({rule.pattern, kOrigin});
  }
  void operator()(const AllowEnv& rule) {
    policy_.environment.allow.push_back({rule.pattern, kOrigin});
    std::erase_if(policy_.environment.deny, [&rule](const Sourced<EnvPattern>& entry) {
      return is_same_name(entry.value, rule.pattern);
    });
  }

 private:
  static inline const Origin kOrigin{Layer::command_line, {}, 0};

  void apply(const PatternTemplate& pattern, PathRules& allow, PathRules& deny) {
    allow.push_back({pattern, kOrigin});
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
};

}  // namespace

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

Policy with_overrides(Policy policy, const std::vector<Override>& overrides,
                      const Variables& variables) {
  Applier applier(policy, variables);
  for (const Override& rule : overrides) {
    std::visit(applier, rule);
  }
  return policy;
}

}  // namespace pmg::domain
