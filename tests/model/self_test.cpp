#include "model/self_test.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "gen/world.hpp"
#include "model/campaign.hpp"
#include "model/compare.hpp"

namespace pmg::model {
namespace {

using domain::Policy;
using Sort = Finding::Sort;

/// What is done to the policy before the broker gets it, and what must be noticed.
struct Mistake {
  const char* name;
  void (*make)(Policy&);
  Sort noticed_as;
};

constexpr std::array kMistakes{
    Mistake{"deny_write is dropped", [](Policy& policy) { policy.filesystem.deny_write.clear(); },
            Sort::weaker},
    Mistake{"deny_read is dropped", [](Policy& policy) { policy.filesystem.deny_read.clear(); },
            Sort::weaker},
    Mistake{"deny_exec is dropped", [](Policy& policy) { policy.process.deny_exec.clear(); },
            Sort::weaker},
    Mistake{"`**/.env` is package content",
            [](Policy& policy) {
              policy.filesystem.package_content.push_back({gen::template_of("**/.env/**"), {}});
            },
            Sort::weaker},
    Mistake{"the working directory is writable",
            [](Policy& policy) {
              policy.filesystem.allow_write.push_back({gen::template_of("${CWD}"), {}});
            },
            Sort::weaker},
    Mistake{"nothing is readable but what is writable",
            [](Policy& policy) { policy.filesystem.allow_read.clear(); }, Sort::stricter},
    Mistake{"`**/a` is not writable",
            [](Policy& policy) {
              policy.filesystem.deny_write.push_back({gen::template_of("**/a"), {}});
            },
            Sort::stricter},
};

constexpr std::uint64_t kSeed = 77;
constexpr std::uint64_t kMostWorlds = 60;

// How many worlds it takes until the mistake is noticed; 0: never.
std::uint64_t worlds_until_noticed(const Mistake& mistake, const Sites& sites, Tally& tally) {
  for (std::uint64_t number = 0; number < kMostWorlds; ++number) {
    const gen::Bytes bytes = bytes_of(kSeed, number);
    gen::Choices choices(bytes);
    const World world = draw_world(choices, sites);
    Policy enforced = world.policy;
    mistake.make(enforced);
    if (enforced == world.policy) {
      continue;
    }
    const auto finding = compare(world, enforced, sites, tally);
    if (finding && finding->sort == mistake.noticed_as) {
      return number + 1;
    }
  }
  return 0;
}

// What operations leave behind is looked for in the whole tree.
std::string check_tree(const Sites& sites) {
  std::error_code error;
  for (const std::string& directory : {sites.root, sites.spare}) {
    std::filesystem::remove_all(directory, error);
    std::filesystem::create_directory(directory, error);
  }
  Tree tree(sites.root, sites.spare);
  const std::array places{sites.root + "/a", sites.root + "/b"};
  tree.plan(places[0], {.text = "text"});
  if (!tree.build(Birth::early).empty() || !tree.find_change().empty()) {
    return "a tree differs from itself\n";
  }
  std::filesystem::rename(places[0], places[1], error);
  if (tree.find_change().empty()) {
    return "a renamed file is not noticed\n";
  }
  (void)tree.restore(places);
  if (!tree.find_change().empty()) {
    return "a renamed file does not come back\n";
  }
  std::ofstream(places[0]) << "longer text";
  return tree.find_change().empty() ? "a changed file is not noticed\n" : "";
}

}  // namespace

std::string self_test(const Sites& sites) {
  const auto tally = std::make_unique<Tally>();
  std::string failed = check_tree(sites);
  for (const Mistake& mistake : kMistakes) {
    const std::uint64_t worlds = worlds_until_noticed(mistake, sites, *tally);
    if (worlds == 0) {
      failed.append("not noticed: ").append(mistake.name).append("\n");
    } else {
      (void)std::printf("self-test: noticed in world %llu: %s\n",
                        static_cast<unsigned long long>(worlds), mistake.name);
    }
  }
  return failed;
}

}  // namespace pmg::model
