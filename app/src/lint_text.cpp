#include "lint_text.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "colour.hpp"
#include "domain/lint.hpp"
#include "domain/pattern.hpp"
#include "domain/policy_field.hpp"
#include "messages.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

using domain::Finding;
using domain::LintCode;
using domain::LintLevel;
using domain::PolicyField;

/// "deny_read", or all of it where the last word alone would not say what it is.
std::string short_key(PolicyField field) {
  const std::string_view key = domain::key_of(field);
  const bool is_clear = !key.starts_with("environment.") && !key.starts_with("unix_sockets.");
  return std::string(is_clear ? key.substr(key.rfind('.') + 1) : key);
}

/// "deny_read `/x` (p.yml:3)", or "… (built-in list)".
std::string other_text(const domain::LintOther& other) {
  const bool is_built_in = other.origin.file.empty();
  return short_key(other.field) + " " + app::quoted(other.rule) +
         (is_built_in ? "" : " (" + to_text(other.origin) + ")");
}

std::string other_of(const Finding& finding) {
  return finding.other ? other_text(*finding.other) : std::string();
}

std::string allow_deny_text(const Finding& finding) {
  if (finding.field == PolicyField::deny_env) {
    return "removes nothing: " + other_of(finding) + " lets all of it pass, and an allow wins here";
  }
  if (finding.field == PolicyField::allow_outbound) {
    return "allows nothing: " + other_of(finding) + " is the same address, and a tie is a deny";
  }
  const bool reads = finding.field == PolicyField::allow_write;
  return "contradicts " + other_of(finding) + ", which denies all of it; a deny wins" +
         (reads ? ", so this allows at most reading" : "");
}

std::string_view named_breadth(LintCode code) noexcept {
  switch (code) {
    case LintCode::broad_root:
      return "the whole file system";
    case LintCode::broad_all:
      return "every path there is";
    case LintCode::broad_home:
      return "a whole home directory";
    default:
      return "a directory of the system";
  }
}

std::string breadth_text(const Finding& finding) {
  std::string out = "is too broad: it ";
  switch (finding.field) {
    case PolicyField::allow_write:
      out += "makes ";
      break;
    case PolicyField::allow_exec:
      return out + "lets every program run in " + std::string(named_breadth(finding.code));
    case PolicyField::unix_sockets:
      return out + "lets every socket be connected to in " +
             std::string(named_breadth(finding.code));
    case PolicyField::package_content:
      return out + "takes " + std::string(named_breadth(finding.code)) +
             " for installed packages, where `**/.env` and the like are not denied";
    default:
      return out + "lets " + std::string(named_breadth(finding.code)) +
             " be read, and no deny_read keeps anything at home back";
  }
  return out + std::string(named_breadth(finding.code)) + " writable";
}

std::string message_of(const Finding& finding) {
  switch (finding.code) {
    case LintCode::allow_deny:
      return allow_deny_text(finding);
    case LintCode::shadowed:
      return "is dead: " + other_of(finding) + " covers it";
    case LintCode::denied:
      return "is dead: " + other_of(finding) + " denies all of it";
    case LintCode::mandatory:
      return "has no effect: every policy denies " + other_of(finding) +
             ", and only a rule for exactly that path lifts it";
    case LintCode::mandatory_never:
      return "has no effect: every policy denies " + other_of(finding) + ", and nothing lifts that";
    case LintCode::matches_nothing:
      return "can match nothing";
    case LintCode::nothing_to_deny:
      return "denies what no rule allows to run (unless a directory of PATH holds it)";
    case LintCode::protected_name:
      return "has no effect: the variable is never removed";
    case LintCode::broad_root:
    case LintCode::broad_all:
    case LintCode::broad_home:
    case LintCode::broad_system:
      return breadth_text(finding);
    case LintCode::secret_by_glob:
      return "lets secrets pass that no rule names, such as " +
             app::quoted(finding.other ? finding.other->rule : "");
    case LintCode::no_lockdown:
      return "holds only for programs that use the proxy, since `network_via_proxy_only` is not "
             "set";
    case LintCode::dns_no_lockdown:
      return "has no effect: it is an exception from `network_via_proxy_only`, which is not on";
  }
  return {};
}

std::string advice_of(LintCode code) {
  switch (code) {
    case LintCode::allow_deny:
      return "remove one of the two";
    case LintCode::shadowed:
    case LintCode::denied:
      return "remove it; no decision changes";
    case LintCode::mandatory:
      return "write the path itself, without wildcard, if it is really to be allowed";
    case LintCode::mandatory_never:
    case LintCode::protected_name:
      return "remove it";
    case LintCode::matches_nothing:
      return "look for a set such as `[b-a]`, a path below a device, or a device that is not "
             "written out";
    case LintCode::nothing_to_deny:
      return "it still denies reading; remove it if that is not meant";
    case LintCode::broad_root:
    case LintCode::broad_all:
    case LintCode::broad_home:
    case LintCode::broad_system:
      return "name the directories that are needed";
    case LintCode::secret_by_glob:
      return "name each variable that is to pass; a secret that is named is meant";
    case LintCode::no_lockdown:
      return "set `network_via_proxy_only: true`, or `false` if that is meant";
    case LintCode::dns_no_lockdown:
      return "set `network_via_proxy_only: true`, or remove it";
  }
  return {};
}

std::string_view word_of(LintLevel level) noexcept {
  switch (level) {
    case LintLevel::error:
      return "error";
    case LintLevel::warning:
      return "warning";
    case LintLevel::note:
      return "note";
  }
  return "";
}

Colour colour_of(LintLevel level) noexcept {
  switch (level) {
    case LintLevel::error:
      return Colour::red;
    case LintLevel::warning:
      return Colour::yellow;
    case LintLevel::note:
      return Colour::cyan;
  }
  return Colour::cyan;
}

bool is_unknown_variable(const adapters::LoadError& error) {
  const auto* pattern = std::get_if<domain::PatternError>(&error.cause);
  return pattern != nullptr && pattern->code == domain::PatternErrc::unknown_variable;
}

Remark remark_of(const Finding& finding, const adapters::LoadedProfile& profile) {
  Remark remark{finding.level,
                domain::name_of(finding.code),
                profile.path.empty() ? profile.name : profile.path,
                finding.origin.line,
                finding.origin.column,
                domain::key_of(finding.field),
                finding.rule,
                {},
                advice_of(finding.code)};
  if (finding.rule.empty()) {  // a switch has no place of its own
    const adapters::Mark mark = adapters::mark_of_key(profile.text, domain::key_of(finding.field));
    remark.line = mark.line;
    remark.column = mark.column;
  }
  const std::string subject = finding.rule.empty()
                                  ? short_key(finding.field)
                                  : short_key(finding.field) + " " + app::quoted(finding.rule);
  remark.message = subject + " " + message_of(finding);
  return remark;
}

}  // namespace

std::vector<Remark> remarks_of(const adapters::LoadError& error) {
  adapters::LoadError bare = error;
  bare.file.clear();
  bare.mark = {};
  return {{LintLevel::error,
           is_unknown_variable(error) ? "vars.unresolved" : "schema.invalid",
           error.file,
           error.mark.line,
           error.mark.column,
           {},
           error.subject,
           visible(to_message(bare)),
           {}}};
}

std::vector<Remark> lint_profile(const adapters::ProfileRegistry& registry,
                                 const adapters::LoadedProfile& profile) {
  const auto parent = adapters::resolve_parent(profile);
  if (!parent) {
    return remarks_of(parent.error());
  }
  if (const auto resolved = registry.resolve(profile); !resolved) {
    return remarks_of(resolved.error());
  }
  std::vector<Remark> remarks;
  for (const Finding& finding : domain::lint(profile.policy, *parent)) {
    remarks.push_back(remark_of(finding, profile));
  }
  return remarks;
}

std::string lines_of(const std::vector<Remark>& remarks, const Paint& paint, Detail detail) {
  std::string out;
  for (const Remark& remark : remarks) {
    out += visible(remark.file);
    if (remark.line != 0) {
      out += ":" + std::to_string(remark.line) + ":" + std::to_string(remark.column);
    }
    out += ": " + paint(word_of(remark.level), colour_of(remark.level)) + ": " + remark.message +
           " [" + remark.code + "]\n";
    if (detail == Detail::with_advice && !remark.advice.empty()) {
      out += "  " + remark.advice + "\n";
    }
  }
  return out;
}

nlohmann::ordered_json to_json(const std::vector<Remark>& remarks) {
  nlohmann::ordered_json issues = nlohmann::ordered_json::array();
  for (const Remark& remark : remarks) {
    nlohmann::ordered_json issue{
        {"level", word_of(remark.level)}, {"code", remark.code}, {"message", remark.message}};
    const auto add_text = [&issue](const char* key, const std::string& text) {
      if (!text.empty()) {
        issue[key] = text;
      }
    };
    const auto add_number = [&issue](const char* key, std::uint32_t number) {
      if (number != 0) {
        issue[key] = number;
      }
    };
    add_text("field", remark.field);
    add_text("rule", remark.rule);
    add_number("line", remark.line);
    add_number("column", remark.column);
    add_text("advice", remark.advice);
    issues.push_back(std::move(issue));
  }
  return issues;
}

}  // namespace pmg::app
