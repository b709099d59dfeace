#include "model/world.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "gen/model.hpp"
#include "gen/world.hpp"
#include "model/resolve.hpp"

namespace pmg::model {
namespace {

using domain::AbsolutePath;
using domain::PathRules;
using domain::PatternTemplate;
using domain::Policy;
using std::string_view_literals::operator""sv;

/// Names that rules speak about, near misses, and names that are hard to write down.
constexpr std::array kNames{
    "a"sv,        "b"sv,         "ab"sv,           ".env"sv,        ".git"sv,  "hooks"sv,
    ".ssh"sv,     "config"sv,    "modules"sv,      ".bashrc"sv,     "x"sv,     ".sshfoo"sv,
    ".envx"sv,    ".env.x"sv,    "node_modules"sv, "[ab]"sv,        "a*"sv,    "a\nb"sv,
    "\xff\xfe"sv, "commondir"sv, "worktrees"sv,    "a (deleted)"sv, ".npmrc"sv};
constexpr std::array kGlobs{"*"sv, "a*"sv, "?"sv, "[ab]"sv, "*b"sv, ".env*"sv, "**"sv, "*o*"sv};
constexpr std::size_t kLongestPath = 95;  // sockets are bound by absolute paths too (sun_path)
constexpr std::size_t kMostNodes = 28;

domain::Variables no_variables() {
  return {AbsolutePath::root(), AbsolutePath::root(), AbsolutePath::root()};
}

class Drawing {
 public:
  Drawing(gen::Choices& choices, const Sites& sites)
      : c_(choices), sites_(sites), world_{{}, no_variables(), {}, {}, {}, 0} {}

  World run() && {
    world_.salt = c_.byte();
    lay_out();
    draw_policy();
    let_probe_start(world_.policy, world_.variables, sites_.probe);
    for (std::size_t left = c_.below(kMostNodes); left > 0; --left) {
      add_node();
    }
    const std::string project = directories_[1];
    world_.cwd = c_.one_in(4) ? a_directory() : project;
    if (world_.nodes.at(world_.cwd).birth == Birth::late) {
      world_.cwd = project;
    }
    add_missing();
    return std::move(world_);
  }

 private:
  void lay_out() {
    const std::string home = sites_.root + "/home";
    const std::string temporary = sites_.root + "/tmp";
    const std::string_view name = c_.one_in(4) ? c_.pick(gen::kOddNames) : "proj"sv;
    const std::string cwd = joined(c_.one_in(4) ? sites_.root : home, name);
    world_.variables = {gen::as_path(home), gen::as_path(cwd), gen::as_path(temporary)};
    for (const std::string& path : {home, cwd, temporary}) {
      add(path, {.kind = Kind::directory});
    }
    if (c_.one_in(6)) {
      world_.variables.home = gen::as_path(add_alias("/h", home));
    }
    if (c_.one_in(6)) {
      world_.variables.cwd = gen::as_path(add_alias("/c", cwd));
    }
  }

  // Another name of a directory: what PWD and HOME may be.
  std::string add_alias(const char* name, const std::string& target) {
    std::string path = sites_.root + name;
    add(path,
        {.kind = Kind::symlink, .text = c_.one_in(2) ? target : relative(sites_.root, target)});
    return path;
  }

  void add_missing() {
    constexpr std::size_t kMost = 6;
    for (std::size_t i = 0; i < kMost; ++i) {
      std::string path = a_path();
      const auto parent = world_.nodes.find(parent_of(path));
      const bool fits = path.size() <= kLongestPath && !world_.nodes.contains(path) &&
                        parent != world_.nodes.end() && parent->second.kind == Kind::directory;
      if (fits &&
          std::find(world_.missing.begin(), world_.missing.end(), path) == world_.missing.end()) {
        world_.missing.push_back(std::move(path));
      }
    }
  }

  void add(const std::string& path, Node node) {
    if (node.kind == Kind::directory) {
      directories_.push_back(path);
    }
    paths_.push_back(path);
    world_.nodes[path] = std::move(node);
  }

  const std::string& a_directory() { return directories_[c_.below(directories_.size())]; }

  // --- the policy

  PatternTemplate pattern() {
    const std::array<std::string, 4> starts{"${CWD}/", "${HOME}/", "**/", sites_.root + "/"};
    std::string text = starts.at(c_.below(starts.size()));
    constexpr std::size_t kLongest = 3;  // an automaton has met every kind of edge by then
    for (std::size_t i = 0; i < kLongest; ++i) {
      text += c_.one_in(4) ? c_.pick(kGlobs) : c_.pick(kNames);
      if (!c_.one_in(2)) {
        break;
      }
      text += '/';
    }
    return gen::template_of(c_.one_in(4) ? text + "/**" : text);
  }

  PathRules rules(std::size_t most) {
    return gen::list_of(c_, most, [this](gen::Choices&) { return pattern(); });
  }

  // Something broad first, or next to nothing would be allowed. Never more than the tree: the
  // broker runs with our own rights.
  PathRules grants() {
    const std::array<std::string, 8> broad{"${CWD}",     sites_.root,       "${HOME}",
                                           sites_.root,  "${CWD}/**",       sites_.root,
                                           "${HOME}/**", sites_.root + "/*"};
    PathRules list = rules(3);
    if (!c_.one_in(8)) {
      list.push_back({gen::template_of(broad.at(c_.below(broad.size()))), {}});
    }
    return list;
  }

  void draw_policy() {
    constexpr std::array kPackages{"**/node_modules/**"sv, "${CWD}/node_modules/**"sv, "**/a/**"sv};
    constexpr std::array kReads{"/"sv, "**"sv, "/dev/null"sv, "/dev"sv};
    Policy& policy = world_.policy;
    policy.name = "world";
    policy.package_managers = {"npm"};
    policy.filesystem.allow_write = grants();
    policy.filesystem.allow_read = grants();
    if (c_.one_in(2)) {
      policy.filesystem.allow_read.push_back({gen::template_of(std::string(c_.pick(kReads))), {}});
    }
    policy.process.allow_exec = grants();
    policy.filesystem.deny_read = rules(2);
    policy.filesystem.deny_write = rules(2);
    policy.process.deny_exec = rules(2);
    policy.unix_sockets = c_.one_in(2) ? grants() : rules(2);
    if (c_.one_in(3)) {
      policy.filesystem.package_content.push_back(
          {gen::template_of(std::string(c_.pick(kPackages))), {}});
    }
    if (c_.one_in(4)) {
      policy.allow_git_config = domain::Toggle::on;
    }
  }

  // --- the tree

  const PathRules& a_list() {
    const Policy& policy = world_.policy;
    const std::array lists{&policy.filesystem.deny_write,      &policy.filesystem.deny_read,
                           &policy.filesystem.allow_write,     &policy.filesystem.allow_read,
                           &policy.filesystem.package_content, &policy.process.allow_exec,
                           &policy.process.deny_exec,          &policy.unix_sockets};
    return *lists.at(c_.below(lists.size()));
  }

  std::string a_path() {
    const std::string directory = a_directory();
    if (!c_.one_in(2)) {
      return joined(directory, c_.pick(kNames));
    }
    const PathRules& list = a_list();
    if (list.empty()) {
      return joined(directory, c_.pick(kNames));
    }
    const auto& rule = list[c_.below(list.size())];
    std::string path = gen::path_near(c_, rule.value.expand(world_.variables)).text();
    if (path.starts_with(sites_.root + "/")) {
      return path;
    }
    const bool is_above = path == "/" || path.starts_with(parent_of(sites_.root));
    return joined(directory, is_above ? c_.pick(kNames) : path.substr(1));  // of a floating pattern
  }

  // The directories that lead to a path; false if something else stands there.
  bool make_parents(const std::string& path) {
    const std::string parent = parent_of(path);
    if (parent == sites_.root) {
      return true;
    }
    const auto found = world_.nodes.find(parent);
    if (found != world_.nodes.end()) {
      return found->second.kind == Kind::directory;
    }
    if (!parent.starts_with(sites_.root + "/") || !make_parents(parent)) {
      return false;
    }
    add(parent, {.kind = Kind::directory, .birth = birth_beneath(parent)});
    return true;
  }

  Birth birth_beneath(const std::string& path) const {
    const auto parent = world_.nodes.find(parent_of(path));
    return parent == world_.nodes.end() ? Birth::early : parent->second.birth;
  }

  std::string a_target(const std::string& path) {
    constexpr std::array kOdd{"."sv, ".."sv, "/proc/self/cwd"sv, "/"sv, "a/.."sv, "../b/"sv};
    const std::string& other = paths_[c_.below(paths_.size())];
    switch (c_.below(6)) {
      case 0:
      case 1:
        return relative(parent_of(path), other);
      case 2:
        return other;
      case 3:
        return joined(other, c_.pick(kNames));  // dangling, mostly
      case 4:
        return std::string(c_.pick(kNames));  // also itself
      default:
        return std::string(c_.pick(kOdd));
    }
  }

  // A script names an interpreter without blanks: binfmt_script would end the path there.
  std::string a_content() {
    const std::string& other = paths_[c_.below(paths_.size())];
    switch (c_.below(6)) {
      case 4:
        return "text\n";
      case 5:
        return other.find_first_of(" \t\n") == std::string::npos ? "#!" + other + "\n" : "text\n";
      default:
        return program_text();
    }
  }

  Node draw_node(const std::string& path) {
    switch (c_.below(12)) {
      case 4:
      case 5:
        return {.kind = Kind::directory};
      case 6:
      case 7:
      case 8:
        return {.kind = Kind::symlink, .text = a_target(path)};
      case 9: {
        const std::string& other = paths_[c_.below(paths_.size())];
        const Node& node = world_.nodes.at(other);
        return node.kind == Kind::file
                   ? Node{.birth = node.birth, .text = node.text, .same_as = other}
                   : Node{.text = a_content()};
      }
      case 10:
        return {.kind = Kind::fifo};
      case 11:
        return {.kind = Kind::socket};
      default:
        return {.text = a_content()};
    }
  }

  void add_node() {
    const std::string path = a_path();
    const bool fits = path.size() <= kLongestPath && !world_.nodes.contains(path);
    if (!fits || !make_parents(path)) {
      return;
    }
    Node node = draw_node(path);
    if (c_.one_in(5) || birth_beneath(path) == Birth::late) {
      node.birth = Birth::late;
    }
    // A hard link to what is made later is made later, and to what is a hard link already, to its
    // object.
    if (!node.same_as.empty() && !world_.nodes.at(node.same_as).same_as.empty()) {
      node.same_as = world_.nodes.at(node.same_as).same_as;
    }
    add(path, std::move(node));
  }

  gen::Choices& c_;
  const Sites& sites_;
  World world_;
  std::vector<std::string> directories_;
  std::vector<std::string> paths_;
};

}  // namespace

World draw_world(gen::Choices& choices, const Sites& sites) {
  return Drawing(choices, sites).run();
}

void let_probe_start(Policy& policy, const domain::Variables& variables, const std::string& probe) {
  const AbsolutePath path = gen::as_path(probe);
  for (PathRules* const list : {&policy.filesystem.deny_read, &policy.process.deny_exec}) {
    std::erase_if(
        *list, [&](const auto& rule) { return covers_wide(rule.value.expand(variables), path); });
  }
  policy.process.allow_exec.push_back({gen::template_of(probe), {}});
}

}  // namespace pmg::model
