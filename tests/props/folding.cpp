// What is promised where names may not be told by their bytes.
#include <array>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "domain/case_folding.hpp"
#include "domain/compiled.hpp"
#include "domain/folded_policy.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "gen/request.hpp"
#include "gen/world.hpp"
#include "props/judge.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;
using std::string_view_literals::operator""sv;

namespace {

/// Characters that may stand for an ASCII letter.
struct Alias {
  std::string_view letters;
  std::string_view character;
};
constexpr std::array kAliases{Alias{"s", "\u017f"}, Alias{"k", "\u212a"},  Alias{"i", "\u0131"},
                              Alias{"i", "\u0130"}, Alias{"ss", "\u00df"}, Alias{"fi", "\ufb01"},
                              Alias{"e", "\u00c9"}, Alias{"a", "a\u030a"}};
constexpr std::array kInvisible{"\u200c"sv, "\u00ad"sv, "\ufeff"sv, "\ufe0f"sv, "\u0301"sv};
constexpr std::size_t kLongestPath = 4096;
constexpr std::array kTails{"."sv, " "sv, "::$DATA"sv, ". ."sv};

char swap_case(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter ? static_cast<char>(c ^ 0x20) : c;
}

/// The text, spelled as some file system would still understand it.
std::string respelled(gen::Choices& c, std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const Alias& alias = c.pick(kAliases);
    if (c.one_in(4) && text.starts_with(alias.letters)) {
      made += alias.character;
      text.remove_prefix(alias.letters.size());
      continue;
    }
    made += c.one_in(2) ? swap_case(text.front()) : text.front();
    // Not before the first name: a path starts with its slash.
    if (c.one_in(8)) {
      made += c.pick(kInvisible);
    }
    text.remove_prefix(1);
  }
  return made;
}

bool always(const Operation& /*operation*/) { return true; }

}  // namespace

/// A deny rule is added last, and a path within it is asked for in another spelling.
bool other_spellings_are_denied(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  Policy policy = gen::policy(c);
  const auto& list = c.pick(gen::kDenyLists);
  const PatternTemplate pattern = gen::pattern(c);
  list.of(policy).push_back(rule(pattern));
  const AbsolutePath path = gen::path_in(c, pattern.expand(around.variables));
  std::string text = respelled(c, path.text());
  // A tail stands for nothing only after a literal, whose end it is.
  if (c.one_in(4) && pattern.expand(around.variables).is_literal() && !path.is_root()) {
    text += c.pick(kTails);
  }
  note(c, policy, around.variables);
  note(c, word_of(list.access), path);
  c.note("as", [&] { return text; });
  const auto judge = compiled(policy, around);
  if (!judge) {
    return true;
  }
  const FoldedPolicy folded(*judge);
  const PathUse use{PathView::unsafe_from(text)};
  return !decide(*judge, folded, use_of(list.access, use), always).allowed();
}

/// Every operation, in every spelling: the folded rules take away and never give.
bool folding_only_narrows(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  gen::Request request = gen::request_near(c, policy, around.variables);
  request.real = gen::as_path(respelled(c, request.real.text()));
  request.spelled = gen::as_path(respelled(c, request.spelled.text()));
  note(c, policy, around.variables);
  c.note("request", [&] { return request.text(); });
  const auto judge = compiled(policy, around);
  if (!judge) {
    return true;
  }
  const FoldedPolicy folded(*judge);
  const Operation operation = request.operation();
  const Decision exact = decide(*judge, operation);
  const Decision both = decide(*judge, folded, operation, always);
  const Decision bytes = decide(*judge, folded, operation, [](const Operation&) { return false; });
  return (!both.allowed() || exact.allowed()) && bytes.verdict == exact.verdict &&
         (both.allowed() || both.rule.is_none() || judge->rule(both.rule) != nullptr);
}

/// Folding is a normal form: another spelling of a name has it as well, and it folds to itself.
bool folding_forgets_the_spelling(gen::Choices& c) {
  const std::string name = c.one_in(2) ? std::string(c.pick(gen::kNames)) : c.rest();
  const std::string other = respelled(c, name);
  const std::string folded = folded_name(name, Tail::kept);
  const std::string cut = folded_name(name, Tail::cut);
  c.note("names", [&] { return name + " and " + other; });
  const bool is_text = !is_opaque_name(name);
  const FoldedPath path(PathView::unsafe_from(name), Tail::kept);
  const bool is_name = name.find('/') == std::string::npos && name.size() <= kLongestPath;
  return folded.size() <= name.size() && folded.starts_with(cut) &&
         folded_name(folded, Tail::kept) == folded &&
         (!is_name || path.has_tail() == (cut != folded)) &&
         (!is_text || folded_name(other, Tail::kept) == folded);
}

TEST_CASE("R12: other spellings of a denied path are denied") {
  CHECK_HOLDS(other_spellings_are_denied);
}
TEST_CASE("R12: folding only narrows") { CHECK_HOLDS(folding_only_narrows); }
TEST_CASE("G3: folding forgets the spelling") { CHECK_HOLDS_OFTEN(folding_forgets_the_spelling); }

}  // namespace pmg::props
