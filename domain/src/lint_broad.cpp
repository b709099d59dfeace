#include "lint_broad.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/lint.hpp"
#include "domain/path_set.hpp"
#include "domain/pattern.hpp"
#include "domain/policy_field.hpp"

namespace pmg::domain {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kEverything = "/*/**";
/// All of what lies in a home directory: of the caller, of root, of anybody.
constexpr std::array kHomes{"${HOME}/*/**"sv, "/root/*/**"sv, "/home/*/*/**"sv, "/Users/*/*/**"sv};
/// What the system runs or reads as root, or lets devices and other processes be reached.
constexpr std::array kSystem{
    "/etc/*/**"sv,        "/usr/*/**"sv,          "/usr/bin/*/**"sv,       "/usr/sbin/*/**"sv,
    "/usr/lib/*/**"sv,    "/usr/local/*/**"sv,    "/usr/local/bin/*/**"sv, "/bin/*/**"sv,
    "/sbin/*/**"sv,       "/lib/*/**"sv,          "/lib64/*/**"sv,         "/boot/*/**"sv,
    "/var/*/**"sv,        "/var/lib/*/**"sv,      "/var/spool/*/**"sv,     "/opt/*/**"sv,
    "/run/*/**"sv,        "/dev/*/**"sv,          "/proc/*/**"sv,          "/sys/*/**"sv,
    "/etc/cron.d/*/**"sv, "/etc/profile.d/*/**"sv};
/// Where sockets of the host are: agents, the container engine, the session bus.
constexpr std::array kSockets{"/run/*/**"sv, "/var/run/*/**"sv, "/tmp/*/**"sv, "${TMPDIR}/*/**"sv};

bool covers(const PathSet& reach, std::string_view text) {
  const auto all = PathSet::parse(text, Extent::exactly);
  return all && is_within(*all, reach);
}

bool covers_one(const PathSet& reach, std::span<const std::string_view> texts) {
  return std::ranges::any_of(texts,
                             [&reach](std::string_view text) { return covers(reach, text); });
}

/// `/home/alice/**`: the home directory of somebody who is named.
bool covers_named_home(const PathSet& reach) {
  const std::vector<Segment>& segments = reach.segments();
  if (reach.variable() || segments.size() < 2 || segments[1].kind == SegmentKind::any_depth ||
      (segments[0].text != "home" && segments[0].text != "Users")) {
    return false;
  }
  return covers(reach, "/" + segments[0].text + "/" + segments[1].text + "/*/**");
}

}  // namespace

std::optional<LintCode> breadth_of(PolicyField field, const PathSet& reach, HomeReads home) {
  if (field == PolicyField::allow_read && home == HomeReads::partly_denied) {
    return std::nullopt;
  }
  if (covers(reach, kEverything)) {
    return LintCode::broad_root;
  }
  if (covers_one(reach, kHomes) || covers_named_home(reach)) {
    return LintCode::broad_home;
  }
  const bool is_system = (field == PolicyField::allow_write && covers_one(reach, kSystem)) ||
                         (field == PolicyField::unix_sockets && covers_one(reach, kSockets));
  return is_system ? std::optional(LintCode::broad_system) : std::nullopt;
}

}  // namespace pmg::domain
