/// A policy in a few strings, and questions to it in words.
///
///   World world;
///   world.write({"${CWD}/**"}).deny_read({"**/*.key"});
///   world.ask(Read{at("/home/u/p/x.key")}).reason
///
/// HOME is /home/u, CWD is /home/u/p. Not for: malformed patterns, which fail the test at once.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::domain {

inline std::ostream& operator<<(std::ostream& out, Reason reason) {
  switch (reason) {
    case Reason::allowed_by_rule:
      return out << "allowed_by_rule";
    case Reason::nothing_allows:
      return out << "nothing_allows";
    case Reason::denied_by_rule:
      return out << "denied_by_rule";
    case Reason::guards_denied_path:
      return out << "guards_denied_path";
    case Reason::leaves_its_rules:
      return out << "leaves_its_rules";
    case Reason::unreadable_source:
      return out << "unreadable_source";
    case Reason::device_needs_own_rule:
      return out << "device_needs_own_rule";
    case Reason::may_mean_denied_name:
      return out << "may_mean_denied_name";
  }
  return out;
}

}  // namespace pmg::domain

namespace pmg::tests {

using Texts = std::initializer_list<std::string_view>;

/// Both forms of a path in use.
inline domain::PathUse at(std::string_view both) { return {domain::PathView::unsafe_from(both)}; }
inline domain::PathUse at(std::string_view real, std::string_view spelled) {
  return {domain::PathView::unsafe_from(real), domain::PathView::unsafe_from(spelled)};
}

class World {
 public:
  domain::Policy policy;
  domain::Surroundings surroundings{
      {place("/home/u"), place("/home/u/p"), place("/tmp")}, {}, {}, {}, {}, {}, {}};

  World& read(Texts texts) { return add(policy.filesystem.allow_read, texts); }
  World& write(Texts texts) { return add(policy.filesystem.allow_write, texts); }
  World& exec(Texts texts) { return add(policy.process.allow_exec, texts); }
  World& deny_read(Texts texts) { return add(policy.filesystem.deny_read, texts); }
  World& deny_write(Texts texts) { return add(policy.filesystem.deny_write, texts); }
  World& deny_exec(Texts texts) { return add(policy.process.deny_exec, texts); }
  World& unix_sockets(Texts texts) { return add(policy.unix_sockets, texts); }
  World& packages(Texts texts) { return add(policy.filesystem.package_content, texts); }

  /// `link` is a symlink to `target`, both absolute.
  World& symlink(std::string_view link, std::string_view target) {
    links_[std::string(link)] = std::string(target);
    const auto links = links_;
    surroundings.canonical = [links](const domain::AbsolutePath& path) {
      return resolve(links, path);
    };
    compiled_.reset();
    return *this;
  }

  /// `link` leads to each of `places` in turn, the last of which may not be there.
  World& chain(std::string_view link, Texts places) {
    chains_[std::string(link)] = std::vector<std::string>(places.begin(), places.end());
    surroundings.links = [chains = chains_](const domain::AbsolutePath& path) {
      std::vector<domain::AbsolutePath> result;
      if (const auto found = chains.find(path.text()); found != chains.end()) {
        for (const std::string& text : found->second) {
          result.push_back(place(text));
        }
      }
      return result;
    };
    compiled_.reset();
    return *this;
  }

  [[nodiscard]] const domain::CompiledPolicy& compiled() {
    if (!compiled_) {
      auto result = compile(policy, surroundings);
      REQUIRE(result.has_value());
      compiled_.emplace(std::move(*result));
    }
    return *compiled_;
  }
  [[nodiscard]] domain::Decision ask(const domain::Operation& operation) {
    return decide(compiled(), operation);
  }
  [[nodiscard]] domain::Reason reason(const domain::Operation& operation) {
    return ask(operation).reason;
  }
  /// The text of the rule behind a decision; empty where there is none.
  [[nodiscard]] std::string rule(const domain::Operation& operation) {
    const domain::Rule* rule = compiled().rule(ask(operation).rule);
    return rule == nullptr ? std::string() : rule->text;
  }

  [[nodiscard]] static domain::AbsolutePath place(std::string_view text) {
    const auto path = domain::AbsolutePath::parse(text);
    REQUIRE(path.has_value());
    return *path;
  }

 private:
  using Links = std::map<std::string, std::string>;

  static domain::AbsolutePath resolve(const Links& links, const domain::AbsolutePath& path) {
    if (path.is_root()) {
      return path;
    }
    const domain::AbsolutePath here =
        domain::normalise(resolve(links, path.parent()), path.filename());
    const auto link = links.find(here.text());
    return link == links.end() ? here : resolve(links, place(link->second));
  }

  World& add(domain::PathRules& rules, Texts texts) {
    for (const std::string_view text : texts) {
      auto pattern = domain::PatternTemplate::parse(text);
      REQUIRE(pattern.has_value());
      rules.push_back({*pattern, {domain::Layer::profile, "test.yml", 1}});
    }
    compiled_.reset();
    return *this;
  }

  Links links_;
  std::map<std::string, std::vector<std::string>> chains_;
  std::optional<domain::CompiledPolicy> compiled_;
};

}  // namespace pmg::tests
