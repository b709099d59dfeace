// The rules R1 to R11 of docs/SEMANTICS.md, in the order in which they are asked.
#include <cstdint>
#include <string_view>
#include <variant>

#include "domain/automaton.hpp"
#include "domain/compiled.hpp"
#include "domain/operation.hpp"

namespace pmg::domain {
namespace {

constexpr std::uint32_t kNone = RuleId::kNone;

Decision allowed_by(std::uint32_t rule) noexcept {
  return {Verdict::allow, Reason::allowed_by_rule, RuleId{rule}};
}

Decision denied(Reason reason, std::uint32_t rule) noexcept {
  return {Verdict::deny, reason, RuleId{rule}};
}

/// The walks of one PathUse: one where both forms are the same text.
class Place {
 public:
  Place(const Automaton& automaton, const PathUse& use) noexcept
      : automaton_(automaton), path_(use.real.text()) {
    automaton_.walk(use.real.text(), real_);
    is_spelled_otherwise_ = use.real != use.spelled;
    if (is_spelled_otherwise_) {
      automaton_.walk(use.spelled.text(), spelled_);
    }
  }

  [[nodiscard]] bool is_well_formed() const noexcept {
    return real_.is_well_formed && (!is_spelled_otherwise_ || spelled_.is_well_formed);
  }
  [[nodiscard]] const Walk& real() const noexcept { return real_; }

  /// R1: a deny rule that covers either form.
  [[nodiscard]] std::uint32_t deny(Access access) const noexcept {
    const std::uint32_t rule = real_.deny[access];
    return rule == kNone ? spelled_.deny[access] : rule;
  }

  /// R6: what an object that is no directory would shadow here.
  [[nodiscard]] std::uint32_t guard(NodeKind kind) const noexcept {
    const std::uint32_t rule = guarded_by(real_, kind);
    return rule == kNone ? guarded_by(spelled_, kind) : rule;
  }

  /// R10: where only opening is anybody's business. POSIX shared memory is files like any other.
  [[nodiscard]] bool is_for_devices() const noexcept {
    return path_.starts_with("/dev/") && !path_.starts_with("/dev/shm/");
  }

 private:
  [[nodiscard]] std::uint32_t guarded_by(const Walk& walk, NodeKind kind) const noexcept {
    return kind == NodeKind::symlink ? automaton_.guarded_from_links_by(walk)
                                     : automaton_.guarded_by(walk);
  }

  const Automaton& automaton_;
  std::string_view path_;
  Walk real_;
  Walk spelled_;  ///< finds nothing where it is the same text
  bool is_spelled_otherwise_ = false;
};

/// R5: nothing covers the path, or what would is not a rule for devices.
Decision uncovered(std::uint32_t dropped) noexcept {
  return dropped == kNone ? denied(Reason::nothing_allows, kNone)
                          : denied(Reason::device_needs_own_rule, dropped);
}

Decision judge_read(const Place& place) noexcept {
  if (!place.is_well_formed()) {
    return denied(Reason::nothing_allows, kNone);
  }
  if (const auto rule = place.deny(Access::read); rule != kNone) {
    return denied(Reason::denied_by_rule, rule);
  }
  // R3: a copy of a program that may not run would run.
  if (const auto rule = place.real().deny[Access::exec]; rule != kNone) {
    return denied(Reason::denied_by_rule, rule);
  }
  PerAccess allow = place.real().allow;
  allow.set_if_none(Access::read, allow[Access::write]);  // R2
  if (allow.has(Access::read)) {
    return allowed_by(allow[Access::read]);
  }
  PerAccess dropped = place.real().dropped_at_dev;
  dropped.set_if_none(Access::read, dropped[Access::write]);
  return uncovered(dropped[Access::read]);
}

Decision judge_write(const Place& place) noexcept {
  if (!place.is_well_formed()) {
    return denied(Reason::nothing_allows, kNone);
  }
  if (const auto rule = place.deny(Access::write); rule != kNone) {
    return denied(Reason::denied_by_rule, rule);
  }
  if (place.real().allow.has(Access::write)) {
    return allowed_by(place.real().allow[Access::write]);
  }
  return uncovered(place.real().dropped_at_dev[Access::write]);
}

Decision judge_execute(const Place& place) noexcept {
  if (!place.is_well_formed()) {
    return denied(Reason::nothing_allows, kNone);
  }
  for (const Access access : {Access::exec, Access::read}) {
    if (const auto rule = place.deny(access); rule != kNone) {
      return denied(Reason::denied_by_rule, rule);
    }
  }
  if (place.real().allow.has(Access::exec)) {
    return allowed_by(place.real().allow[Access::exec]);
  }
  return uncovered(place.real().dropped_at_dev[Access::exec]);
}

/// R10: names and metadata of device nodes are not the sandbox's, whatever it may open.
Decision judge_name(const Place& place) noexcept {
  return place.is_well_formed() && place.is_for_devices()
             ? denied(Reason::device_needs_own_rule, kNone)
             : judge_write(place);
}

/// R4: missing parents of what may be written.
Decision judge_make_directory(const Place& place) noexcept {
  const Decision decision = judge_name(place);
  const bool lacks_rule = !decision.allowed() && decision.reason != Reason::denied_by_rule;
  if (lacks_rule && place.is_well_formed() && place.real().mkdir_for != kNone) {
    return allowed_by(place.real().mkdir_for);
  }
  return decision;
}

/// R6 for what is no directory.
Decision judge_guard(const Place& place, const Decision& decision, NodeKind kind) noexcept {
  if (!decision.allowed() || kind == NodeKind::directory) {
    return decision;
  }
  const std::uint32_t rule = place.guard(kind);
  return rule == kNone ? decision : denied(Reason::guards_denied_path, rule);
}

/// Making, removing or replacing a name.
Decision judge_entry(const Place& place, NodeKind kind) noexcept {
  return judge_guard(place, judge_name(place), kind);
}

/// What is renamed or linked away must be the sandbox's to read and to write.
Decision judge_source(const Place& place) noexcept {
  const Decision write = judge_name(place);
  if (!write.allowed()) {
    return write;
  }
  const Decision read = judge_read(place);
  return read.allowed() ? write : denied(Reason::unreadable_source, read.rule.index);
}

/// R7: nothing beneath a directory that could not be written may become writable by the move, and
/// nothing that could not be read, readable.
bool keeps_allows(const Automaton& automaton, const Walk& from, const Walk& to) noexcept {
  const bool from_writes = from.allow_beneath.has(Access::write);
  const bool to_writes = to.allow_beneath.has(Access::write);
  if (from_writes || to_writes) {
    // A tree that could be written freely goes where it could have been written as freely: nowhere
    // else, or the move would plant what no rule lets anybody write there.
    return from_writes && to_writes;
  }
  const bool gains_read =
      to.allow_beneath.has(Access::read) && !from.allow_beneath.has(Access::read);
  return !gains_read && automaton.same_allows_beneath(from, to);
}

/// R7: no socket of the host gets under a rule of `unix_sockets` along with its directory.
bool keeps_sockets(const Automaton& sockets, const Rename& rename) noexcept {
  Walk from;
  Walk to;
  sockets.walk(rename.from.real.text(), from);
  sockets.walk(rename.to.real.text(), to);
  return from.is_well_formed && to.is_well_formed &&
         from.allow_beneath.has(Access::write) == to.allow_beneath.has(Access::write) &&
         sockets.same_allows_beneath(from, to);
}

/// R7: a directory takes everything beneath it along.
Decision judge_directory_move(const Automaton& automaton, const Place& from, const Place& to,
                              const Decision& otherwise) noexcept {
  if (!automaton.same_denies_beneath(from.real(), to.real())) {
    const std::uint32_t guard = from.guard(NodeKind::directory);
    return guard != kNone
               ? denied(Reason::guards_denied_path, guard)
               : denied(Reason::leaves_its_rules, automaton.differing_deny(from.real(), to.real()));
  }
  if (!keeps_allows(automaton, from.real(), to.real())) {
    return denied(Reason::leaves_its_rules, kNone);
  }
  return otherwise;
}

Decision judge_rename(const CompiledPolicy& policy, const Rename& rename) noexcept {
  const Automaton& automaton = policy.automaton();
  const Place from(automaton, rename.from);
  const Decision source = judge_source(from);
  if (!source.allowed()) {
    return source;
  }
  const Place to(automaton, rename.to);
  const Decision target = judge_entry(to, rename.kind);
  if (!target.allowed()) {
    return target;
  }
  if (rename.kind == NodeKind::directory) {
    if (!keeps_sockets(policy.sockets(), rename)) {
      return denied(Reason::leaves_its_rules, kNone);
    }
    return judge_directory_move(automaton, from, to, target);
  }
  const std::uint32_t guard = from.guard(rename.kind);
  return guard == kNone ? target : denied(Reason::guards_denied_path, guard);
}

/// R11: a socket of the host. A rule that names exactly this one counts even where files may not be
/// read, since it says what it means; any other one does not.
Decision judge_connect(const CompiledPolicy& policy, const ConnectUnix& op) noexcept {
  Walk walk;
  policy.sockets().walk(op.path.real.text(), walk);
  const std::uint32_t named = walk.is_well_formed ? walk.allow_beneath[Access::read] : kNone;
  const Rule* const exact = policy.rule(RuleId{named});
  if (exact != nullptr && exact->pattern.literal_prefix().text() == op.path.real.text()) {
    return allowed_by(named);
  }
  const std::uint32_t allow = walk.is_well_formed ? walk.allow[Access::write] : kNone;
  const Place place(policy.automaton(), op.path);
  if (!place.is_well_formed()) {
    return denied(Reason::nothing_allows, kNone);
  }
  for (const Access access : {Access::read, Access::write, Access::exec}) {
    if (const auto deny = place.deny(access); deny != kNone) {
      return denied(Reason::denied_by_rule, deny);
    }
  }
  return allow != kNone ? allowed_by(allow) : denied(Reason::nothing_allows, kNone);
}

struct Judge {
  const CompiledPolicy& policy;
  const Automaton& automaton;

  Decision operator()(const Read& op) const noexcept {
    return judge_read(Place(automaton, op.path));
  }
  Decision operator()(const Write& op) const noexcept {
    const Place place(automaton, op.path);
    return judge_guard(place, judge_write(place), op.kind);
  }
  Decision operator()(const Create& op) const noexcept {
    const Place place(automaton, op.path);
    return op.kind == NodeKind::directory ? judge_make_directory(place)
                                          : judge_entry(place, op.kind);
  }
  Decision operator()(const Remove& op) const noexcept {
    return judge_entry(Place(automaton, op.path), op.kind);
  }
  Decision operator()(const Rename& op) const noexcept { return judge_rename(policy, op); }
  Decision operator()(const Link& op) const noexcept {
    const Decision source = judge_source(Place(automaton, op.from));
    return source.allowed() ? judge_entry(Place(automaton, op.to), op.kind) : source;
  }
  Decision operator()(const ChangeMetadata& op) const noexcept {
    return judge_name(Place(automaton, op.path));
  }
  Decision operator()(const Execute& op) const noexcept {
    return judge_execute(Place(automaton, op.path));
  }
  Decision operator()(const ConnectUnix& op) const noexcept { return judge_connect(policy, op); }
};

}  // namespace

Decision decide(const CompiledPolicy& policy, const Operation& operation) noexcept {
  return std::visit(Judge{policy, policy.automaton()}, operation);
}

}  // namespace pmg::domain
