#include "domain/caution.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/mandatory.hpp"
#include "domain/overrides.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "sensitive.hpp"

namespace pmg::domain {
namespace {

using std::string_view_literals::operator""sv;

/// By the last name of their path: container engines, the session's and the system's bus, terminal
/// multiplexers. Each of them starts programs for whoever asks.
constexpr std::array kDaemonSockets{"docker.sock"sv, "podman.sock"sv,    "containerd.sock"sv,
                                    "crio.sock"sv,   "buildkitd.sock"sv, "system_bus_socket"sv,
                                    "bus"sv,         "private"sv,        "libvirt-sock"sv,
                                    "default"sv};

/// What is done at the path.
enum class Use { read, change, connect };

bool is_loopback(std::string_view endpoint) noexcept {
  const auto host = endpoint.substr(0, endpoint.rfind(':'));
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

/// The segments below `root`; nothing where the pattern starts elsewhere.
std::span<const Segment> below(const PathPattern& pattern, const AbsolutePath& root) {
  const AbsolutePath prefix = pattern.literal_prefix();
  if (!prefix.is_within(root)) {
    return {};
  }
  const auto depth =
      root.is_root() ? 0 : static_cast<std::size_t>(std::ranges::count(root.text(), '/'));
  return std::span(pattern.segments()).subspan(depth);
}

class Judge {
 public:
  explicit Judge(const Surroundings& surroundings) noexcept : surroundings_(surroundings) {}

  Caution operator()(const AllowRead& rule) const { return path(rule.pattern, Use::read); }
  Caution operator()(const AllowWrite& rule) const { return path(rule.pattern, Use::change); }
  Caution operator()(const AllowExec& rule) const { return path(rule.pattern, Use::change); }
  Caution operator()(const AllowUnix& rule) const { return path(rule.pattern, Use::connect); }
  Caution operator()(const AllowConnect& /*rule*/) const { return Caution::none; }
  Caution operator()(const AllowPreset& /*rule*/) const { return Caution::none; }
  Caution operator()(const AllowBind& rule) const {
    return is_loopback(rule.endpoint.text()) ? Caution::none : Caution::open_port;
  }
  Caution operator()(const AllowEnv& rule) const {
    const bool is_secret = std::ranges::any_of(
        secret_variables(),
        [&rule](std::string_view secret) { return rule.pattern.matches(secret); });
    return is_secret ? Caution::secret_variable : Caution::none;
  }

 private:
  [[nodiscard]] Caution path(const PatternTemplate& pattern, Use use) const {
    const PathPattern written = pattern.expand(surroundings_.variables);
    const AbsolutePath prefix = written.literal_prefix();
    Caution found =
        std::max(one_form(written, use), one_form(written.with_literal_prefix(real(prefix)), use));
    if (!surroundings_.links) {
      return found;
    }
    // Also where a symlink on the way leads to nothing yet: to a `~/.ssh` that will be.
    for (AbsolutePath part = prefix; !part.is_root(); part = part.parent()) {
      const std::string_view rest = std::string_view(prefix.text()).substr(part.text().size());
      for (const AbsolutePath& at : surroundings_.links(part)) {
        const AbsolutePath form = normalise(at, rest.substr(rest.empty() ? 0 : 1));
        found = std::max(found, one_form(written.with_literal_prefix(form), use));
      }
    }
    return found;
  }

  [[nodiscard]] Caution one_form(const PathPattern& pattern, Use use) const {
    const std::span<const Segment> segments = pattern.segments();
    Caution found = Caution::none;
    const auto raise = [&found](bool applies, Caution caution) {
      found = applies ? std::max(found, caution) : found;
    };
    raise(is_whole_tree(pattern), Caution::whole_tree);
    raise(names_credential(segments), Caution::credential);
    raise(names_git_hooks(segments), Caution::git_hooks);
    raise(use == Use::connect && !segments.empty() &&
              std::ranges::find(kDaemonSockets, segments.back().text) != kDaemonSockets.end(),
          Caution::host_daemon);
    if (use == Use::change) {
      raise(names_git_config(segments), Caution::git_config);
      raise(is_startup_file(pattern), Caution::startup_file);
      raise(is_within_any(pattern, surroundings_.own_state), Caution::own_state);
      raise(is_within_any(pattern, surroundings_.hook_directories), Caution::git_hooks);
    }
    return found;
  }

  /// A floating pattern is about names, not about a tree, unless it is nothing but `**`.
  [[nodiscard]] bool is_whole_tree(const PathPattern& pattern) const {
    const std::span<const Segment> segments = pattern.segments();
    const bool is_wide = std::ranges::all_of(
        segments.subspan(pattern.literal_prefix_length()), [](const Segment& segment) {
          return segment.text.find_first_not_of('*') == std::string::npos;
        });
    const AbsolutePath prefix = pattern.literal_prefix();
    return is_wide && (surroundings_.variables.home.is_within(prefix) ||
                       real(surroundings_.variables.home).is_within(prefix));
  }

  [[nodiscard]] bool is_startup_file(const PathPattern& pattern) const {
    const Variables& variables = surroundings_.variables;
    return std::ranges::any_of(
        std::array{variables.home, variables.cwd, real(variables.home), real(variables.cwd)},
        [&pattern](const AbsolutePath& root) { return names_startup_file(below(pattern, root)); });
  }

  [[nodiscard]] AbsolutePath real(const AbsolutePath& path) const {
    return surroundings_.canonical ? surroundings_.canonical(path) : path;
  }

  [[nodiscard]] static bool is_within_any(const PathPattern& pattern,
                                          const std::vector<AbsolutePath>& directories) {
    const AbsolutePath prefix = pattern.literal_prefix();
    return std::ranges::any_of(
        directories, [&prefix](const AbsolutePath& each) { return prefix.is_within(each); });
  }

  const Surroundings& surroundings_;
};

}  // namespace

Caution caution_for(const Override& rule, const Surroundings& surroundings) {
  return std::visit(Judge(surroundings), rule);
}

}  // namespace pmg::domain
