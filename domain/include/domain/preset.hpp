/// A preset: allowances for one tool, to be put on top of any profile.
///
///   auto path = PresetPath::parse("${HOME}/.cache/tool/**", Access::write);  // expected<…>
///   policy = with_preset(policy, preset);
///
/// PR1: a preset only adds. There is no list of denies to fill and no toggle; what was allowed
/// stays allowed. PR2: it lifts nothing: no deny of the policy, no mandatory one (its rules never
/// count as opt-outs), no variable that the policy names as denied. PR3: its values are narrow by
/// their types: paths beneath ${CWD}, ${HOME} or ${TMPDIR} that name no credential, ports of this
/// machine, variables and hosts by their exact names.
/// Not for: files; adapters/preset reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "domain/origin.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::domain {

enum class PresetErrc : std::uint8_t {
  bad_pattern,
  not_anchored,    ///< neither below ${CWD}/ nor ${HOME}/ nor ${TMPDIR}/
  whole_anchor,    ///< as wide as the home directory itself
  credential,      ///< names a credential file or directory, or what is in one
  startup_file,    ///< would be written, and runs code later
  git_internals,   ///< hooks; written or executed: git's configuration
  bad_endpoint,    ///< not host:port
  not_loopback,    ///< localhost, 127.0.0.1 and [::1] are
  not_exact_host,  ///< a wildcard, or no single port
  not_exact_name,  ///< a glob over names of variables
};

/// What a path is given for.
enum class PresetAccess : std::uint8_t { read, write, exec };

class PresetPath {
 public:
  [[nodiscard]] static tl::expected<PresetPath, PresetErrc> parse(std::string_view text,
                                                                  PresetAccess access);
  [[nodiscard]] const PatternTemplate& pattern() const noexcept { return pattern_; }
  [[nodiscard]] const std::string& text() const noexcept { return pattern_.text(); }
  friend bool operator==(const PresetPath&, const PresetPath&) = default;

 private:
  explicit PresetPath(PatternTemplate pattern) noexcept : pattern_(std::move(pattern)) {}
  PatternTemplate pattern_;
};

/// A port of the loopback interface, or all of them.
class LoopbackEndpoint {
 public:
  [[nodiscard]] static tl::expected<LoopbackEndpoint, PresetErrc> parse(std::string_view text);
  [[nodiscard]] const HostPortPattern& endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] const std::string& text() const noexcept { return endpoint_.text(); }
  friend bool operator==(const LoopbackEndpoint&, const LoopbackEndpoint&) = default;

 private:
  explicit LoopbackEndpoint(HostPortPattern endpoint) noexcept : endpoint_(std::move(endpoint)) {}
  HostPortPattern endpoint_;
};

/// One host by its full name, and one port.
class ExactEndpoint {
 public:
  [[nodiscard]] static tl::expected<ExactEndpoint, PresetErrc> parse(std::string_view text);
  [[nodiscard]] const HostPortPattern& endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] const std::string& text() const noexcept { return endpoint_.text(); }
  friend bool operator==(const ExactEndpoint&, const ExactEndpoint&) = default;

 private:
  explicit ExactEndpoint(HostPortPattern endpoint) noexcept : endpoint_(std::move(endpoint)) {}
  HostPortPattern endpoint_;
};

/// One variable, by its whole name.
class VariableName {
 public:
  [[nodiscard]] static tl::expected<VariableName, PresetErrc> parse(std::string_view text);
  [[nodiscard]] const EnvPattern& pattern() const noexcept { return pattern_; }
  [[nodiscard]] const std::string& text() const noexcept { return pattern_.text(); }
  friend bool operator==(const VariableName&, const VariableName&) = default;

 private:
  explicit VariableName(EnvPattern pattern) noexcept : pattern_(std::move(pattern)) {}
  EnvPattern pattern_;
};

struct Preset {
  std::string name;
  std::string description;
  std::string author;
  std::vector<std::string> labels;
  std::vector<std::string> threats;  ///< what using it costs, a sentence each
  std::vector<Sourced<PresetPath>> allow_read;
  std::vector<Sourced<PresetPath>> allow_write;
  std::vector<Sourced<PresetPath>> allow_exec;
  std::vector<Sourced<LoopbackEndpoint>> allow_bind;
  std::vector<Sourced<VariableName>> allow_env;
  std::vector<Sourced<ExactEndpoint>> allow_outbound;  ///< of a built-in one for an agent

  friend bool operator==(const Preset&, const Preset&) = default;
};

/// Lowercase letters, digits and dashes, no dash first.
[[nodiscard]] bool is_preset_name(std::string_view text) noexcept;

[[nodiscard]] bool grants_nothing(const Preset& preset) noexcept;

/// Appends what is not there yet (by its text) to the allow lists. A bind turns
/// `allow_network_bind` on, unless the policy says off.
[[nodiscard]] Policy with_preset(Policy policy, const Preset& preset);

/// The variables of the preset that stay away, because the policy denies them by a rule of its own.
[[nodiscard]] std::vector<std::string> withheld_variables(const Policy& policy,
                                                          const Preset& preset);

}  // namespace pmg::domain
