/// A policy as profiles say it: lists of rules with their origins, before expansion.
///
///   Policy child = …, parent = …;
///   Policy effective = inherit(parent, child);              // lists: parent first, then child
///
/// What is put on top: domain/preset.hpp, domain/overrides.hpp. Not for: asking what is allowed;
/// compile it first (domain/compiled.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/origin.hpp"
#include "domain/pattern.hpp"

namespace pmg::domain {

/// A boolean of a profile that may be left to the parent.
enum class Toggle : std::uint8_t { unset, off, on };

using PathRules = std::vector<Sourced<PatternTemplate>>;
using EnvRules = std::vector<Sourced<EnvPattern>>;
using NetRules = std::vector<Sourced<HostPortPattern>>;

struct FilesystemRules {
  PathRules allow_read;
  PathRules allow_write;
  PathRules deny_read;
  PathRules deny_write;
  /// Trees of package content: the relative mandatory denies (`**/.env`) do not apply inside.
  PathRules package_content;
  friend bool operator==(const FilesystemRules&, const FilesystemRules&) = default;
};

struct NetworkRules {
  NetRules allow_outbound;
  NetRules deny_outbound;
  NetRules allow_bind;
  friend bool operator==(const NetworkRules&, const NetworkRules&) = default;
};

struct ProcessRules {
  PathRules allow_exec;
  PathRules deny_exec;
  friend bool operator==(const ProcessRules&, const ProcessRules&) = default;
};

struct EnvironmentRules {
  EnvRules allow;
  EnvRules deny;
  friend bool operator==(const EnvironmentRules&, const EnvironmentRules&) = default;
};

struct Policy {
  std::string name;
  std::string description;
  std::string inherits;  ///< name of a built-in profile; empty: none
  std::vector<std::string> package_managers;
  std::vector<Sourced<std::string>> presets;

  FilesystemRules filesystem;
  NetworkRules network;
  ProcessRules process;
  EnvironmentRules environment;
  PathRules unix_sockets;

  Toggle allow_git_config = Toggle::unset;
  Toggle allow_pty = Toggle::unset;
  Toggle allow_network_bind = Toggle::unset;
  Toggle network_via_proxy_only = Toggle::unset;
  Toggle allow_direct_dns = Toggle::unset;

  friend bool operator==(const Policy&, const Policy&) = default;
};

/// I1: every list is the union, parent first, an entry of equal text kept once (the parent's).
/// I2: no deny of either side is lost. I3: a toggle unset in the child takes the parent's value.
/// name, description, package_managers and inherits are the child's. The parent's entries get
/// Layer::parent_profile.
[[nodiscard]] Policy inherit(const Policy& parent, const Policy& child);

/// No entry in any list that grants something (allow_bind alone does not count).
[[nodiscard]] bool grants_nothing(const Policy& policy) noexcept;

}  // namespace pmg::domain
