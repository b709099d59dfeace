#include <string_view>

#include "adapters/config/settings.hpp"

namespace pmg::adapters {

std::string_view config_template() noexcept {
  return R"(# Configuration of pmg. Every key is here with its default; docs/CONFIGURATION.md tells more.
# Change it with an editor (`pmg config edit`) or key by key:
#   pmg config set sandbox.enabled true

sandbox:
  # true: package managers run under a policy when they install something, and when they may.
  enabled: false

  # true: ... whatever their command is, `npm ls` and `pip list` too.
  enforce_always: false

  # Names of your own for policy files. A relative path starts at the directory of this file.
  #   policy_templates:
  #     npm-strict:
  #       path: ./npm-strict.yml
  policy_templates: {}

  # The policy of each package manager. `profile` is a template's name, a built-in profile, one of
  # yours (`pmg sandbox profile list` shows both), or the path of a file.
  # `enabled: false`: this one runs without the sandbox.
  policies:
    npm:
      enabled: true
      profile: npm
    pnpm:
      enabled: true
      profile: pnpm
    yarn:
      enabled: true
      profile: yarn
    bun:
      enabled: true
      profile: bun
    npx:
      enabled: true
      profile: npx
    pnpx:
      enabled: true
      profile: npx
    pip:
      enabled: true
      profile: pip
    pip3:
      enabled: true
      profile: pip
    pipx:
      enabled: true
      profile: pipx
    poetry:
      enabled: true
      profile: poetry
    uv:
      enabled: true
      profile: uv
    uvx:
      enabled: true
      profile: uvx
    go:
      enabled: true
      profile: go
)";
}

}  // namespace pmg::adapters
