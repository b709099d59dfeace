#include "model/campaign.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <vector>

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace pmg::model {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kShrinking{60};
constexpr std::size_t kLongest = 400;  // more than the largest world reads

/// What the processes of a campaign have in common.
struct Shared {
  Tally tally{};
  Tally::Count next_world{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> found{false};
};

struct Unmap {
  void operator()(Shared* shared) const { (void)::munmap(shared, sizeof(Shared)); }
};
using SharedPointer = std::unique_ptr<Shared, Unmap>;

SharedPointer make_shared_memory() {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return SharedPointer(memory == MAP_FAILED ? nullptr : new (memory) Shared);  // NOLINT: the header
}

template <class Do>
void each_number(Shared& shared, Do action) {
  action(shared.next_world);
  action(shared.tally.worlds);
  action(shared.tally.not_run);
  for (auto& row : shared.tally.outcomes) {
    std::for_each(row.begin(), row.end(), action);
  }
  std::for_each(shared.tally.differences.begin(), shared.tally.differences.end(), action);
}

void load(Shared& shared, const std::string& file) {
  std::ifstream in(file);
  each_number(shared, [&in](Tally::Count& count) {
    std::uint64_t value = 0;
    count = in >> value ? value : 0;
  });
}

// Worlds that were begun and not ended are tried again by nobody: a few of many.
void save(Shared& shared, const std::string& file) {
  {
    std::ofstream out(file + ".new");
    each_number(shared, [&out](Tally::Count& count) { out << count.load() << '\n'; });
  }
  std::error_code ignored;
  std::filesystem::rename(file + ".new", file, ignored);
}

void print(const std::string& text) {
  (void)std::fwrite(text.data(), 1, text.size(), stdout);
  (void)std::fflush(stdout);
}

void work(const Campaign& campaign, Shared& shared) {
  const Workplace place(campaign.probe);
  while (!shared.stop && shared.tally.decisions() < campaign.decisions) {
    const std::uint64_t number = shared.next_world++;
    const gen::Bytes bytes = bytes_of(campaign.seed, number);
    gen::Choices choices(bytes);
    const World world = draw_world(choices, place.sites());
    const auto finding = compare(world, world.policy, place.sites(), shared.tally);
    if (finding && !shared.found.exchange(true)) {
      shared.stop = true;
      print("world " + std::to_string(number) + " of seed " + std::to_string(campaign.seed) + ": " +
            finding->text + "\n\nshrunk:\n" + shrink(bytes, *finding, place.sites()) + "\n");
    }
  }
}

class Workers {
 public:
  Workers(const Campaign& campaign, Shared& shared) : shared_(shared) {
    (void)::sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) {
      (void)::sigaddset(&signals_, signal);
    }
    // Blocked in the workers as well: they end with the world they are at, and clean up.
    (void)::sigprocmask(SIG_BLOCK, &signals_, &before_);
    for (unsigned i = 0; i < campaign.jobs; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(campaign, shared_);
        ::_exit(0);
      }
      running_ += pid > 0 ? 1 : 0;
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { (void)::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  [[nodiscard]] bool are_running() const { return running_ > 0; }
  [[nodiscard]] bool was_interrupted() const { return interrupted_; }

  void wait_a_second() {
    const timespec second{1, 0};
    const int signal = ::sigtimedwait(&signals_, nullptr, &second);
    if (signal == SIGINT || signal == SIGTERM) {
      interrupted_ = true;
      shared_.stop = true;
    }
    int status = 0;
    while (::waitpid(-1, &status, WNOHANG) > 0) {
      --running_;
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        print("a worker ended by itself\n");
        shared_.found = true;
        shared_.stop = true;
      }
    }
  }

 private:
  Shared& shared_;
  sigset_t signals_{};
  sigset_t before_{};
  int running_ = 0;
  bool interrupted_ = false;
};

/// Decisions of this run, and how fast they come.
class Rate {
 public:
  explicit Rate(const Shared& shared) : shared_(shared), before_(shared.tally.decisions()) {}
  [[nodiscard]] std::chrono::seconds passed() const {
    return std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start_);
  }
  [[nodiscard]] std::string text() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::uint64_t decisions = shared_.tally.decisions();
    return std::to_string(decisions) + " decisions in " +
           std::to_string(shared_.tally.worlds.load()) + " worlds (" +
           std::to_string(shared_.tally.not_run.load()) + " more deny the probe itself); " +
           std::to_string(static_cast<std::uint64_t>(static_cast<double>(decisions - before_) /
                                                     std::max(seconds, 1e-3))) +
           " decisions/s in this run of " + std::to_string(static_cast<std::uint64_t>(seconds)) +
           " s\n";
  }

 private:
  const Shared& shared_;
  std::uint64_t before_;
  Clock::time_point start_ = Clock::now();
};

void watch(const Campaign& campaign, Shared& shared, Workers& workers, const Rate& rate) {
  std::chrono::seconds printed{0};
  while (workers.are_running()) {
    workers.wait_a_second();
    const auto passed = rate.passed();
    if (passed > campaign.limit) {
      shared.stop = true;
    }
    if (campaign.progress.count() > 0 && passed - printed >= campaign.progress) {
      printed = passed;
      print(rate.text());
      if (!campaign.state.empty()) {
        save(shared, campaign.state);
      }
    }
  }
}

Ending how_it_ended(const Campaign& campaign, const Shared& shared, const Workers& workers) {
  if (shared.found) {
    return Ending::finding;
  }
  if (shared.tally.decisions() >= campaign.decisions) {
    return Ending::enough;
  }
  return workers.was_interrupted() ? Ending::interrupted : Ending::out_of_time;
}

std::string unseen(const Tally& tally) {
  std::string ids;
  for (std::size_t i = 0; i < kDifferenceIds.size(); ++i) {
    if (tally.differences.at(i) == 0) {
      ids.append(" ").append(kDifferenceIds.at(i));
    }
  }
  return ids;
}

}  // namespace

Workplace::Workplace(const std::string& probe)
    : base_("/tmp/pmg-model-" + std::to_string(::getpid()) + ".d"),
      sites_{base_ + "/root", base_ + "/spare", base_ + "/bin/probe"} {
  std::error_code error;
  std::filesystem::create_directories(base_ + "/bin", error);
  std::ofstream(sites_.probe, std::ios::binary) << probe;
  std::filesystem::permissions(sites_.probe, std::filesystem::perms{0755}, error);
  if (error) {
    print("cannot work in " + base_ + ": " + error.message() + "\n");
    std::_Exit(1);
  }
}

Workplace::~Workplace() {
  std::error_code ignored;
  std::filesystem::current_path("/", ignored);
  std::filesystem::remove_all(base_, ignored);
}

gen::Bytes bytes_of(std::uint64_t seed, std::uint64_t world) {
  gen::SplitMix random((seed << 40U) + world);
  gen::Bytes bytes(random() % 4 == 0 ? random() % kLongest : kLongest);
  std::generate(bytes.begin(), bytes.end(),
                [&random] { return static_cast<std::uint8_t>(random()); });
  return bytes;
}

std::string shrink(const gen::Bytes& bytes, const Finding& finding, const Sites& sites) {
  const auto end = Clock::now() + kShrinking;
  const auto tally = std::make_unique<Tally>();
  std::optional<Finding> last = finding;
  const gen::Property property = [&](gen::Choices& choices) {
    if (Clock::now() > end) {
      return true;  // a longer search would cost more than it gives
    }
    const World world = draw_world(choices, sites);
    auto found = compare(world, world.policy, sites, *tally);
    const bool same = found && found->sort == finding.sort;
    if (same) {
      last = std::move(found);
    }
    return !same;
  };
  const gen::Bytes smallest = gen::Shrinker(property, bytes).run();
  return last->text + "bytes: " + gen::to_hex(smallest) + "\n";
}

Result run_campaign(const Campaign& campaign) {
  const SharedPointer shared = make_shared_memory();
  if (!shared) {
    return {Ending::finding, 0, "no memory\n", ""};
  }
  shared->next_world = campaign.first_world;
  if (!campaign.state.empty() && std::filesystem::exists(campaign.state)) {
    load(*shared, campaign.state);
  }
  const Rate rate(*shared);
  Workers workers(campaign, *shared);
  watch(campaign, *shared, workers, rate);
  if (!campaign.state.empty()) {
    save(*shared, campaign.state);
  }
  return {how_it_ended(campaign, *shared, workers), shared->tally.decisions(),
          shared->tally.table() + rate.text(), unseen(shared->tally)};
}

}  // namespace pmg::model
