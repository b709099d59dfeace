#include "dry_run.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/run.hpp"
#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "environment.hpp"
#include "messages.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

std::string pattern_text(const domain::PathPattern& pattern) {
  std::string out;
  for (const domain::Segment& segment : pattern.segments()) {
    const bool is_any = segment.kind == domain::SegmentKind::any_depth;
    out += "/" + (is_any ? std::string("**") : visible(segment.text));
  }
  if (out.empty()) {
    return "/";
  }
  // A floating pattern is written without the leading '/'.
  return pattern.is_floating() ? out.substr(1) : out;
}

std::string_view kind_of(const domain::Rule& rule) noexcept {
  const bool allow = rule.effect == domain::Effect::allow;
  switch (rule.access) {
    case domain::Access::read:
      return allow ? "allow_read " : "deny_read  ";
    case domain::Access::write:
      return allow ? "allow_write" : "deny_write ";
    case domain::Access::exec:
      return allow ? "allow_exec " : "deny_exec  ";
    case domain::Access::connect:
      return "allow_unix ";
  }
  return "";
}

/// Longer patterns get their origin after two blanks, out of line.
constexpr std::size_t kPatternColumn = 48;

std::string to_line(const domain::Rule& rule) {
  std::string pattern = pattern_text(rule.pattern);
  if (pattern.size() < kPatternColumn) {
    pattern.resize(kPatternColumn, ' ');
  }
  return "  " + std::string(kind_of(rule)) + "  " + pattern + "  " + to_text(rule.origin) + "\n";
}

std::string layer_lines(const Session& session) {
  constexpr std::size_t kLayerColumn = 14;
  std::string out;
  for (const Layered& layer : session.layers) {
    std::string name(layer.layer);
    name.resize(std::max(name.size(), kLayerColumn), ' ');
    out += "  " + name + visible(layer.what) + "\n";
  }
  return out;
}

std::string scrubbed_names(const ConfinedEnvironment& environment) {
  if (environment.scrubbed.empty()) {
    return "  (none is set)\n";
  }
  std::string out;
  for (const auto& name : environment.scrubbed) {
    out += "  " + visible(name.name) + "  " + to_text(name.origin) + "\n";
  }
  return out;
}

}  // namespace

std::string dry_run_text(const Session& session, const adapters::Program& program,
                         const ConfinedEnvironment& environment) {
  const domain::CompiledPolicy& policy = session.compiled;
  const auto start = decide(policy, domain::Execute{domain::PathView(program.file)});
  std::string out = "profile    " + visible(session.policy.name) + "\n";
  out += "directory  " + visible(session.surroundings.variables.cwd.text()) + "\n";
  out += "program    " + visible(program.file.text()) + "\n";
  out += "command    " + shell_words(program.arguments) + "\n";
  out += std::string("start      ") + (start.allowed() ? "allowed: " : "refused: ") +
         explain(policy, start) + "\n";
  out += "network    not confined by this version\n";
  out += "\nlayers, in the order in which they are put on each other\n" + layer_lines(session);
  out += "\nvariables that are removed\n" + scrubbed_names(environment);
  out += "\nrules; what no rule allows is denied, and a deny beats every allow\n";
  for (const domain::Effect effect : {domain::Effect::allow, domain::Effect::deny}) {
    for (const domain::Rule& rule : policy.rules()) {
      out += rule.effect == effect ? to_line(rule) : "";
    }
  }
  return out;
}

}  // namespace pmg::app
