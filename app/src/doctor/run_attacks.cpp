#include "doctor/run_attacks.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "doctor/attack_list.hpp"
#include "doctor/pure/attack.hpp"
#include "doctor/run_canaries.hpp"
#include "doctor/world.hpp"
#include "domain/mandatory.hpp"
#include "messages.hpp"
#include "platform/spawn.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

namespace fs = std::filesystem;
using platform::Ending;

/// The races take some ten seconds on an idle machine.
constexpr std::chrono::seconds kLimit{200};

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Every second letter small.
std::string mixed(std::string text) {
  for (std::size_t i = 1; i < text.size(); i += 2) {
    text[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  }
  return text;
}

std::vector<std::string> secret_names() {
  std::vector<std::string> names;
  for (const std::string_view name : domain::secret_variables()) {
    const std::string usual(name);
    names.insert(names.end(), {usual, lower(usual), mixed(usual)});
  }
  return names;
}

/// What an attack must not change of a project, wherever it is: credentials, and what guards git.
bool is_protected(std::string_view name) {
  bool below_git = false;
  while (!name.empty()) {
    const auto slash = name.find('/');
    const std::string_view segment = name.substr(0, slash);
    if (segment == ".env" || segment.starts_with(".env.") || segment == ".ssh" ||
        segment == ".aws" || segment == ".mcp.json" ||
        (below_git && (segment == "hooks" || segment == "config" || segment == "commondir"))) {
      return true;
    }
    below_git = segment == ".git";
    name = slash == std::string_view::npos ? std::string_view{} : name.substr(slash + 1);
  }
  return false;
}

class Runner {
 public:
  Runner(const std::string& programs, const World& world, const platform::HeldSignals& signals)
      : programs_(programs), world_(world), signals_(signals) {}

  /// Nothing where this process was asked to end.
  [[nodiscard]] std::optional<AttackResult> run(const Attack& attack) const {
    const auto exceptions = parse_exceptions(exceptions_of(attack.program));
    const AttackRun alone = plain_run(attack);
    const AttackRun under =
        signals_.is_asked_to_end() ? AttackRun{} : confined_run(attack, exceptions);
    if (signals_.is_asked_to_end()) {
      return std::nullopt;
    }
    return judge(attack.line, attack.program, attack.about, exceptions, alone, under);
  }

 private:
  [[nodiscard]] AttackRun plain_run(const Attack& attack) const {
    return prepare(attack) ? start(attack, {program(attack)}) : not_prepared();
  }

  [[nodiscard]] AttackRun confined_run(const Attack& attack,
                                       const std::vector<Exception>& exceptions) const {
    if (!prepare(attack)) {
      return not_prepared();
    }
    const Tree home = tree_of(world_.home());
    const Tree project = tree_of(world_.project());
    std::vector<std::string> command{"/proc/self/exe", "sandbox", "exec"};
    if (!attack.profile.empty()) {
      command.insert(command.end(), {"--sandbox-profile", std::string(attack.profile)});
    }
    command.insert(command.end(), {"--", program(attack)});
    AttackRun run = start(attack, std::move(command));
    if ((read_file(output()) + read_file(errors())).find(world_.secret()) != std::string::npos) {
      run.breaches.emplace_back("the secret was printed");
    }
    const auto may_change = [&exceptions](const std::string& name) {
      return std::ranges::any_of(exceptions, [&name](const Exception& exception) {
        return exception.kind == Exception::Kind::changes && matches(exception.glob, name);
      });
    };
    for (const std::string& name : differences(home, tree_of(world_.home()))) {
      if (!may_change(name)) {
        run.breaches.push_back("~/" + name + " was changed");
      }
    }
    for (const std::string& name : differences(project, tree_of(world_.project()))) {
      if (is_protected(name) && !may_change(name)) {
        run.breaches.push_back(name + " was changed");
      }
    }
    return run;
  }

  [[nodiscard]] static AttackRun not_prepared() {
    return {{}, "what it needs could not be made in the scratch directory", {}};
  }

  [[nodiscard]] std::string program(const Attack& attack) const {
    return programs_ + "/" + std::string(attack.program);
  }
  [[nodiscard]] std::string output() const { return world_.top() + "/out"; }
  [[nodiscard]] std::string errors() const { return world_.top() + "/err"; }

  [[nodiscard]] std::vector<std::string> environment(const Attack& attack) const {
    auto entries = world_.environment(programs_);
    if (attack.variables == Variables::secrets) {
      for (const std::string& name : secret_names()) {
        entries.push_back(name + "=" + world_.secret());
      }
    }
    return entries;
  }

  [[nodiscard]] AttackRun start(const Attack& attack, std::vector<std::string> command) const {
    const auto end = platform::run_and_wait(
        platform::Helper{std::move(command), platform::ToFiles{output(), errors()},
                         environment(attack), world_.project(), kLimit},
        signals_);
    if (!end) {
      return {{}, to_text(end.error()), {}};
    }
    AttackRun run{parse_tries(read_file(output())), to_text(*end), {}};
    if (!run.failure.empty()) {
      const std::string said = read_file(errors());
      run.failure += said.empty() ? "" : ": " + said.substr(0, said.find('\n'));
    }
    return run;
  }

  [[nodiscard]] bool prepare(const Attack& attack) const {
    if (!world_.plant()) {
      return false;
    }
    if (attack.variables == Variables::secrets) {
      std::string names;
      for (const std::string& name : secret_names()) {
        names += name + "\n";
      }
      if (!write_file(world_.project() + "/names", names)) {
        return false;
      }
    }
    return std::ranges::all_of(attack.steps, [&](const Step& step) { return make(attack, step); });
  }

  [[nodiscard]] bool make(const Attack& attack, const Step& step) const {
    const std::string text = replaced(replaced(std::string(step.text), "@SECRET@", world_.secret()),
                                      "@CWD@", world_.project());
    const fs::path place = step.name.starts_with("~/")
                               ? fs::path(world_.home()) / step.name.substr(2)
                               : fs::path(world_.project()) / step.name;
    std::error_code error;
    switch (step.kind) {
      case Step::Kind::directory:
        fs::create_directories(place, error);
        return !error;
      case Step::Kind::file:
        return write_file(place.string(), text);
      case Step::Kind::program:
        return write_file(place.string(), text) && set_mode(place, 0755);
      case Step::Kind::link:
        fs::create_symlink(text, place, error);
        return !error;
      case Step::Kind::copy:
        return fs::copy_file(text.empty() ? program(attack) : text, place, error);
      case Step::Kind::remove:
        fs::remove_all(place, error);
        return !error;
      case Step::Kind::prepare: {
        std::istringstream words(text);
        std::vector<std::string> command{program(attack)};
        std::copy(std::istream_iterator<std::string>(words), {}, std::back_inserter(command));
        return start(attack, std::move(command)).failure.empty();
      }
      case Step::Kind::forbid_reading:
        return set_mode(place, 0111);
    }
    return false;
  }

  [[nodiscard]] static bool set_mode(const fs::path& file, unsigned mode) {
    std::error_code error;
    fs::permissions(file, static_cast<fs::perms>(mode), error);
    return !error;
  }

  const std::string& programs_;
  const World& world_;
  const platform::HeldSignals& signals_;
};

/// Neither it nor anything above it can be written by somebody else. Symlinks are resolved before.
bool is_trusted(const fs::path& directory) {
  constexpr mode_t kOthers = S_IWGRP | S_IWOTH;
  for (fs::path at = directory;; at = at.parent_path()) {
    struct stat status {};
    if (::stat(at.c_str(), &status) != 0 || (status.st_uid != 0 && status.st_uid != ::geteuid())) {
      return false;
    }
    // In a directory with the sticky bit others can replace only what is theirs.
    const bool is_shared = (status.st_mode & kOthers) != 0 && (status.st_mode & S_ISVTX) == 0;
    if (is_shared || (at == directory && (status.st_mode & kOthers) != 0)) {
      return false;
    }
    if (at == at.root_path()) {
      return true;
    }
  }
}

AttackResult not_run(const Attack& attack) {
  AttackResult result{attack.line, std::string(attack.program), std::string(attack.about), {}, {}};
  result.tries.push_back({"all", "skipped", "skipped", Verdict::skipped,
                          "lockdown: no flag may choose the profile that it needs"});
  return result;
}

}  // namespace

tl::expected<std::string, std::string> find_attack_programs(const std::string& binary) {
  const fs::path folder = fs::path(binary).parent_path();
  const std::vector<fs::path> candidates{folder / "attacks",
                                         folder.parent_path() / "lib/pmg/attacks"};
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    const fs::path real = fs::canonical(candidate, error);
    if (error || !fs::is_directory(real, error)) {
      continue;
    }
    if (!is_trusted(real)) {
      return tl::unexpected("the attack programs in " + app::quoted(real.string()) +
                            " could be changed by other users, so they are not run");
    }
    return real.string();
  }
  return tl::unexpected("the attack programs are not installed: there is neither " +
                        app::quoted(candidates[0].string()) + " nor " +
                        app::quoted(candidates[1].string()));
}

std::optional<std::vector<AttackResult>> run_attacks(const std::string& programs,
                                                     const World& world,
                                                     const platform::HeldSignals& signals,
                                                     adapters::Lockdown lockdown) {
  const Runner runner(programs, world, signals);
  std::vector<AttackResult> results;
  for (const Attack& attack : attacks()) {
    const bool is_forbidden = lockdown == adapters::Lockdown::on && !attack.profile.empty();
    auto result = is_forbidden ? std::optional(not_run(attack)) : runner.run(attack);
    if (!result) {
      return std::nullopt;
    }
    results.push_back(std::move(*result));
  }
  return results;
}

}  // namespace pmg::app
