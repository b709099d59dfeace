#include "commands/check.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "adapters/canonical.hpp"
#include "adapters/surroundings.hpp"
#include "configuration.hpp"
#include "domain/compiled.hpp"
#include "domain/derivation.hpp"
#include "domain/environment.hpp"
#include "domain/operation.hpp"
#include "domain/overrides.hpp"
#include "domain/path.hpp"
#include "domain/suggestion.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "program.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using domain::AbsolutePath;
using nlohmann::ordered_json;

constexpr int kRefused = 1;
constexpr int kTrouble = 2;

enum class Access { read, write, exec, unix_socket, variable };

constexpr std::array kAccesses{
    std::pair{std::string_view("read"), Access::read},
    std::pair{std::string_view("write"), Access::write},
    std::pair{std::string_view("exec"), Access::exec},
    std::pair{std::string_view("unix"), Access::unix_socket},
    std::pair{std::string_view("env"), Access::variable},
};

std::optional<Access> parse_access(std::string_view word) {
  for (const auto& [name, access] : kAccesses) {
    if (name == word) {
      return access;
    }
  }
  return std::nullopt;
}

/// A path as it is written, and the one that it leads to.
struct Paths {
  AbsolutePath spelled;
  AbsolutePath real;
};

domain::Operation operation_of(Access access, const Paths& paths) {
  const domain::PathUse use{domain::PathView(paths.real), domain::PathView(paths.spelled)};
  switch (access) {
    case Access::read:
    case Access::variable:
      break;
    case Access::write:
      return domain::Write{use};
    case Access::exec:
      return domain::Execute{use};
    case Access::unix_socket:
      return domain::ConnectUnix{use};
  }
  return domain::Read{use};
}

std::string_view to_word(domain::Weight weight) {
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

std::string_view to_words(domain::Hopeless why) {
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

/// What would allow it, as flags; or why nothing does.
struct Way {
  std::vector<std::string> flags;  ///< TYPE=VALUE
  std::string why;                 ///< where there are none
  domain::Protection protection = domain::Protection::kept;
};

Way way_of(const Session& session, const domain::Surroundings& surroundings,
           const domain::Operation& operation) {
  const auto suggested = suggest(session.policy, surroundings, operation);
  if (const auto* hopeless = std::get_if<domain::Hopeless>(&suggested)) {
    return {{}, std::string(to_words(*hopeless))};
  }
  const auto& suggestion = std::get<domain::Suggestion>(suggested);
  Way way{{}, {}, suggestion.protection};
  for (const domain::Override& rule : suggestion.overrides) {
    const auto text = text_of(rule, session.variables);
    if (!text) {
      return {{}, std::string(to_words(domain::Hopeless::not_writable_as_rule))};
    }
    way.flags.push_back(std::string(text->type) + "=" + text->value);
  }
  return way;
}

std::string text_of(const Way& way) {
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

int print_path(const CheckAccess& command, const Session& session, const Paths& paths,
               const domain::Derivation& derivation, const std::optional<Way>& way) {
  const bool allowed = derivation.decision.allowed();
  if (command.output == Output::json) {
    ordered_json considered = ordered_json::array();
    for (const domain::Consideration& each : derivation.considered) {
      if (const domain::Rule* rule = session.compiled.rule(each.rule)) {
        considered.push_back({{"weight", to_word(each.weight)},
                              {"rule", to_text(*rule)},
                              {"layer", domain::to_words(rule->origin.layer)}});
      }
    }
    ordered_json out{{"access", command.access},
                     {"path", paths.real.text()},
                     {"spelled", paths.spelled.text()},
                     {"allowed", allowed},
                     {"reason", explain(session.compiled, derivation.decision)},
                     {"considered", std::move(considered)}};
    if (way) {
      out["allow"] = way->flags;
    }
    return print_json(out);
  }
  std::string out = std::string(allowed ? "allowed" : "refused") + "  " + command.access + " " +
                    visible(paths.real.text());
  out += paths.spelled == paths.real ? "" : "  (as " + visible(paths.spelled.text()) + ")";
  out += "\n" + explain(session.compiled, derivation.decision) + "\n\n";
  for (const domain::Consideration& each : derivation.considered) {
    if (const domain::Rule* rule = session.compiled.rule(each.rule)) {
      std::string word(to_word(each.weight));
      word.resize(std::string_view("set aside").size(), ' ');
      out += "  " + word + "  " + to_text(*rule) + "\n";
    }
  }
  out += derivation.considered.empty() ? "  no rule covers it\n" : "";
  return print(out + (way ? "\n" + text_of(*way) : "")) ? 0 : 1;
}

/// `what` below the working directory; a program's name is looked up.
tl::expected<Paths, std::string> paths_of(const Context& context, Access access,
                                          const std::string& what) {
  if (access == Access::exec && what.find('/') == std::string::npos) {
    const auto file =
        find_program(what, context.environment.get("PATH"), context.caller.working_directory);
    if (!file) {
      return tl::unexpected(to_text(file.error()));
    }
    return Paths{*file, adapters::canonical(*file)};
  }
  AbsolutePath spelled = domain::normalise(context.caller.working_directory, what);
  AbsolutePath real = adapters::canonical(spelled);
  return Paths{std::move(spelled), std::move(real)};
}

int check_variable(const CheckAccess& command, const Session& session) {
  const std::array names{std::string_view(command.what)};
  const auto scrubbed = scrub(session.policy.environment, names);
  const bool allowed = scrubbed.empty();
  const std::string reason = allowed ? "no rule removes it, or one keeps it"
                                     : "removed by: " + to_text(scrubbed.front().origin);
  const std::string flag = "env=" + command.what;
  int printed = 0;
  if (command.output == Output::json) {
    ordered_json out{{"access", command.access},
                     {"name", command.what},
                     {"allowed", allowed},
                     {"reason", reason}};
    if (!allowed) {
      out["allow"] = {flag};
    }
    printed = print_json(out);
  } else {
    printed = print(std::string(allowed ? "allowed" : "refused") + "  env " +
                    visible(command.what) + "\n" + reason + "\n" +
                    (allowed ? "" : "\nto pass it on: --sandbox-allow " + shell_word(flag) + "\n"))
                  ? 0
                  : 1;
  }
  return printed != 0 ? kTrouble : allowed ? 0 : kRefused;
}

int trouble(const std::string& message) {
  complain(message);
  return kTrouble;
}

}  // namespace

void CheckAccess::declare(Options& options) {
  options.argument("ACCESS", access);
  options.argument("WHAT", what, Completion::file);
  options.flag("--json", output, Output::json, "as JSON");
}

int CheckAccess::run(const Context& given, const Flags& flags) const {
  const auto kind = parse_access(access);
  if (!kind) {
    return trouble("unknown access " + quoted(access) +
                   "; it is one of read, write, exec, unix, env");
  }
  Context context = given;
  const auto config = open_config(context);
  if (!config) {
    return trouble(config.error());
  }
  const auto session =
      open_session(context, flags, Request{flags.profile.value_or("exec"), std::nullopt});
  if (!session) {
    return trouble(session.error());
  }
  if (*kind == Access::variable) {
    return check_variable(*this, *session);
  }
  const auto paths = paths_of(context, *kind, what);
  if (!paths) {
    return trouble(paths.error());
  }
  const auto surroundings = adapters::read_surroundings(context.caller);
  if (!surroundings) {
    return trouble(to_text(surroundings.error()));
  }
  const domain::Operation operation = operation_of(*kind, *paths);
  const domain::Derivation derivation = derive(session->compiled, operation);
  const bool allowed = derivation.decision.allowed();
  const auto way =
      allowed ? std::optional<Way>() : std::optional(way_of(*session, *surroundings, operation));
  if (print_path(*this, *session, *paths, derivation, way) != 0) {
    return kTrouble;
  }
  return allowed ? 0 : kRefused;
}

}  // namespace pmg::app
