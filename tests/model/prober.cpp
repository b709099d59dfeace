#include "model/prober.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/run.hpp"
#include "platform/process.hpp"

namespace pmg::model {
namespace {

using platform::UniqueFd;

constexpr int kPatience = 30'000;           // milliseconds
constexpr std::size_t kMostBytes = 32'768;  // written before answers are read: half a pipe
constexpr std::size_t kMostCommands = 512;
constexpr int kNotStarted = 99;

struct Pipe {
  UniqueFd reads;
  UniqueFd writes;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return std::nullopt;
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// The ends of the probe get their fixed numbers, and everything else goes. First out of the way:
// an end may have the other's number by chance.
bool take_places(const Pipe& commands, const Pipe& answers) {
  const int reads = ::fcntl(commands.reads.get(), F_DUPFD, 64);
  const int writes = ::fcntl(answers.writes.get(), F_DUPFD, 64);
  return reads >= 0 && writes >= 0 && ::dup2(reads, kCommands) >= 0 &&
         ::dup2(writes, kAnswers) >= 0 && ::close_range(kAnswers + 1, ~0U, 0) == 0;
}

// Runs the sandbox's side of pmg: returns when the probe ended.
int run_confined(const domain::CompiledPolicy& policy, const std::string& program) {
  const auto file = domain::AbsolutePath::parse(program);
  const auto status =
      file ? adapters::run(policy, {*file, {"probe"}, {}}, {})
           : tl::unexpected(adapters::RunError{adapters::RunErrc::cannot_execute, {}, {}});
  if (!status) {
    const std::string text = "model: the sandbox did not start: error " +
                             std::to_string(static_cast<int>(status.error().code)) + ", " +
                             status.error().os.call + ": " +
                             std::strerror(status.error().os.error) + "\n";
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    return kNotStarted;
  }
  return *status;
}

int run_plain(const std::string& program) {
  // What a root user keeps inside the sandbox is what is compared.
  if (platform::drop_capabilities() != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return kNotStarted;
  }
  std::array<char*, 2> arguments{const_cast<char*>("probe"), nullptr};  // NOLINT: not written to
  std::array<char*, 1> environment{nullptr};
  (void)::execve(program.c_str(), arguments.data(), environment.data());
  return kNotStarted;
}

bool write_all(const UniqueFd& fd, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (written <= 0) {
      return false;
    }
    done += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

template <class Run>
tl::expected<Prober, std::string> Prober::start(const std::string& cwd, Run run) {
  auto commands = make_pipe();
  auto answers = make_pipe();
  if (!commands || !answers) {
    return tl::unexpected(std::string("no pipe"));
  }
  const pid_t process = ::fork();
  if (process < 0) {
    return tl::unexpected(std::string("no process"));
  }
  if (process == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool ready = ::chdir(cwd.c_str()) == 0 && take_places(*commands, *answers);
    ::_exit(ready ? run() : kNotStarted);
  }
  Prober prober(process, Ends{std::move(commands->writes), std::move(answers->reads)});
  commands.reset();
  answers.reset();
  const std::array<Probe, 1> greeting{
      Probe{Op::ask_process, Form::at, {kFromCwd, {}}, {kFromCwd, {}}}};
  if (!prober.ask(greeting)) {
    return tl::unexpected(std::string("the probe does not answer"));
  }
  return prober;
}

tl::expected<Prober, std::string> Prober::confined(const domain::CompiledPolicy& policy,
                                                   const std::string& program,
                                                   const std::string& cwd) {
  return start(cwd, [&] { return run_confined(policy, program); });
}

tl::expected<Prober, std::string> Prober::plain(const std::string& program,
                                                const std::string& cwd) {
  return start(cwd, [&] { return run_plain(program); });
}

Prober::Prober(Prober&& other) noexcept
    : process_(std::exchange(other.process_, -1)), ends_(std::move(other.ends_)) {}

Prober::~Prober() {
  if (process_ <= 0) {
    return;
  }
  ends_.commands.reset();  // the probe reads the end of its commands and exits
  pollfd event{ends_.answers.get(), POLLIN, 0};
  if (::poll(&event, 1, kPatience) != 1) {
    (void)::kill(process_, SIGKILL);
  }
  (void)::waitpid(process_, nullptr, 0);
}

bool Prober::read_answers(std::vector<int>& answers) const {
  std::size_t done = 0;
  const std::size_t size = answers.size() * sizeof(int);
  auto* const bytes = reinterpret_cast<char*>(answers.data());  // NOLINT: read(2) wants bytes
  while (done < size) {
    pollfd event{ends_.answers.get(), POLLIN, 0};
    if (::poll(&event, 1, kPatience) != 1) {
      return false;
    }
    const ssize_t got = ::read(ends_.answers.get(), bytes + done, size - done);
    if (got <= 0) {
      return false;
    }
    done += static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<std::vector<int>> Prober::ask(std::span<const Probe> probes) const {
  std::vector<int> all;
  while (!probes.empty()) {
    std::string bytes;
    std::size_t count = 0;
    while (count < std::min(probes.size(), kMostCommands) && bytes.size() < kMostBytes) {
      bytes += encode(probes[count++]);
    }
    std::vector<int> answers(count);
    if (!write_all(ends_.commands, bytes) || !read_answers(answers)) {
      return std::nullopt;
    }
    all.insert(all.end(), answers.begin(), answers.end());
    probes = probes.subspan(count);
  }
  return all;
}

bool Prober::stand(const std::string& cwd, const std::vector<std::string>& held) const {
  std::vector<Probe> scene{{Op::change_directory, Form::at, {kFromCwd, cwd}, {kFromCwd, {}}}};
  for (std::size_t i = 0; i < held.size(); ++i) {
    scene.push_back({Op::hold, Form::at, {kFromCwd, held[i]}, {static_cast<int>(i), {}}});
  }
  const auto answers = ask(scene);
  return answers &&
         std::all_of(answers->begin(), answers->end(), [](int error) { return error == 0; });
}

}  // namespace pmg::model
