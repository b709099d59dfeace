#include "platform/spawn.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "platform/scratch.hpp"

using namespace std::chrono_literals;
using pmg::platform::Ending;
using pmg::platform::HeldSignals;
using pmg::platform::Helper;
using pmg::platform::InheritStreams;
using pmg::platform::run_and_wait;
using pmg::platform::ScratchDirectory;
using pmg::platform::ToFiles;

namespace {

std::string content(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

ScratchDirectory scratch() {
  auto made = ScratchDirectory::make(std::filesystem::temp_directory_path().string(), "pmg-spawn-");
  REQUIRE(made);
  return std::move(*made);
}

/// Runs `script` in `place`, its streams in the files `out` and `err` there.
Helper shell(const ScratchDirectory& place, const std::string& script) {
  return {{"/bin/sh", "-c", script},
          ToFiles{place.path() + "/out", place.path() + "/err"},
          {"ONLY=this"},
          place.path(),
          20s};
}

}  // namespace

TEST_CASE("SP1: a helper's exit code, and its signal") {
  CHECK(run_and_wait({"sh", "-c", "exit 7"}) == 7);
  CHECK(run_and_wait({"sh", "-c", "kill -TERM $$"}) == 128 + SIGTERM);
  // The keys of the terminal end the helper, not us.
  CHECK(run_and_wait({"sh", "-c", "kill -INT $PPID; kill -INT $$"}) == 128 + SIGINT);
  CHECK(run_and_wait({"/nonexistent"}).error().error == ENOENT);
}

TEST_CASE("SP2: a helper has the streams, the environment and the directory that it was given") {
  const HeldSignals signals;
  const auto place = scratch();
  const auto end =
      run_and_wait(shell(place, "pwd; echo \"$ONLY$HOME\" >&2; read nothing; exit 7"), signals);
  REQUIRE(end);
  CHECK(end->how == Ending::exited);
  CHECK(end->code == 7);
  CHECK(content(place.path() + "/out") == place.path() + "\n");
  CHECK(content(place.path() + "/err") == "this\n");
  struct stat status {};
  REQUIRE(::stat((place.path() + "/out").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  Helper here = shell(place, "exit 3");
  here.streams = InheritStreams{};
  CHECK(run_and_wait(here, signals)->code == 3);
  here.working_directory = place.path() + "/missing";
  CHECK(run_and_wait(here, signals).error().error == ENOENT);
  here = shell(place, "exit 3");
  here.streams = ToFiles{place.path() + "/missing/out", place.path() + "/err"};
  CHECK(run_and_wait(here, signals).error().error == ENOENT);
}

TEST_CASE("SP2: a helper gets the signal mask from before") {
  const HeldSignals signals;
  const auto place = scratch();
  CHECK(run_and_wait(shell(place, "kill -TERM $$; exit 3"), signals)->code == 128 + SIGTERM);
}

TEST_CASE("SP3: a helper ends within its limit, and its group with it") {
  const HeldSignals signals;
  const auto place = scratch();
  Helper helper =
      shell(place, "(trap '' TERM; while :; do echo x >>alive; sleep 0.02; done)& sleep 60; wait");
  helper.limit = 200ms;
  const auto end = run_and_wait(helper, signals);
  REQUIRE(end);
  CHECK(end->how == Ending::timed_out);
  CHECK(end->code == 128 + SIGTERM);
  const auto size = content(place.path() + "/alive").size();
  CHECK(size > 0);
  ::usleep(200'000);
  CHECK(content(place.path() + "/alive").size() == size);
}

TEST_CASE("SP4: a signal that ends us waits until everything is tidied up, and ends a helper") {
  const auto place = scratch();
  const pid_t child = ::fork();
  if (child == 0) {
    (void)::signal(SIGINT, SIG_DFL);  // doctest has a handler
    {
      const HeldSignals signals;
      const auto end = run_and_wait(shell(place, "kill -INT $PPID; sleep 60"), signals);
      const bool right = end && end->how == Ending::interrupted && signals.is_asked_to_end();
      std::ofstream(place.path() + "/tidied") << (right ? "yes" : "no");
    }
    ::_exit(3);  // not reached
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  CHECK(content(place.path() + "/tidied") == "yes");
}

TEST_CASE("SP4: a signal that is ignored asks for nothing") {
  (void)::signal(SIGHUP, SIG_IGN);
  {
    const HeldSignals signals;
    ::kill(::getpid(), SIGHUP);
    CHECK_FALSE(signals.is_asked_to_end());
  }
  (void)::signal(SIGHUP, SIG_DFL);
}
