#include "commands/check.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "adapters/canonical.hpp"
#include "configuration.hpp"
#include "domain/compiled.hpp"
#include "domain/derivation.hpp"
#include "domain/environment.hpp"
#include "domain/operation.hpp"
#include "domain/path.hpp"
#include "domain/suggestion.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "program.hpp"
#include "session.hpp"
#include "text.hpp"
#include "way.hpp"

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

/// The answer on a path, with all that led to it.
struct Answer {
  const CheckAccess& command;
  const Session& session;
  const Paths& paths;
  const domain::Derivation& derivation;
  const std::optional<Way>& way;
};

ordered_json to_json(const Answer& answer) {
  ordered_json considered = ordered_json::array();
  for (const domain::Consideration& each : answer.derivation.considered) {
    if (const domain::Rule* rule = answer.session.compiled.rule(each.rule)) {
      considered.push_back({{"weight", to_word(each.weight)},
                            {"rule", to_text(*rule)},
                            {"layer", domain::to_words(rule->origin.layer)}});
    }
  }
  ordered_json out{{"access", answer.command.access},
                   {"path", answer.paths.real.text()},
                   {"spelled", answer.paths.spelled.text()},
                   {"allowed", answer.derivation.decision.allowed()},
                   {"reason", explain(answer.session.compiled, answer.derivation.decision)},
                   {"considered", std::move(considered)}};
  if (answer.way) {
    out["allow"] = answer.way->flags;
  }
  return out;
}

std::string answer_text(const Answer& answer) {
  const Paths& paths = answer.paths;
  const domain::Decision& decision = answer.derivation.decision;
  std::string out = (decision.allowed() ? "allowed  " : "refused  ") + answer.command.access + " " +
                    visible(paths.real.text());
  out += paths.spelled == paths.real ? "" : "  (as " + visible(paths.spelled.text()) + ")";
  out += "\n" + explain(answer.session.compiled, decision) + "\n\n" +
         rules_text(answer.session.compiled, answer.derivation);
  return out + (answer.way ? "\n" + to_text(*answer.way) : "");
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

std::string variable_text(const CheckAccess& command, const std::string& reason,
                          const std::optional<std::string>& flag) {
  return (flag ? "refused  env " : "allowed  env ") + visible(command.what) + "\n" + reason + "\n" +
         (flag ? "\nto pass it on: --sandbox-allow " + shell_word(*flag) + "\n" : "");
}

int check_variable(const CheckAccess& command, const Session& session) {
  const std::array names{std::string_view(command.what)};
  const auto scrubbed = scrub(session.policy.environment, names);
  const std::string reason = scrubbed.empty() ? "no rule removes it, or one keeps it"
                                              : "removed by: " + to_text(scrubbed.front().origin);
  const auto flag = scrubbed.empty() ? std::nullopt : std::optional("env=" + command.what);
  ordered_json out{
      {"access", command.access}, {"name", command.what}, {"allowed", !flag}, {"reason", reason}};
  if (flag) {
    out["allow"] = {*flag};
  }
  const bool printed = command.output == Output::json ? print_json(out) == 0
                                                      : print(variable_text(command, reason, flag));
  if (!printed) {
    return kTrouble;
  }
  return flag ? kRefused : 0;
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

int CheckAccess::run(const Context& context, const Flags& flags) const {
  const auto kind = parse_access(access);
  if (!kind) {
    return trouble("unknown access " + quoted(access) +
                   "; it is one of read, write, exec, unix, env");
  }
  Context here = context;
  const auto config = open_config(here);
  if (!config) {
    return trouble(config.error());
  }
  const auto session =
      open_session(here, flags, Request{flags.profile.value_or("exec"), std::nullopt});
  if (!session) {
    return trouble(session.error());
  }
  if (*kind == Access::variable) {
    return check_variable(*this, *session);
  }
  const auto paths = paths_of(here, *kind, what);
  if (!paths) {
    return trouble(paths.error());
  }
  const domain::Operation operation = operation_of(*kind, *paths);
  const domain::Derivation derivation = derive(session->compiled, operation);
  const bool allowed = derivation.decision.allowed();
  const auto way = allowed ? std::optional<Way>() : std::optional(way_of(*session, operation));
  const Answer answer{*this, *session, *paths, derivation, way};
  const bool printed =
      output == Output::json ? print_json(to_json(answer)) == 0 : print(answer_text(answer));
  if (!printed) {
    return kTrouble;
  }
  return allowed ? 0 : kRefused;
}

}  // namespace pmg::app
