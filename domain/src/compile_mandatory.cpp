// The rules that no file says: the mandatory denies, and what follows from where the run takes
// place.
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "domain/mandatory.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "rule_assembly.hpp"

namespace pmg::domain {
namespace {

using namespace std::string_view_literals;

// H1: hooks are programs that git runs outside the sandbox; nothing lifts these. They stay
// readable.
constexpr std::array kHooks{".git/hooks"sv, ".git/modules/**/hooks"sv};
// Pointers that tell git to take configuration and hooks from elsewhere (gitrepository-layout(5)).
constexpr std::array kGitPointers{".git/commondir"sv, ".git/modules/**/commondir"sv,
                                  ".git/worktrees/*/commondir"sv, ".git/worktrees/*/gitdir"sv};
constexpr std::array kGitConfigs{".git/config"sv, ".git/config.worktree"sv,
                                 ".git/modules/**/config"sv, ".git/worktrees/*/config.worktree"sv};
// Memory, keys and logs of the kernel (proc(5)).
constexpr std::array kKernelSecrets{
    "/proc/kcore"sv,      "/proc/kmsg"sv,       "/proc/vmcore"sv,     "/proc/keys"sv,
    "/proc/kpagecount"sv, "/proc/kpageflags"sv, "/proc/kpagecgroup"sv};
constexpr std::array kKernelControls{"/proc/sys/**"sv, "/proc/sysrq-trigger"sv, "/sys/**"sv};
constexpr std::array kRoots{"${CWD}/"sv, "${HOME}/"sv};
constexpr std::array kBoth{Access::read, Access::write};
constexpr std::array kWriteOnly{Access::write};

enum class OptOut { never, by_exact_literal };

Origin built_in() { return {Layer::built_in_list, {}, 0}; }
Origin repository() { return {Layer::repository, {}, 0}; }
Origin search_path() { return {Layer::search_path, {}, 0}; }

class Mandatory {
 public:
  explicit Mandatory(RuleAssembly& assembly) noexcept : assembly_(assembly) {}

  void deny_text(std::string_view text, std::span<const Access> accesses, OptOut opt_out) {
    const auto parsed = PatternTemplate::parse(text);
    if (!parsed) {  // the lists are constants, and a test parses each of them
      return;
    }
    const PathPattern pattern = parsed->expand(assembly_.surroundings().variables);
    for (const Access access : accesses) {
      deny(text, pattern, access, opt_out, built_in());
    }
  }

  void deny_path(const AbsolutePath& path, OptOut opt_out, const Origin& origin) {
    deny(path.text(), PathPattern::literal(path), Access::write, opt_out, origin);
  }

  void deny_below_roots(std::string_view name, std::span<const Access> accesses, OptOut opt_out) {
    for (const std::string_view root : kRoots) {
      deny_text(std::string(root).append(name), accesses, opt_out);
    }
  }

  void deny_everywhere(std::string_view name, std::span<const Access> accesses, OptOut opt_out) {
    deny_below_roots(name, accesses, opt_out);
    deny_text(std::string("**/").append(name), accesses, opt_out);
  }

  /// As deny_everywhere, and within the project also in package content.
  void guard_git(std::string_view name, OptOut opt_out) {
    floating_ = Reach::outside_caches;
    deny_everywhere(name, kWriteOnly, opt_out);
    floating_ = Reach::outside_packages;
  }

  /// `name` may hold globs; its first segment is literal.
  void deny_beneath(const AbsolutePath& directory, std::string_view name, OptOut opt_out,
                    const Origin& origin) {
    const auto parsed = PatternTemplate::parse(std::string("/").append(name));
    if (!parsed) {  // as in deny_text
      return;
    }
    const PathPattern relative = parsed->expand(assembly_.surroundings().variables);
    const std::string below = relative.literal_prefix().text().substr(1);
    deny(directory.text() + "/" + std::string(name),
         relative.with_literal_prefix(normalise(directory, below)), Access::write, opt_out, origin);
  }

 private:
  void deny(std::string_view text, const PathPattern& pattern, Access access, OptOut opt_out,
            const Origin& origin) {
    const bool yields = opt_out == OptOut::by_exact_literal;
    if (yields && pattern.is_literal() &&
        assembly_.is_opted_out(access, pattern.literal_prefix())) {
      return;
    }
    assembly_.deny(
        access, text, pattern, origin,
        yields && !pattern.is_literal() ? Strength::yields_to_opt_out : Strength::absolute,
        pattern.is_floating() ? floating_ : Reach::everywhere);
  }

  RuleAssembly& assembly_;
  Reach floating_ = Reach::outside_packages;
};

}  // namespace

void add_mandatory_rules(RuleAssembly& assembly, Toggle allow_git_config) {
  Mandatory mandatory(assembly);
  for (const std::string_view name : credential_names()) {
    mandatory.deny_everywhere(name, kBoth, OptOut::by_exact_literal);
  }
  for (const std::string_view name : startup_names()) {
    mandatory.deny_below_roots(name, kWriteOnly, OptOut::by_exact_literal);
  }
  for (const std::string_view name : kHooks) {
    mandatory.guard_git(name, OptOut::never);
  }
  for (const std::string_view name : kGitPointers) {
    mandatory.guard_git(name, OptOut::never);
  }
  if (allow_git_config != Toggle::on) {
    for (const std::string_view name : kGitConfigs) {
      mandatory.guard_git(name, OptOut::by_exact_literal);
    }
  }
  for (const std::string_view text : kKernelSecrets) {
    mandatory.deny_text(text, kBoth, OptOut::never);
  }
  for (const std::string_view text : kKernelControls) {
    mandatory.deny_text(text, kWriteOnly, OptOut::never);
  }
}

void add_surrounding_rules(RuleAssembly& assembly, Toggle allow_git_config) {
  const Surroundings& surroundings = assembly.surroundings();
  Mandatory mandatory(assembly);
  for (const AbsolutePath& path : surroundings.own_state) {
    mandatory.deny_path(path, OptOut::never, built_in());
  }
  for (const AbsolutePath& path : surroundings.hook_directories) {
    mandatory.deny_path(path, OptOut::never, repository());
  }
  for (const AbsolutePath& directory : surroundings.git_directories) {
    const PathPattern pattern = PathPattern::literal(directory);
    const std::string text = directory.text() + "/**";
    assembly.allow(Access::read, text, pattern, repository());
    assembly.allow(Access::write, text, pattern, repository());
    for (const std::string_view name :
         {"hooks"sv, "info"sv, "commondir"sv, "worktrees/*/commondir"sv, "worktrees/*/gitdir"sv,
          "modules/**/hooks"sv, "modules/**/commondir"sv}) {
      mandatory.deny_beneath(directory, name, OptOut::never, repository());
    }
    if (allow_git_config != Toggle::on) {
      for (const std::string_view name : {"config"sv, "config.worktree"sv,
                                          "worktrees/*/config.worktree"sv, "modules/**/config"sv}) {
        mandatory.deny_beneath(directory, name, OptOut::by_exact_literal, repository());
      }
    }
  }
  for (const AbsolutePath& directory : surroundings.search_path) {
    if (directory.is_root()) {  // would be everything
      continue;
    }
    const PathPattern pattern = PathPattern::literal(directory);
    assembly.allow(Access::exec, directory.text(), pattern, search_path());
    assembly.allow(Access::read, directory.text(), pattern, search_path());
  }
}

}  // namespace pmg::domain
