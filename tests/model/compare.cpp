#include "model/compare.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <unistd.h>

#include "adapters/canonical.hpp"
#include "adapters/profile/parse_policy.hpp"
#include "domain/compiled.hpp"
#include "gen/world.hpp"
#include "model/oracle.hpp"
#include "model/prober.hpp"
#include "model/probes.hpp"
#include "model/resolve.hpp"

namespace pmg::model {
namespace {

using Verdict = Prediction::Verdict;
using Sort = Finding::Sort;

struct Item {
  Probe probe;
  Prediction wanted;
  std::vector<Seen> before;
};

std::string word_of(int error) {
  if (error == 0) {
    return "done";
  }
  return error == kOtherProgram ? "another program ran, or it could not run"
                                : std::string(::strerrorname_np(error));
}

bool is_refusal(int error) { return error == EACCES || error == EPERM || error == EXDEV; }

// Opening it changes nothing, wherever it is.
bool may_look_anywhere(const Item& item) {
  switch (item.probe.op) {
    case Op::open_read:
    case Op::open_directory:
    case Op::open_nofollow:
    case Op::open_path:
      return true;
    case Op::open_write:
      return item.wanted.kind == Kind::device;
    default:
      return false;
  }
}

bool may_be_tried(const Item& item) {
  if (item.probe.op == Op::create && item.wanted.kind == Kind::fifo) {
    return false;  // creat(2) has no O_NONBLOCK: it would wait for a reader
  }
  if (item.wanted.reach == Prediction::Reach::tree) {
    return true;
  }
  return item.wanted.verdict != Verdict::undecided && may_look_anywhere(item);
}

using Canonical = decltype(domain::Surroundings::canonical);
using Links = decltype(domain::Surroundings::links);

domain::Surroundings surroundings_of(const World& world, Canonical canonical, Links links) {
  return {.variables = world.variables,
          .canonical = std::move(canonical),
          .links = std::move(links),
          .own_state = {},
          .git_directories = {},
          .hook_directories = {},
          .search_path = {}};
}

// Realpath of the part that exists, on the planned tree.
domain::AbsolutePath canonical_in(const View& view, const domain::AbsolutePath& path) {
  std::string rest;
  for (domain::AbsolutePath at = path; !at.is_root(); at = at.parent()) {
    const Resolved found = view.resolve({kFromCwd, at.text()}, Last::followed);
    if (found.exists()) {
      return gen::as_path(found.real + rest);
    }
    rest.insert(0, at.filename()).insert(0, "/");
  }
  return path;
}

// Each place that a symlink leads to on the way, and the end.
std::vector<domain::AbsolutePath> links_in(const View& view, const domain::AbsolutePath& path) {
  constexpr int kMost = 40;  // MAXSYMLINKS of the kernel
  std::vector<domain::AbsolutePath> links;
  Resolved at = view.resolve({kFromCwd, path.text()}, Last::itself);
  while (at.exists() && at.node->kind == Kind::symlink && links.size() < kMost) {
    const std::string& target = at.node->text;
    const std::string text = target.starts_with('/') ? target : joined(parent_of(at.real), target);
    at = view.resolve({kFromCwd, text}, Last::itself);
    const auto written = gen::as_path(text);
    links.push_back(at.error == 0
                        ? gen::as_path(at.real)
                        : gen::child(canonical_in(view, written.parent()), written.filename()));
  }
  return links;
}

class Comparison {
 public:
  Comparison(const World& world, const domain::Policy& enforced, const Sites& sites, Tally& tally)
      : world_(world),
        enforced_(enforced),
        sites_(sites),
        tally_(tally),
        tree_(sites.root, sites.spare) {}

  std::optional<Finding> run() {
    if (!prepare()) {
      return finding_;
    }
    if (compare_all()) {
      const std::string change = tree_.find_change();
      if (!change.empty()) {
        fail(Sort::other, "something changed unseen: " + change);
      }
    }
    ++tally_.worlds;
    return finding_;
  }

 private:
  bool fail(Sort sort, const std::string& what) {
    finding_ = Finding{sort, what + "\npolicy:\n" + adapters::to_yaml(world_.policy) + "HOME " +
                                 printable(world_.variables.home.text()) + "\nCWD " +
                                 printable(world_.variables.cwd.text()) + "\nprobe stands in " +
                                 printable(world_.cwd) + "\ntree:\n" + tree_.describe()};
    return false;
  }

  bool fail(Sort sort, const Item& item, const std::string& what) {
    std::string held;
    for (std::size_t i = 0; i < view_.held.size(); ++i) {
      held += "  descriptor " + std::to_string(kFirstHeld + static_cast<int>(i)) + ": " +
              printable(view_.held[i]) + "\n";
    }
    return fail(sort, what + "\noperation: " + describe(item.probe) + "\nmodel:\n" +
                          item.wanted.why + held);
  }

  // --- the world

  bool prepare() {
    for (const std::string& directory : {sites_.root, sites_.spare}) {
      std::error_code error;
      std::filesystem::remove_all(directory, error);
      if (!std::filesystem::create_directory(directory, error)) {
        return fail(Sort::other, "cannot make " + directory);
      }
    }
    for (const auto& [path, node] : world_.nodes) {
      tree_.plan(path, node);
    }
    if (const std::string failed = tree_.build(Birth::early); !failed.empty()) {
      return fail(Sort::other, failed);
    }
    view_.cwd = world_.cwd;
    if (::chdir(world_.cwd.c_str()) != 0) {
      return fail(Sort::other, "cannot enter " + world_.cwd);
    }
    return compile() && may_start() && start();
  }

  // A rule on a symlink that leads to the root, say, denies the probe as well (T1).
  bool may_start() {
    const auto path = gen::as_path(sites_.probe);
    if (domain::decide(*model_, domain::Execute{domain::PathView(path)}).allowed()) {
      return true;
    }
    ++tally_.not_run;
    return false;
  }

  bool compile() {
    using Path = domain::AbsolutePath;
    auto model = domain::compile(
        world_.policy, surroundings_of(
                           world_, [this](const Path& path) { return canonical_in(view_, path); },
                           [this](const Path& path) { return links_in(view_, path); }));
    adapters::Canonicaliser canonical;
    auto enforced = domain::compile(
        enforced_, surroundings_of(
                       world_, [&](const Path& path) { return canonical.resolve(path); },
                       [&](const Path& path) { return canonical.links(path); }));
    if (!model || !enforced) {
      return fail(Sort::other, "the policy does not compile");
    }
    model_.emplace(std::move(*model));
    broker_.emplace(std::move(*enforced));
    return true;
  }

  // What appears later is made while both probes run already.
  bool start() {
    auto inside = Prober::confined(*broker_, sites_.probe, world_.cwd);
    if (!inside) {
      return fail(Sort::other, "inside: " + inside.error());
    }
    auto outside = Prober::plain(sites_.probe, world_.cwd);
    if (!outside) {
      return fail(Sort::other, "outside: " + outside.error());
    }
    inside_.emplace(std::move(*inside));
    outside_.emplace(std::move(*outside));
    if (const std::string failed = tree_.build(Birth::late); !failed.empty()) {
      return fail(Sort::other, failed);
    }
    view_.held = paths_to_hold(tree_, world_.salt);
    return stand();
  }

  bool stand() {
    return (inside_->stand(view_.cwd, view_.held) && outside_->stand(view_.cwd, view_.held)) ||
           fail(Sort::other, "a probe cannot take its place");
  }

  // --- the comparison

  bool compare_all() {
    std::vector<Item> together;
    std::vector<Item> one_by_one;
    const Oracle oracle(*model_, view_);
    for (Probe& probe : probes_of(view_, world_.missing, world_.salt)) {
      Item item{std::move(probe), {}, {}};
      item.wanted = oracle.predict(item.probe);
      if (!may_be_tried(item)) {
        continue;
      }
      const bool still = item.wanted.verdict == Verdict::deny || only_looks(item.probe.op);
      if (still && !only_looks(item.probe.op)) {
        item.before = tree_.look(item.wanted.places);
      }
      (still ? together : one_by_one).push_back(std::move(item));
    }
    return compare_together(together) &&
           std::all_of(one_by_one.begin(), one_by_one.end(),
                       [this](const Item& item) { return compare_changing(item); });
  }

  static std::vector<Probe> probes_in(const std::vector<Item>& items,
                                      const std::vector<std::size_t>& which) {
    std::vector<Probe> probes;
    probes.reserve(which.size());
    for (const std::size_t index : which) {
      probes.push_back(items[index].probe);
    }
    return probes;
  }

  // Nothing here should change anything.
  bool compare_together(const std::vector<Item>& items) {
    std::vector<std::size_t> all(items.size());
    std::vector<std::size_t> not_denied;
    for (std::size_t i = 0; i < items.size(); ++i) {
      all[i] = i;
      if (items[i].wanted.verdict != Verdict::deny) {
        not_denied.push_back(i);
      }
    }
    const auto inside = inside_->ask(probes_in(items, all));
    if (!inside) {
      return fail(Sort::other, "the probe inside ended or hangs");
    }
    // First what says that it succeeded: its traces may be on the places of others.
    for (const auto judge : {&Comparison::judge_refused, &Comparison::judge_denied}) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].wanted.verdict == Verdict::deny && !(this->*judge)(items[i], (*inside)[i])) {
          return false;
        }
      }
    }
    const auto outside = outside_->ask(probes_in(items, not_denied));
    if (!outside) {
      return fail(Sort::other, "the probe outside ended or hangs");
    }
    for (std::size_t i = 0; i < not_denied.size(); ++i) {
      const std::size_t index = not_denied[i];
      if (!judge_same(items[index], (*inside)[index], (*outside)[i])) {
        return false;
      }
    }
    return true;
  }

  void count(const Item& item, Outcome outcome) {
    ++tally_.outcomes.at(static_cast<std::size_t>(item.probe.op))
          .at(static_cast<std::size_t>(outcome));
  }

  bool judge_refused(const Item& item, int inside) {
    return (inside != 0 && inside != kOtherProgram) ||
           fail(Sort::weaker, item, "the kernel allows what the model denies");
  }

  bool judge_denied(const Item& item, int inside) {
    if (!item.before.empty() && tree_.look(item.wanted.places) != item.before) {
      return fail(Sort::weaker, item,
                  "refused with " + word_of(inside) + ", and done all the same");
    }
    if (is_refusal(inside)) {
      count(item, Outcome::denied);
      return true;
    }
    const std::optional<int> outside = alone(*outside_, item).first;
    if (!outside) {
      return false;
    }
    if (*outside != inside) {
      return fail(
          Sort::other, item,
          "denied by the model; " + word_of(inside) + " inside, " + word_of(*outside) + " outside");
    }
    count(item, Outcome::failed);
    return true;
  }

  // The model allows it, or no rule is asked.
  bool judge_same(const Item& item, int inside, int outside) {
    if (item.wanted.verdict == Verdict::undecided && outside == 0) {
      return fail(Sort::other, item, "the model finds nothing there, and the kernel does");
    }
    if (inside != outside) {
      if (const auto difference =
              explain(tree_, *model_, {item.probe.op, item.wanted, inside, outside})) {
        ++tally_.differences.at(static_cast<std::size_t>(*difference));
        count(item, Outcome::excused);
        return true;
      }
      const std::string what = word_of(inside) + " inside, " + word_of(outside) + " outside";
      return is_refusal(inside)
                 ? fail(Sort::stricter, item, "the kernel denies what the model allows: " + what)
                 : fail(Sort::other, item, "allowed by the model; " + what);
    }
    if (inside != 0) {
      count(item, Outcome::failed);
    } else if (item.probe.op == Op::open_path && !item.wanted.may_read) {
      ++tally_.differences.at(static_cast<std::size_t>(Difference::k2));
      count(item, Outcome::excused);
    } else {
      count(item, Outcome::allowed);
    }
    return true;
  }

  // One operation that may change the tree, what it left, and everything back as it was.
  std::pair<std::optional<int>, std::vector<Seen>> alone(const Prober& prober, const Item& item) {
    const auto answers = prober.ask({&item.probe, 1});
    if (!answers) {
      fail(Sort::other, item, "a probe ended or hangs");
      return {};
    }
    const int error = answers->front();
    auto seen = tree_.look(item.wanted.places);
    if (error == 0 && !only_looks(item.probe.op) &&
        tree_.restore(item.wanted.places) == Tree::Restored::new_entries && !stand()) {
      return {};
    }
    return {error, std::move(seen)};
  }

  bool compare_changing(const Item& item) {
    const auto [outside, wanted] = alone(*outside_, item);
    if (!outside) {
      return false;
    }
    const auto [inside, seen] = alone(*inside_, item);
    if (!inside) {
      return false;
    }
    if (!judge_same(item, *inside, *outside)) {
      return false;
    }
    return *inside != *outside || seen == wanted ||
           fail(Sort::other, item,
                "ended with " + word_of(*inside) + " and had another effect inside");
  }

  const World& world_;
  const domain::Policy& enforced_;
  const Sites& sites_;
  Tally& tally_;
  Tree tree_;
  View view_{tree_, {}, {}};
  std::optional<domain::CompiledPolicy> model_;
  std::optional<domain::CompiledPolicy> broker_;
  std::optional<Prober> inside_;
  std::optional<Prober> outside_;
  std::optional<Finding> finding_;
};

}  // namespace

std::uint64_t Tally::decisions() const {
  std::uint64_t sum = 0;
  for (const auto& row : outcomes) {
    for (const Outcome outcome : {Outcome::allowed, Outcome::denied, Outcome::excused}) {
      sum += row.at(static_cast<std::size_t>(outcome));
    }
  }
  return sum;
}

std::string Tally::table() const {
  std::array<char, 160> line{};
  (void)std::snprintf(line.data(), line.size(), "%-26s %10s %10s %10s %10s\n", "operation",
                      "allowed", "denied", "excused", "no rule");
  std::string text = line.data();
  const auto number = [](const Count& count) {
    return static_cast<unsigned long long>(count.load());
  };
  for (unsigned op = 0; op < kTestedOps; ++op) {
    const auto& row = outcomes.at(op);
    (void)std::snprintf(line.data(), line.size(), "%-26s %10llu %10llu %10llu %10llu\n",
                        std::string(word_of(static_cast<Op>(op))).c_str(), number(row[0]),
                        number(row[1]), number(row[3]), number(row[2]));
    text += line.data();
  }
  for (std::size_t i = 0; i < differences.size(); ++i) {
    (void)std::snprintf(line.data(), line.size(), "%s %llu\n",
                        std::string(kDifferenceIds.at(i)).c_str(), number(differences.at(i)));
    text += line.data();
  }
  return text;
}

std::optional<Finding> compare(const World& world, const domain::Policy& enforced,
                               const Sites& sites, Tally& tally) {
  return Comparison(world, enforced, sites, tally).run();
}

}  // namespace pmg::model
