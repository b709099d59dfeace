// Every small policy against every small path, in two ways that share nothing but the
// specification.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "domain/automaton.hpp"
#include "domain/automaton_builder.hpp"
#include "domain/compiled.hpp"
#include "domain/decisions.hpp"
#include "domain/operation.hpp"
#include "domain/pattern.hpp"
#include "domain/reference.hpp"
#include "domain/words.hpp"

using namespace pmg::domain;
using pmg::reference::Rules;
using pmg::tests::at;
using pmg::tests::words;
using pmg::tests::World;

namespace {

using Strings = std::vector<std::string>;

/// All texts of one to `longest` segments out of `names`.
Strings texts(const Strings& names, std::size_t longest) {
  Strings all{""};
  std::size_t begin = 0;
  for (std::size_t length = 0; length < longest; ++length) {
    const std::size_t end = all.size();
    for (; begin < end; ++begin) {
      for (const std::string& name : names) {
        all.push_back(all[begin] + "/" + name);
      }
    }
  }
  all.erase(all.begin());
  return all;
}

/// "/**/x" floats, as `**/x` is written.
PathPattern pattern_of(const std::string& text) {
  const bool floats = text == "/**" || text.starts_with("/**/");
  const std::string written = floats ? text.substr(1) : text;
  return PatternTemplate::parse(written)->expand(World().surroundings.variables);
}

/// The reference has "" for the root.
std::string spelled(std::string_view path) { return path.empty() ? "/" : std::string(path); }

std::string shown(const Rules& rules) {
  std::string text;
  for (const auto& rule : rules.all) {
    text += rule.effect == Effect::allow ? " allow" : " deny";
    text += rule.access == Access::read    ? "_read "
            : rule.access == Access::write ? "_write "
                                           : "_exec ";
    text += rule.pattern;
  }
  return text;
}

World world_of(const Rules& rules) {
  World world;
  for (const auto& rule : rules.all) {
    const std::string text =
        rule.pattern.starts_with("/**") ? rule.pattern.substr(1) : rule.pattern;
    const bool is_allow = rule.effect == Effect::allow;
    switch (rule.access) {
      case Access::read:
        is_allow ? world.read({text}) : world.deny_read({text});
        break;
      case Access::write:
        is_allow ? world.write({text}) : world.deny_write({text});
        break;
      case Access::exec:
        is_allow ? world.exec({text}) : world.deny_exec({text});
        break;
      case Access::connect:
        world.unix_sockets({text});
        break;
    }
  }
  return world;
}

Decision asked(const CompiledPolicy& policy, const Operation& operation) {
  return decide(policy, operation);
}

/// Operations on one path whose answers differ from the reference's.
std::string wrong_at(const CompiledPolicy& policy, const Rules& rules, const std::string& path) {
  const std::string text = spelled(path);
  const PathUse use = at(text);
  const auto is = [&](const Operation& operation, bool expected) {
    return asked(policy, operation).allowed() == expected;
  };
  if (!is(Read{use}, rules.may_read(path))) {
    return "read " + text;
  }
  if (!is(Execute{use}, rules.may_execute(path))) {
    return "execute " + text;
  }
  if (!is(ChangeMetadata{use}, rules.may_write(path))) {
    return "chmod " + text;
  }
  if (!is(Create{use, NodeKind::directory}, rules.may_make_directory(path))) {
    return "mkdir " + text;
  }
  if (!is(Remove{use, NodeKind::directory}, rules.may_write(path))) {
    return "rmdir " + text;
  }
  for (const NodeKind kind : {NodeKind::regular, NodeKind::symlink, NodeKind::socket}) {
    const bool may_put = rules.may_put(path);
    if (!is(Write{use, kind}, may_put) || !is(Create{use, kind}, may_put) ||
        !is(Remove{use, kind}, may_put)) {
      return "put " + text;
    }
  }
  return {};
}

/// R7 by trial: beneath a moved directory nothing that was denied becomes free, nothing is put
/// where writing is denied, and nothing becomes readable or writable that was not.
bool moves_soundly(const Rules& rules, const std::string& from, const std::string& to,
                   const Strings& beneath) {
  for (const std::string& rest : beneath) {
    for (const Access access : {Access::read, Access::write, Access::exec}) {
      const bool was_denied = rules.is_covered(Effect::deny, access, from + rest);
      const bool is_denied = rules.is_covered(Effect::deny, access, to + rest);
      if (access == Access::write ? was_denied != is_denied : was_denied && !is_denied) {
        return false;
      }
    }
    if ((rules.may_write(to + rest) && !rules.may_write(from + rest)) ||
        (rules.may_read(to + rest) && !rules.may_read(from + rest))) {
      return false;
    }
  }
  return true;
}

std::string wrong_between(const CompiledPolicy& policy, const Rules& rules, const std::string& a,
                          const std::string& b, const Strings& beneath) {
  const std::string from = spelled(a);
  const std::string to = spelled(b);
  const bool may_link = rules.may_take(a) && rules.may_put(b);
  if (asked(policy, Link{at(from), at(to)}).allowed() != may_link) {
    return "link " + from + " " + to;
  }
  if (asked(policy, Rename{at(from), at(to), NodeKind::regular}).allowed() !=
      (may_link && !rules.is_guard(a))) {
    return "mv " + from + " " + to;
  }
  const Decision move = asked(policy, Rename{at(from), at(to), NodeKind::directory});
  if (move.allowed() &&
      !(rules.may_take(a) && rules.may_write(b) && moves_soundly(rules, a, b, beneath))) {
    return "mv directory " + from + " " + to;
  }
  if (!move.allowed() && a == b && rules.may_take(a)) {
    return "mv directory onto itself " + from;
  }
  return {};
}

std::vector<pmg::reference::Rule> all_rules(const Strings& patterns) {
  std::vector<pmg::reference::Rule> all;
  for (const std::string& pattern : patterns) {
    for (const Effect effect : {Effect::allow, Effect::deny}) {
      for (const Access access : {Access::read, Access::write, Access::exec}) {
        all.push_back({pattern, effect, access});
      }
    }
  }
  return all;
}

const Strings kNames{"a", "b", "*", "**"};

}  // namespace

TEST_CASE("A1: every pattern of three segments covers what the reference says") {
  Strings patterns = texts({"a", "ab", "*", "**", "a*", "*b", "?"}, 3);
  patterns.push_back("/");
  Strings paths = texts({"a", "b", "ab", "c"}, 3);
  paths.push_back("");
  for (const std::string& text : patterns) {
    for (const Effect effect : {Effect::allow, Effect::deny}) {
      const pmg::reference::Rule rule{text, effect, Access::write};
      AutomatonBuilder builder;
      const PathPattern pattern = pattern_of(text);
      builder.add({pattern, effect, Access::write, RuleId{0}});
      const auto automaton = std::move(builder).build();
      for (const std::string& path : paths) {
        Walk walk;
        automaton->walk(spelled(path), walk);
        const bool covers = (effect == Effect::allow ? walk.allow : walk.deny).has(Access::write);
        const bool beneath = walk.allow_beneath.has(Access::write);
        const bool guards = automaton->guarded_by(walk) != RuleId::kNone;
        if (covers != rule.covers(path) ||
            (effect == Effect::allow && beneath != rule.covers_beneath(path)) ||
            (effect == Effect::deny && !rule.covers(path) && guards != rule.guards(path))) {
          FAIL_CHECK(text << " at " << spelled(path));
        }
      }
    }
  }
}

TEST_CASE("A1: every small glob as an edge matches what the matcher matches") {
  const Strings names = words("ab", 4);
  for (const std::string& glob : words("ab*?", 5)) {
    if (glob.empty() || glob == "**") {
      continue;
    }
    AutomatonBuilder builder;
    const PathPattern pattern = pattern_of("/" + glob);
    builder.add({pattern, Effect::deny, Access::write, RuleId{0}});
    const auto automaton = std::move(builder).build();
    for (std::size_t i = 1; i < names.size(); ++i) {
      Walk walk;
      automaton->walk("/" + names[i], walk);
      if (walk.deny.has(Access::write) != glob_matches(glob, names[i])) {
        FAIL_CHECK(glob << " at " << names[i]);
      }
    }
  }
}

TEST_CASE("A2: every small glob beside all others, below two directories") {
  const Strings globs = words("ab*?", 4);
  const auto is_glob = [](const std::string& text) { return !text.empty() && text != "**"; };
  const auto place = [](std::size_t i) { return i % 2 == 0 ? "/even/" : "/odd/"; };
  AutomatonBuilder builder;
  for (std::size_t i = 0; i < globs.size(); ++i) {
    if (is_glob(globs[i])) {
      const PathPattern pattern = pattern_of(place(i) + globs[i] + "/x" + std::to_string(i));
      builder.add({pattern, Effect::deny, Access::read, RuleId{static_cast<std::uint32_t>(i)}});
    }
  }
  const auto automaton = std::move(builder).build();
  std::size_t wrong = 0;
  for (const std::string& name : words("ab", 4)) {
    for (std::size_t i = 0; i < globs.size() && !name.empty(); ++i) {
      for (const std::size_t where : {i, i + 1}) {
        Walk walk;
        automaton->walk(place(where) + name + "/x" + std::to_string(i), walk);
        const bool expected = where == i && is_glob(globs[i]) && glob_matches(globs[i], name);
        wrong += walk.deny[Access::read] != (expected ? i : RuleId::kNone) ? 1U : 0U;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("A2: a name that looks like a glob is another edge than the glob") {
  AutomatonBuilder builder;
  const PathPattern name = PathPattern::literal(World::place("/*/[a]"));
  const PathPattern glob = pattern_of("/*/[a]");
  builder.add({name, Effect::deny, Access::read, RuleId{0}});
  builder.add({glob, Effect::deny, Access::write, RuleId{1}});
  const auto automaton = std::move(builder).build();
  Walk by_name;
  automaton->walk("/*/[a]", by_name);
  CHECK(by_name.deny.has(Access::read));
  CHECK(!by_name.deny.has(Access::write));
  Walk by_glob;
  automaton->walk("/b/a", by_glob);
  CHECK(!by_glob.deny.has(Access::read));
  CHECK(by_glob.deny.has(Access::write));
}

TEST_CASE("R6: of the rules on git, a glob keeps links out, and `**` at the root does not") {
  struct Row {
    std::string pattern;
    std::string path;
    bool is_guarded;
  };
  for (const Row& row : {Row{"/g/**/h", "/g/x", true}, Row{"/*/h", "/x", true},
                         Row{"/**/h", "/x", false}, Row{"/**/g/**/h", "/g/x", true}}) {
    CAPTURE(row.pattern);
    AutomatonBuilder builder;
    const PathPattern pattern = pattern_of(row.pattern);
    builder.add({pattern, Effect::deny, Access::write, RuleId{0}, Strength::absolute,
                 Reach::outside_caches});
    const auto automaton = std::move(builder).build();
    Walk walk;
    automaton->walk(row.path, walk);
    CHECK((automaton->guarded_from_links_by(walk) != RuleId::kNone) == row.is_guarded);
  }
}

TEST_CASE("A2: rules in one automaton do not disturb each other") {
  const Strings patterns = texts(kNames, 2);
  const Strings paths = texts({"a", "b", "c"}, 3);
  std::vector<PathPattern> expanded;
  std::vector<std::vector<bool>> covered;
  for (const std::string& text : patterns) {
    expanded.push_back(pattern_of(text));
    covered.emplace_back();
    for (const std::string& path : paths) {
      covered.back().push_back(pmg::reference::Rule{text, Effect::deny, Access::read}.covers(path));
    }
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    for (std::size_t j = 0; j < patterns.size(); ++j) {
      for (std::size_t k = 0; k < patterns.size(); ++k) {
        AutomatonBuilder builder;
        builder.add({expanded[i], Effect::deny, Access::read, RuleId{0}});
        builder.add({expanded[j], Effect::deny, Access::write, RuleId{1}});
        builder.add({expanded[k], Effect::deny, Access::exec, RuleId{2}});
        const auto automaton = std::move(builder).build();
        for (std::size_t at_path = 0; at_path < paths.size(); ++at_path) {
          Walk walk;
          automaton->walk(paths[at_path], walk);
          wrong += walk.deny.has(Access::read) != covered[i][at_path] ||
                           walk.deny.has(Access::write) != covered[j][at_path] ||
                           walk.deny.has(Access::exec) != covered[k][at_path]
                       ? 1U
                       : 0U;
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("A3: every operation under every policy of two small rules beside a broad one") {
  const auto rules = all_rules(texts(kNames, 2));
  Strings paths = texts({"a", "b"}, 2);
  paths.push_back("/c");
  paths.push_back("/a/a/b");
  const Strings beneath = texts({"a", "b", "c"}, 3);
  std::size_t policies = 0;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    // Every rule with every seventh other, from a start that shifts: A2 tries the patterns in full.
    for (std::size_t j = i % 7; j < rules.size(); j += 7) {
      const Rules policy{
          {{"/**", Effect::allow, i % 2 == 0 ? Access::write : Access::read}, rules[i], rules[j]}};
      World world = world_of(policy);
      ++policies;
      for (const std::string& path : paths) {
        const std::string wrong = wrong_at(world.compiled(), policy, path);
        if (!wrong.empty()) {
          FAIL_CHECK(wrong << " under" << shown(policy));
        }
        for (const std::string& other : paths) {
          const std::string pair = wrong_between(world.compiled(), policy, path, other, beneath);
          if (!pair.empty()) {
            FAIL_CHECK(pair << " under" << shown(policy));
          }
        }
      }
    }
  }
  CHECK(policies > 1500);
}
