/// What the operator allows on top of a profile: `--sandbox-allow TYPE=VALUE`, and the entries of a
/// project's overlay, which are the same words kept in a file.
///
///   auto rule = parse_override("write=./dist");                    // expected<Override, …>
///   policy = with_overrides(policy, {*rule}, variables);
///
/// Not for: judging whether an allowance is wise; that is domain/caution.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "domain/origin.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/preset.hpp"

namespace pmg::domain {

struct AllowRead {
  PatternTemplate pattern;
};
struct AllowWrite {
  PatternTemplate pattern;
};
struct AllowExec {
  PatternTemplate pattern;
};
/// One host and one port.
struct AllowConnect {
  HostPortPattern endpoint;
};
/// One host, and one port or all of them.
struct AllowBind {
  HostPortPattern endpoint;
};
struct AllowEnv {
  EnvPattern pattern;
};
/// Whatever the preset of this name gives.
struct AllowPreset {
  std::string name;
};
/// A unix socket of the host.
struct AllowUnix {
  PatternTemplate pattern;
};
/// One `TYPE=VALUE`.
using Override = std::variant<AllowRead, AllowWrite, AllowExec, AllowEnv, AllowUnix, AllowConnect,
                              AllowBind, AllowPreset>;

enum class OverrideErrc : std::uint8_t {
  no_equals,
  empty_type,
  empty_value,
  unknown_type,
  type_is_two,   ///< `net`: connect or bind?
  tilde,         ///< the shell did not expand `~`
  glob_in_exec,  ///< exec takes a path, not a glob
  glob_in_unix,  ///< unix takes the path of a socket, not a glob
  bad_pattern,
  bad_endpoint,      ///< not host:port
  wildcard_in_host,  ///< `*` or `*.example.com`, where one host is meant
  wildcard_in_port,
  bad_env_name,
  every_variable,  ///< `*`: would pass on every secret
  bad_preset_name,
};

struct OverrideError {
  OverrideErrc code;
  std::string text;  ///< the offending argument
};

/// The types, as users write them.
[[nodiscard]] std::span<const std::string_view> override_types() noexcept;

/// Parses `TYPE=VALUE` at the first `=`. Paths: variables, relative to the working directory, globs
/// (not for exec and unix).
[[nodiscard]] tl::expected<Override, OverrideError> parse_override(std::string_view text);

/// An override as words that mean the same from every working directory.
struct OverrideText {
  std::string_view type;
  std::string value;
  friend bool operator==(const OverrideText&, const OverrideText&) = default;
};

/// O5: paths below ${CWD} become absolute; parsed again, the words are the same rule. Nothing where
/// that cannot be: a directory on the way is called `[x]` or `a*b`, which would read as a wildcard.
[[nodiscard]] std::optional<OverrideText> text_of(const Override& rule, const Variables& variables);

/// Appends each override to its allow list and removes from the matching deny list the entries that
/// are the same pattern after expansion (O1); a glob deny is never removed. Presets are looked up
/// in `presets`; a name that is not there adds nothing.
[[nodiscard]] Policy with_allowances(Policy policy,
                                     const std::vector<Sourced<Override>>& allowances,
                                     const Variables& variables,
                                     const std::vector<Preset>& presets = {});

/// The same for those of the command line (Layer::command_line).
[[nodiscard]] Policy with_overrides(Policy policy, const std::vector<Override>& overrides,
                                    const Variables& variables,
                                    const std::vector<Preset>& presets = {});

}  // namespace pmg::domain
