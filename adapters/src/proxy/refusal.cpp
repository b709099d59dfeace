#include <string>

#include "adapters/proxy/proxy.hpp"
#include "domain/ip_address.hpp"
#include "domain/network.hpp"
#include "domain/origin.hpp"

namespace pmg::adapters {
namespace {

std::string reason_by_policy(const domain::NetworkPolicy& policy, const Connection& connection) {
  using domain::NetReason;
  switch (connection.decision.reason) {
    case NetReason::denied_by_rule:
      if (const auto* rule = policy.rule(connection.decision.rule)) {
        const std::string place = rule->origin.file.empty()
                                      ? std::string(domain::to_words(rule->origin.layer))
                                      : rule->origin.file + ":" + std::to_string(rule->origin.line);
        return "denied by the rule `" + rule->text + "` (" + place + ")";
      }
      return "denied by a rule";
    case NetReason::not_of_the_internet:
      if (connection.address) {
        return "it leads to " + connection.address->text() + ", " +
               domain::to_words(connection.address->kind());
      }
      return "it leads to no address of the Internet";
    case NetReason::nothing_allows:
    case NetReason::allowed_by_rule:
      return "no rule allows it";
  }
  return "";
}

std::string reason(const domain::NetworkPolicy& policy, const Connection& connection) {
  switch (connection.refusal.value_or(Refusal::by_policy)) {
    case Refusal::by_policy:
      return reason_by_policy(policy, connection);
    case Refusal::no_name:
      return "the client does not say which host it wants";
    case Refusal::other_name:
      return "the client names another host once it is connected";
    case Refusal::encrypted_name:
      return "the name of the host may be encrypted (ECH)";
    case Refusal::unreadable:
      return "what the client sends can be read in more than one way";
  }
  return "";
}

/// An address that a name leads to is what has to be allowed.
std::string command(const Connection& connection) {
  domain::Destination to = connection.to;
  if (connection.decision.reason == domain::NetReason::not_of_the_internet && connection.address) {
    to.host = *connection.address;
  }
  return "pmg sandbox allow net-connect=" + to.text();
}

}  // namespace

std::string refusal_text(const domain::NetworkPolicy& policy, const Connection& connection) {
  std::string out = "pmg: connection to `" + connection.to.text() +
                    "` refused: " + reason(policy, connection) + "\n";
  if (connection.refusal.value_or(Refusal::by_policy) == Refusal::by_policy) {
    out += "allow it with: " + command(connection) + "\n";
  }
  return out;
}

}  // namespace pmg::adapters
