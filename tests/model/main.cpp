// kernel_model --probe FILE [--decisions N] [--at-least N] [--seconds N] [--seed N] [--world N]
//              [--jobs N] [--state FILE] [--progress SECONDS] [--no-self-test] [--as-nobody]
//
// Compares the kernel inside the sandbox with the model until N decisions were made. Fails on a
// difference without an id, below --at-least, and when a long run has not met every id.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "model/campaign.hpp"
#include "model/self_test.hpp"

namespace pmg::model {
namespace {

constexpr int kSkip = 77;
constexpr std::uint64_t kLongRun = 1'000'000;  // after which every difference must have been met

struct Options {
  Campaign campaign;
  std::uint64_t at_least = 0;
  enum class SelfTest : std::uint8_t { yes, no } self_test = SelfTest::yes;
  enum class User : std::uint8_t { caller, nobody } user = User::caller;
};

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool set_option(Options& options, std::string_view name, const std::string& value) {
  Campaign& campaign = options.campaign;
  if (name == "--probe") {
    std::ifstream file(value, std::ios::binary);
    campaign.probe.assign(std::istreambuf_iterator<char>(file), {});
    return !campaign.probe.empty();
  }
  if (name == "--state") {
    campaign.state = value;
    return true;
  }
  const std::map<std::string_view, std::uint64_t*> numbers{{"--decisions", &campaign.decisions},
                                                           {"--at-least", &options.at_least},
                                                           {"--seed", &campaign.seed},
                                                           {"--world", &campaign.first_world}};
  if (const auto found = numbers.find(name); found != numbers.end()) {
    *found->second = number(value);
  } else if (name == "--seconds") {
    campaign.limit = std::chrono::seconds(number(value));
  } else if (name == "--progress") {
    campaign.progress = std::chrono::seconds(number(value));
  } else if (name == "--jobs") {
    campaign.jobs = static_cast<unsigned>(number(value));
  } else {
    return false;
  }
  return true;
}

bool parse(Options& options, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--no-self-test") {
      options.self_test = Options::SelfTest::no;
    } else if (name == "--as-nobody") {
      options.user = Options::User::nobody;
    } else if (i + 1 == argc || !set_option(options, name, argv[++i])) {
      (void)std::fprintf(stderr, "bad option %s\n", argv[i]);
      return false;
    }
  }
  return !options.campaign.probe.empty();
}

// An ordinary user from here on. Dumpable again: the broker reads /proc/self.
bool become_nobody() {
  constexpr unsigned kNobody = 65534;
  return ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0 &&
         ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0;
}

int report(const Options& options, const Result& result) {
  (void)std::printf("%s", result.text.c_str());
  bool failed = result.ended == Ending::finding;
  if (result.ended != Ending::interrupted && result.decisions < options.at_least) {
    (void)std::printf("too few decisions: at least %llu are wanted\n",
                      static_cast<unsigned long long>(options.at_least));
    failed = true;
  }
  if (result.decisions >= kLongRun && !result.unseen.empty()) {
    (void)std::printf("documented and never met:%s\n", result.unseen.c_str());
    failed = true;
  }
  return failed ? 1 : 0;
}

int run(const Options& options) {
  if (options.user == Options::User::nobody) {
    if (::geteuid() != 0) {
      (void)std::puts("skipped: only root can become nobody");
      return kSkip;
    }
    if (!become_nobody()) {
      (void)std::puts("cannot become nobody");
      return 1;
    }
  }
  if (options.self_test == Options::SelfTest::yes) {
    const Workplace place(options.campaign.probe);
    if (const std::string failed = self_test(place.sites()); !failed.empty()) {
      (void)std::printf("self-test: %s", failed.c_str());
      return 1;
    }
  }
  return report(options, run_campaign(options.campaign));
}

}  // namespace
}  // namespace pmg::model

int main(int argc, char** argv) {
  (void)::signal(SIGPIPE, SIG_IGN);
  pmg::model::Options options;
  return pmg::model::parse(options, argc, argv) ? pmg::model::run(options) : 2;
}
