#include "way.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "domain/caution.hpp"
#include "domain/compiled.hpp"
#include "domain/derivation.hpp"
#include "domain/operation.hpp"
#include "domain/overrides.hpp"
#include "domain/suggestion.hpp"
#include "messages.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {

std::string_view to_words(domain::Hopeless why) noexcept {
  switch (why) {
    case domain::Hopeless::protected_always:
      return "nothing allows this: it is protected in every policy";
    case domain::Hopeless::denied_by_policy:
      return "no flag allows this: the profile denies it; change the profile, or use another one";
    case domain::Hopeless::moves_too_much:
      return "no flag allows this: denied paths lie beneath";
    case domain::Hopeless::is_a_device:
      return "no flag allows this: devices need a rule of the profile";
    case domain::Hopeless::not_writable_as_rule:
      return "no flag can name this path";
  }
  return "";
}

std::string_view to_word(domain::Weight weight) noexcept {
  switch (weight) {
    case domain::Weight::decides:
      return "decides";
    case domain::Weight::applies:
      return "applies";
    case domain::Weight::set_aside:
      return "set aside";
  }
  return "";
}

std::string to_text(const Way& way) {
  if (way.flags.empty()) {
    return way.why + "\n";
  }
  std::string out = "to allow it:";
  for (const std::string& flag : way.flags) {
    out += " --sandbox-allow " + shell_word(flag);
  }
  return out + (way.protection == domain::Protection::lifted
                    ? "\n  which lifts a protection: the program can then use or change it\n"
                    : "\n");
}

std::string rules_text(const domain::CompiledPolicy& policy, const domain::Derivation& derivation) {
  std::string out;
  for (const domain::Consideration& each : derivation.considered) {
    if (const domain::Rule* rule = policy.rule(each.rule)) {
      std::string word(to_word(each.weight));
      word.resize(std::string_view("set aside").size(), ' ');
      out += "  " + word + "  " + to_text(*rule) + "\n";
    }
  }
  return out.empty() ? "  no rule covers it\n" : out;
}

Way way_of(const Session& session, const domain::Operation& operation) {
  const auto suggested = suggest(session.policy, session.surroundings, operation);
  if (const auto* hopeless = std::get_if<domain::Hopeless>(&suggested)) {
    return {{}, std::string(to_words(*hopeless))};
  }
  const auto& suggestion = std::get<domain::Suggestion>(suggested);
  Way way{{}, {}, suggestion.protection};
  for (const domain::Override& rule : suggestion.overrides) {
    const auto text = text_of(rule, session.surroundings.variables);
    if (!text) {
      return {{}, std::string(to_words(domain::Hopeless::not_writable_as_rule))};
    }
    way.flags.push_back(std::string(text->type) + "=" + text->value);
    way.caution = std::max(way.caution, caution_for(rule, session.surroundings));
  }
  return way;
}

}  // namespace pmg::app
