#include "run/grants.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "platform/files.hpp"
#include "platform/uapi/landlock.hpp"
#include "run/loader.hpp"

namespace pmg::adapters {
namespace {

using domain::AbsolutePath;
using platform::OsError;
using platform::UniqueFd;

constexpr std::uint64_t kRun = platform::uapi::kFsExecute | platform::uapi::kFsReadFile;

bool exists(const AbsolutePath& path) {
  return platform::status_at(AT_FDCWD, path.text().c_str()).has_value();
}

// The path itself, or its closest existing ancestor where the policy may create what is missing.
std::optional<AbsolutePath> grantable(const domain::CompiledPolicy& policy, AbsolutePath path) {
  if (exists(path)) {
    return path;
  }
  AbsolutePath missing = path;
  while (!exists(path) && !path.is_root()) {
    missing = path;
    path = path.parent();
  }
  const auto decision = domain::decide(
      policy, domain::Create{domain::PathView(missing), domain::NodeKind::directory});
  return decision.allowed() ? std::optional(path) : std::nullopt;
}

// True where a pattern means its literal start and everything beneath, and nothing narrower.
bool covers_prefix(const domain::PathPattern& pattern) {
  return pattern.covers_subtree() &&
         (pattern.is_literal() || pattern.segments().size() == pattern.literal_prefix_length() + 1);
}

bool covered(const std::vector<ExecGrant>& grants, const AbsolutePath& path) {
  return std::any_of(grants.begin(), grants.end(),
                     [&](const ExecGrant& grant) { return path.is_within(grant.path); });
}

/// Adds rules to one ruleset, leaving the carve-outs alone.
class Granter {
 public:
  Granter(const UniqueFd& ruleset, const std::vector<AbsolutePath>& carve_outs)
      : ruleset_(ruleset), carve_outs_(carve_outs) {}

  /// A file, through the symlinks that lead to it. Nothing but a file: the name stands in a program
  /// that the project may have brought along, and on a directory the rule would hold beneath it.
  tl::expected<void, OsError> grant_followed(const AbsolutePath& path) {
    const auto object = platform::open_at(AT_FDCWD, path.text().c_str(), O_PATH, 0);
    const auto info = object ? platform::status_of(object->get()) : tl::unexpected(object.error());
    return info && S_ISREG(info->st_mode) ? platform::add_rule(ruleset_, object->get(), kRun)
                                          : tl::expected<void, OsError>{};
  }

  tl::expected<void, OsError> grant(const AbsolutePath& path) {
    if (std::find(carve_outs_.begin(), carve_outs_.end(), path) != carve_outs_.end()) {
      return {};
    }
    const bool whole =
        std::none_of(carve_outs_.begin(), carve_outs_.end(),
                     [&](const AbsolutePath& denied) { return denied.is_within(path); });
    return whole ? grant_whole(path) : grant_entries(path);
  }

 private:
  tl::expected<void, OsError> grant_whole(const AbsolutePath& path) {
    // A symlink grants nothing by itself: rules carry the canonical path as well.
    const auto object = platform::open_at(AT_FDCWD, path.text().c_str(), O_PATH | O_NOFOLLOW, 0);
    if (!object) {
      return {};  // gone meanwhile, or not ours to reach: then it is not executed either
    }
    const auto info = platform::status_of(object->get());
    if (!info || !(S_ISDIR(info->st_mode) || S_ISREG(info->st_mode))) {
      return {};
    }
    return platform::add_rule(ruleset_, object->get(), kRun);
  }

  tl::expected<void, OsError> grant_entries(const AbsolutePath& directory) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory.text().c_str()),
                                                      &::closedir);
    if (!entries) {
      return {};
    }
    while (const dirent* const entry = ::readdir(entries.get())) {
      const std::string_view name(entry->d_name);  // NOLINT: NUL-terminated by readdir(3)
      if (name == "." || name == "..") {
        continue;
      }
      if (auto done = grant(domain::normalise(directory, name)); !done) {
        return done;
      }
    }
    return {};
  }

  const UniqueFd& ruleset_;
  const std::vector<AbsolutePath>& carve_outs_;
};

}  // namespace

std::vector<ExecGrant> plan_exec_grants(const domain::CompiledPolicy& policy) {
  struct Candidate {
    AbsolutePath prefix;
    domain::RuleId rule;
  };
  std::vector<Candidate> candidates;
  for (std::uint32_t index = 0; index < policy.rules().size(); ++index) {
    const domain::Rule& rule = policy.rules()[index];
    if (rule.effect == domain::Effect::allow && rule.access == domain::Access::exec) {
      candidates.push_back({rule.pattern.literal_prefix(), domain::RuleId{index}});
    }
  }
  // Short paths first, so that what lies beneath another grant drops out unseen.
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.prefix.text().size() < b.prefix.text().size();
  });
  std::vector<ExecGrant> grants;
  for (const Candidate& candidate : candidates) {
    if (covered(grants, candidate.prefix)) {
      continue;
    }
    auto path = grantable(policy, candidate.prefix);
    if (path && !covered(grants, *path)) {
      const bool is_exact =
          *path == candidate.prefix && covers_prefix(policy.rules()[candidate.rule.index].pattern);
      grants.push_back({std::move(*path), candidate.rule,
                        is_exact ? ExecGrant::Fit::exact : ExecGrant::Fit::wider});
    }
  }
  return grants;
}

std::vector<AbsolutePath> plan_loaders(const std::vector<ExecGrant>& grants) {
  // Our own loader is the system's, which the programs of granted directories have, too.
  std::vector<AbsolutePath> loaders;
  const auto add = [&loaders](const AbsolutePath& program) {
    const auto loader = loader_of(program);
    if (loader && std::find(loaders.begin(), loaders.end(), *loader) == loaders.end()) {
      loaders.push_back(*loader);
    }
  };
  add(domain::normalise(AbsolutePath::root(), "/proc/self/exe"));
  for (const ExecGrant& grant : grants) {
    const auto info = platform::status_at(AT_FDCWD, grant.path.text().c_str());
    if (info && S_ISREG(info->st_mode)) {
      add(grant.path);
    }
  }
  return loaders;
}

std::vector<AbsolutePath> plan_exec_carve_outs(const domain::CompiledPolicy& policy,
                                               const std::vector<ExecGrant>& grants) {
  std::vector<AbsolutePath> carve_outs;
  for (const domain::Rule& rule : policy.rules()) {
    if (rule.effect == domain::Effect::deny && rule.access == domain::Access::exec &&
        rule.pattern.is_literal()) {
      AbsolutePath path = rule.pattern.literal_prefix();
      if (covered(grants, path) && exists(path)) {
        carve_outs.push_back(std::move(path));
      }
    }
  }
  return carve_outs;
}

tl::expected<UniqueFd, OsError> make_domain(platform::LandlockAbi abi,
                                            const std::vector<ExecGrant>& grants,
                                            const std::vector<AbsolutePath>& loaders,
                                            const std::vector<AbsolutePath>& carve_outs) {
  auto ruleset = platform::create_ruleset(abi);
  if (!ruleset) {
    return ruleset;
  }
  Granter granter(*ruleset, carve_outs);
  for (const AbsolutePath& loader : loaders) {
    if (auto done = granter.grant_followed(loader); !done) {
      return tl::unexpected(done.error());
    }
  }
  for (const ExecGrant& grant : grants) {
    if (auto done = granter.grant(grant.path); !done) {
      return tl::unexpected(done.error());
    }
  }
  return ruleset;
}

}  // namespace pmg::adapters
