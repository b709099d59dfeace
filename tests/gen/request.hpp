/// Operations near a policy: its own paths, a segment more or less, a sibling, another spelling.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "domain/operation.hpp"
#include "domain/path.hpp"
#include "domain/policy.hpp"
#include "gen/choices.hpp"
#include "gen/world.hpp"

namespace pmg::gen {

enum class Verb : std::uint8_t { read, write, create, remove, metadata, execute, rename, link };
inline constexpr std::array kVerbs{Verb::read,     Verb::write,   Verb::create, Verb::remove,
                                   Verb::metadata, Verb::execute, Verb::rename, Verb::link};
inline constexpr std::array kVerbWords{"read",     "write",   "create", "remove",
                                       "metadata", "execute", "rename", "link"};
inline constexpr std::array kKinds{domain::NodeKind::regular, domain::NodeKind::directory,
                                   domain::NodeKind::symlink, domain::NodeKind::fifo,
                                   domain::NodeKind::socket,  domain::NodeKind::device};

/// Owns the paths that an Operation borrows.
struct Request {
  Verb verb;
  domain::NodeKind kind;
  domain::AbsolutePath real;
  domain::AbsolutePath spelled;
  domain::AbsolutePath to;

  [[nodiscard]] domain::Operation operation() const {
    const domain::PathUse path(real, spelled);
    const domain::PathUse target{domain::PathView(to)};
    switch (verb) {
      case Verb::read:
        return domain::Read{path};
      case Verb::write:
        return domain::Write{path, kind};
      case Verb::create:
        return domain::Create{path, kind};
      case Verb::remove:
        return domain::Remove{path, kind};
      case Verb::metadata:
        return domain::ChangeMetadata{path};
      case Verb::execute:
        return domain::Execute{path};
      case Verb::rename:
        return domain::Rename{path, target, kind};
      case Verb::link:
        return domain::Link{path, target, kind};
    }
    return domain::Read{path};
  }

  [[nodiscard]] std::string text() const {
    std::string words = kVerbWords[static_cast<std::size_t>(verb)];
    words += " " + real.text();
    if (spelled != real) {
      words += " spelled " + spelled.text();
    }
    if (verb == Verb::rename || verb == Verb::link) {
      words += " to " + to.text();
    }
    return words + " kind " + std::to_string(static_cast<int>(kind));
  }
};

[[nodiscard]] inline Request request_near(Choices& c, const domain::Policy& policy,
                                          const domain::Variables& variables) {
  const Verb verb = c.pick(kVerbs);
  const domain::NodeKind kind = c.pick(kKinds);
  const domain::AbsolutePath real = path_near(c, policy, variables);
  const domain::AbsolutePath spelled = c.one_in(4) ? path_near(c, policy, variables) : real;
  const bool has_target = verb == Verb::rename || verb == Verb::link;
  return {verb, kind, real, spelled, has_target ? path_near(c, policy, variables) : real};
}

}  // namespace pmg::gen
