/// Policies and variables in words, for the notes of a failing property.
#pragma once

#include <string>

#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::gen {

template <class Rules>
void print_list(std::string& text, const char* name, const Rules& rules) {
  if (rules.empty()) {
    return;
  }
  text.append(name).append(": [");
  for (const auto& rule : rules) {
    text.append(" ").append(rule.value.text());
  }
  text += " ] ";
}

[[nodiscard]] inline std::string print(const domain::Policy& policy) {
  std::string text;
  print_list(text, "allow_read", policy.filesystem.allow_read);
  print_list(text, "allow_write", policy.filesystem.allow_write);
  print_list(text, "deny_read", policy.filesystem.deny_read);
  print_list(text, "deny_write", policy.filesystem.deny_write);
  print_list(text, "package_content", policy.filesystem.package_content);
  print_list(text, "allow_exec", policy.process.allow_exec);
  print_list(text, "deny_exec", policy.process.deny_exec);
  print_list(text, "unix_sockets", policy.unix_sockets);
  print_list(text, "env.allow", policy.environment.allow);
  print_list(text, "env.deny", policy.environment.deny);
  if (policy.allow_git_config == domain::Toggle::on) {
    text += "allow_git_config";
  }
  return text;
}

[[nodiscard]] inline std::string print(const domain::Variables& variables) {
  return "HOME " + variables.home.text() + " CWD " + variables.cwd.text();
}

}  // namespace pmg::gen
