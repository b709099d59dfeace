/// What one decision costs, at 10 rules and at 10,000: by the names as they are, and by folded
/// ones.
///
///   bench_decide        prints the median of several rounds; fails above 1 µs in an optimised
///   build
///
/// Not for: comparing machines. It is a gate against a decision that grows with the number of
/// rules.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/folded_policy.hpp"
#include "domain/operation.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace {

using namespace pmg::domain;

constexpr double kLimitNs = 1000;
constexpr int kRounds = 15;
constexpr int kDecisionsPerRound = 40000;

#ifdef __OPTIMIZE__
constexpr bool kIsOptimised = true;
#else
constexpr bool kIsOptimised = false;
#endif

AbsolutePath path(std::string_view text) { return normalise(AbsolutePath::root(), text); }

Sourced<PatternTemplate> rule(const std::string& text) {
  return {*PatternTemplate::parse(text), Origin{Layer::profile, "bench.yml", 1}};
}

/// The shapes that profiles have, in equal parts; half of the globs and floating rules are denies.
Policy policy_of(int rules) {
  Policy policy;
  policy.filesystem.allow_read.push_back(rule("/"));
  policy.filesystem.allow_write.push_back(rule("${CWD}/**"));
  for (int i = 0; i < rules; ++i) {
    const std::string n = std::to_string(i);
    switch (i % 6) {
      case 0:
        policy.filesystem.allow_write.push_back(rule("/srv/data/file" + n));
        break;
      case 1:
        policy.filesystem.allow_write.push_back(rule("${HOME}/.cache/tool" + n + "/**"));
        break;
      case 2:
        policy.filesystem.deny_read.push_back(rule("**/secret" + n));
        break;
      case 3:
        policy.filesystem.deny_write.push_back(rule("**/*.ext" + n));
        break;
      case 4:
        policy.filesystem.allow_read.push_back(rule("${CWD}/a" + n + "/*/b/**"));
        break;
      case 5:
        policy.filesystem.deny_write.push_back(rule("${CWD}/pre" + n + "-*"));
        break;
    }
  }
  return policy;
}

const std::array kPaths{
    std::string_view("/home/user/work/project/src/app/pages/index.tsx"),
    std::string_view("/home/user/work/project/a4/x/b/c/d/e"),
    std::string_view("/home/user/work/project/node_modules/.bin/some/long-file-name.ext3"),
    std::string_view("/home/user/.cache/tool1/deep/er/file/name.bin"),
    std::string_view("/usr/lib/python3/dist-packages/yaml/nodes/__init__.py/x"),
    std::string_view("/home/user/work/project/pre5-abc/d/e/secret2"),
};

/// Of this process: other work on the machine should not fail the gate.
double seconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// `ask` decides one operation.
template <class Ask>
double median_ns(const Ask& ask) {
  std::vector<double> rounds;
  unsigned allowed = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < kDecisionsPerRound; ++i) {
      const PathView view =
          PathView::unsafe_from(kPaths[static_cast<std::size_t>(i) % kPaths.size()]);
      allowed += ask(Write{PathUse(view)}).allowed() ? 1U : 0U;
    }
    rounds.push_back(seconds_since(begin) * 1e9 / kDecisionsPerRound);
  }
  std::printf("%u of %d writes allowed; ", allowed, kRounds * kDecisionsPerRound);
  std::ranges::nth_element(rounds, rounds.begin() + kRounds / 2);
  return rounds[kRounds / 2];
}

bool is_fast_enough(int rules) {
  const Surroundings surroundings{
      {path("/home/user"), path("/home/user/work/project"), path("/tmp")}, {}, {}, {}, {}, {}, {}};
  const std::clock_t begin = std::clock();
  const auto compiled = compile(policy_of(rules), surroundings);
  const double compile_ms = seconds_since(begin) * 1e3;
  if (!compiled) {
    std::puts("the policy does not compile");
    return false;
  }
  const FoldedPolicy folded(*compiled);
  const double ns = median_ns([&](const Operation& op) { return decide(*compiled, op); });
  const double folded_ns = median_ns([&](const Operation& op) { return folded.decide(op); });
  std::printf("%6d rules: %7.1f ns per decision, %7.1f ns in folded names, compiled in %.1f ms\n",
              rules, ns, folded_ns, compile_ms);
  return (ns <= kLimitNs && folded_ns <= kLimitNs) || !kIsOptimised;
}

}  // namespace

int main() {
  const bool few = is_fast_enough(10);
  const bool many = is_fast_enough(10000);
  return few && many ? 0 : 1;
}
