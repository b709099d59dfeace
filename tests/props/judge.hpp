/// Asking a policy that has not been compiled yet.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/policy.hpp"
#include "gen/choices.hpp"
#include "gen/print.hpp"
#include "gen/world.hpp"

namespace pmg::props {

/// Empty where `compile` refuses; a property then has nothing to say.
[[nodiscard]] inline std::optional<domain::CompiledPolicy> compiled(
    const domain::Policy& policy, const domain::Surroundings& around) {
  auto made = domain::compile(policy, around);
  return made ? std::optional(*std::move(made)) : std::nullopt;
}

[[nodiscard]] inline bool allows(const domain::CompiledPolicy& policy,
                                 const domain::Operation& operation) {
  return domain::decide(policy, operation).allowed();
}

/// The question about content that `access` stands for; asked of a directory, because what is none
/// must also not shadow a denied path (R6).
[[nodiscard]] inline domain::Operation use_of(domain::Access access, const domain::PathUse& use) {
  switch (access) {
    case domain::Access::read:
      return domain::Read{use};
    case domain::Access::write:
      return domain::Write{use, domain::NodeKind::directory};
    case domain::Access::exec:
      return domain::Execute{use};
    case domain::Access::connect:
      return domain::ConnectUnix{use};
  }
  return domain::Read{use};
}

[[nodiscard]] inline domain::Operation use_of(domain::Access access,
                                              const domain::AbsolutePath& path) {
  return use_of(access, domain::PathUse{domain::PathView(path)});
}

[[nodiscard]] inline const char* word_of(domain::Access access) {
  switch (access) {
    case domain::Access::read:
      return "read ";
    case domain::Access::write:
      return "write ";
    case domain::Access::exec:
      return "exec ";
    case domain::Access::connect:
      return "connect ";
  }
  return "";
}

[[nodiscard]] inline domain::Sourced<domain::PatternTemplate> rule(
    const domain::PatternTemplate& pattern) {
  return {pattern, domain::Origin{domain::Layer::profile, "extra.yml", 1}};
}

inline void note(gen::Choices& c, const domain::Policy& policy,
                 const domain::Variables& variables) {
  c.note("variables", [&] { return gen::print(variables); });
  c.note("policy", [&] { return gen::print(policy); });
}

inline void note(gen::Choices& c, const char* label, const domain::AbsolutePath& path) {
  c.note(label, [&] { return path.text(); });
}

}  // namespace pmg::props
