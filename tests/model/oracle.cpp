#include "model/oracle.hpp"

#include <array>
#include <string_view>
#include <variant>

#include "domain/operation.hpp"

namespace pmg::model {
namespace {

using domain::NodeKind;
using domain::PathUse;
using domain::PathView;
using Verdict = Prediction::Verdict;

PathUse use_of(const Resolved& path) {
  return {PathView::unsafe_from(path.real), PathView::unsafe_from(path.spelled)};
}

NodeKind kind_of(Kind kind) {
  constexpr std::array kKinds{NodeKind::regular, NodeKind::directory, NodeKind::symlink,
                              NodeKind::fifo,    NodeKind::socket,    NodeKind::device};
  return kKinds.at(static_cast<std::size_t>(kind));
}

NodeKind kind_made_by(Op op) {
  switch (op) {
    case Op::make_directory:
      return NodeKind::directory;
    case Op::make_fifo:
      return NodeKind::fifo;
    case Op::make_symlink:
      return NodeKind::symlink;
    case Op::bind:
      return NodeKind::socket;
    default:
      return NodeKind::regular;
  }
}

bool may_create(Op op) {
  return op == Op::open_create || op == Op::open_create_both || op == Op::open_exclusive ||
         op == Op::create;
}

Last last_of(Op op) {
  switch (op) {
    case Op::open_nofollow:
    case Op::open_exclusive:
    case Op::link:
    case Op::chown_link:
    case Op::set_times_link:
      return Last::itself;
    default:
      return Last::followed;
  }
}

struct OperationWord {
  std::string_view operator()(const domain::Read&) const { return "Read"; }
  std::string_view operator()(const domain::Write&) const { return "Write"; }
  std::string_view operator()(const domain::Create&) const { return "Create"; }
  std::string_view operator()(const domain::Remove&) const { return "Remove"; }
  std::string_view operator()(const domain::Rename&) const { return "Rename"; }
  std::string_view operator()(const domain::Link&) const { return "Link"; }
  std::string_view operator()(const domain::ChangeMetadata&) const { return "ChangeMetadata"; }
  std::string_view operator()(const domain::Execute&) const { return "Execute"; }
  std::string_view operator()(const domain::ConnectUnix&) const { return "ConnectUnix"; }
};

std::string_view word_of(domain::Reason reason) {
  constexpr std::array<std::string_view, 7> kWords{"allowed by",
                                                   "nothing allows",
                                                   "denied by",
                                                   "guards a denied path",
                                                   "leaves its rules of",
                                                   "unreadable",
                                                   "a device needs its own rule"};
  return kWords.at(static_cast<std::size_t>(reason));
}

}  // namespace

class Oracle::Question {
 public:
  Question(const Oracle& oracle, const Probe& probe)
      : policy_(oracle.policy_), view_(oracle.view_), probe_(probe) {}

  Prediction run() && {
    if (has_two_paths(probe_.op)) {
      about_two_paths();
    } else {
      switch (probe_.op) {
        case Op::make_directory:
        case Op::make_fifo:
        case Op::make_file:
        case Op::make_symlink:
        case Op::bind:
          about_new_name();
          break;
        case Op::unlink:
        case Op::remove_directory:
          about_old_name();
          break;
        default:
          about_object();
      }
    }
    for (const std::string& place : result_.places) {
      if (!view_.tree.holds(place)) {
        result_.reach = Prediction::Reach::elsewhere;
      }
    }
    return std::move(result_);
  }

 private:
  void ask(const domain::Operation& operation, const Resolved& path) {
    const domain::Decision decision = domain::decide(policy_, operation);
    if (result_.verdict != Verdict::deny) {
      result_.verdict = decision.allowed() ? Verdict::allow : Verdict::deny;
    }
    result_.why += "  ";
    result_.why += std::visit(OperationWord{}, operation);
    result_.why += " " + printable(path.real);
    if (path.spelled != path.real) {
      result_.why += " spelled " + printable(path.spelled);
    }
    result_.why += decision.allowed() ? ": allow, " : ": deny, ";
    result_.why += word_of(decision.reason);
    if (const domain::Rule* const rule = policy_.rule(decision.rule)) {
      result_.why += " `" + printable(rule->text) + "`";
    }
    result_.why += "\n";
  }

  void unresolved(const Resolved& path) {
    result_.verdict = Verdict::undecided;
    if (path.error == kUnknown) {
      result_.reach = Prediction::Reach::elsewhere;
    }
  }

  // --- one path

  void about_object() {
    Resolved object = view_.resolve(probe_.first, last_of(probe_.op));
    if (!object.exists() && !object.is_missing()) {
      return unresolved(object);
    }
    result_.places = {object.real};
    if (object.is_missing()) {
      if (may_create(probe_.op)) {
        ask(domain::Create{use_of(object), NodeKind::regular}, object);
      }
      return;
    }
    result_.kind = object.node->kind;
    ask_about(object);
  }

  void ask_about(Resolved& object) {
    switch (probe_.op) {
      case Op::open_read:
      case Op::open_nofollow:
      case Op::open_directory:
      case Op::open_beneath:
      case Op::open_no_links:
        if (object.node->kind != Kind::symlink) {
          ask(domain::Read{use_of(object)}, object);
        }
        return;
      case Op::open_path:
        result_.may_read = domain::decide(policy_, domain::Read{use_of(object)}).allowed();
        result_.verdict = Verdict::allow;
        return;
      case Op::open_read_write:
      case Op::open_read_truncate:
      case Op::open_create_both:
        ask(domain::Read{use_of(object)}, object);
        return ask(domain::Write{use_of(object)}, object);
      case Op::open_write:
      case Op::open_truncate:
      case Op::open_create:
      case Op::create:
      case Op::truncate:
        return ask(domain::Write{use_of(object)}, object);
      case Op::chmod_held:
      case Op::reopen_write:
        return ask_by_descriptor(object);
      case Op::open_temporary:
        return about_temporary(object);
      case Op::connect:
        return ask(domain::ConnectUnix{use_of(object)}, object);
      case Op::open_exclusive:
        return;  // EEXIST
      case Op::execute:
        return about_program(object);
      default:
        return ask(domain::ChangeMetadata{use_of(object)}, object);
    }
  }

  // What is done with a descriptor is judged by the name of its object, and not by how that was
  // spelled when it was opened.
  void ask_by_descriptor(Resolved& object) {
    ask(domain::Read{use_of(object)}, object);
    object.spelled = object.real;
    if (probe_.op == Op::chmod_held) {
      ask(domain::ChangeMetadata{use_of(object)}, object);
    } else {
      object.spelled = "/proc/self/fd/" + std::to_string(kReopened);
      ask(domain::Write{use_of(object)}, object);
    }
  }

  // A file without a name stands for any new name that no rule speaks of.
  void about_temporary(Resolved& directory) {
    if (directory.node->kind != Kind::directory) {
      return;
    }
    directory.real = joined(directory.real, "#temporary");
    directory.spelled = joined(directory.spelled, "#temporary");
    ask(domain::Create{use_of(directory), NodeKind::regular}, directory);
  }

  void about_program(Resolved object) {
    constexpr int kMostInterpreters = 5;  // of the kernel
    for (int depth = 0; depth <= kMostInterpreters; ++depth) {
      if (!object.exists() || object.node->kind != Kind::file) {
        return;  // the kernel's own error, if nothing denied before
      }
      ask(domain::Execute{use_of(object)}, object);
      result_.programs.push_back(object.real);
      const std::string& text = object.node->text;
      if (!text.starts_with("#!")) {
        return;
      }
      object = view_.resolve({kFromCwd, text.substr(2, text.find('\n') - 2)}, Last::followed);
    }
  }

  void about_new_name() {
    const Resolved place = view_.place(probe_.first);
    if (place.error != 0) {
      return unresolved(place);
    }
    result_.places = {place.real};
    ask(domain::Create{use_of(place), kind_made_by(probe_.op)}, place);
  }

  void about_old_name() {
    const Resolved place = view_.place(probe_.first);
    if (place.error != 0) {
      return unresolved(place);
    }
    result_.places = {place.real};
    if (place.exists()) {
      result_.kind = place.node->kind;
      ask(domain::Remove{use_of(place), kind_of(place.node->kind)}, place);
    }
  }

  // --- two paths

  void about_two_paths() {
    const bool links = probe_.op == Op::link || probe_.op == Op::link_followed;
    const Resolved from =
        links ? view_.resolve(probe_.first, last_of(probe_.op)) : view_.place(probe_.first);
    const Resolved to = view_.place(probe_.second);
    for (const Resolved* const path : {&from, &to}) {
      if (path->error != 0) {
        return unresolved(*path);
      }
    }
    result_.places = {from.real, to.real};
    if (!from.exists()) {
      return;
    }
    result_.kind = from.node->kind;
    if (links) {
      ask(domain::Link{use_of(from), use_of(to), kind_of(from.node->kind)}, from);
    } else {
      about_move(from, to);
    }
  }

  void about_move(const Resolved& from, const Resolved& to) {
    ask(domain::Rename{use_of(from), use_of(to), kind_of(from.node->kind)}, from);
    if (!to.exists()) {
      return;
    }
    result_.replaced = to.node->kind;
    if (probe_.op == Op::exchange) {
      ask(domain::Rename{use_of(to), use_of(from), kind_of(to.node->kind)}, to);
    } else if (to.node->kind != Kind::directory) {
      ask(domain::Remove{use_of(to), kind_of(to.node->kind)}, to);
    }
  }

  const domain::CompiledPolicy& policy_;
  const View& view_;
  const Probe& probe_;
  Prediction result_;
};

Prediction Oracle::predict(const Probe& probe) const { return Question(*this, probe).run(); }

}  // namespace pmg::model
