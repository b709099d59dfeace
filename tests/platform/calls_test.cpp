#include "platform/calls.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <linux/seccomp.h>

#include <doctest/doctest.h>

#include "platform/bpf.hpp"
#include "platform/filter.hpp"

using namespace pmg::platform;
using pmg::test::call;
using pmg::test::evaluate;

namespace {

struct KernelCall {
  std::string_view name;
  int number;
};

// From the headers of this machine (tests/CMakeLists.txt); what is newer than the oldest headers we
// build with is added by hand.
constexpr std::array kKernelCalls{
#include "generated/kernel_calls.inc"
    KernelCall{"cachestat", 451},         KernelCall{"fchmodat2", 452},
    KernelCall{"map_shadow_stack", 453},  KernelCall{"futex_wake", 454},
    KernelCall{"futex_wait", 455},        KernelCall{"futex_requeue", 456},
    KernelCall{"statmount", 457},         KernelCall{"listmount", 458},
    KernelCall{"lsm_get_self_attr", 459}, KernelCall{"lsm_set_self_attr", 460},
    KernelCall{"lsm_list_modules", 461},  KernelCall{"mseal", 462},
};

using Names = std::set<std::string, std::less<>>;

/// The names in the first column of the table below `heading`. `found_twice` gets those that were
/// there before.
Names table_below(const std::string& document, std::string_view heading, Names& found_twice) {
  Names names;
  std::istringstream lines(document.substr(document.find(heading) + heading.size()));
  for (std::string line; std::getline(lines, line) && !line.starts_with("#");) {
    if (!line.starts_with("|")) {
      continue;
    }
    const std::string column = line.substr(1, line.find('|', 1) - 1);
    for (std::size_t at = 0; (at = column.find('`', at)) != std::string::npos;) {
      const std::size_t end = column.find('`', at + 1);
      std::string name = column.substr(at + 1, end - at - 1);
      at = end + 1;
      if (name.starts_with('E')) {
        continue;  // an errno
      }
      if (!names.insert(name).second) {
        found_twice.insert(name);
      }
    }
  }
  return names;
}

/// What is in one of them and not in the other, as text.
std::string difference(const Names& said, const Names& done) {
  std::vector<std::string> names;
  std::ranges::set_symmetric_difference(said, done, std::back_inserter(names));
  std::string text;
  for (const std::string& name : names) {
    text += name + " ";
  }
  return text;
}

template <class Calls, class Project>
void collect(Names& names, const Calls& calls, Project name) {
  for (const auto& known : calls) {
    names.emplace(name(known));
  }
}

struct Tables {
  Names broker, refused, checked, passing, found_twice;
};

Tables documented() {
  std::ifstream file(PMG_DOCS "/ENFORCEMENT.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Tables tables;
  tables.broker = table_below(text, "### Sent to the broker", tables.found_twice);
  tables.refused = table_below(text, "### Refused in the filter", tables.found_twice);
  tables.checked = table_below(text, "### Looked at by the filter", tables.found_twice);
  tables.passing = table_below(text, "### Calls that pass", tables.found_twice);
  return tables;
}

Tables implemented() {
  Tables tables;
  const auto of_trapped = [](const TrappedCall& trapped) { return trapped.name; };
  const auto of_name = [](std::string_view name) { return name; };
  collect(tables.broker, kTrapped, of_trapped);
  collect(tables.broker, kSignals, of_trapped);
  for (const Refusal& refusal : kRefused) {
    collect(tables.refused, refusal.names, of_name);
  }
  collect(tables.checked, kChecked, of_name);
  for (const auto& group : kPassing) {
    collect(tables.passing, group, of_name);
  }
  return tables;
}

}  // namespace

TEST_CASE("F5: every call of the kernel is on one list, or refused") {
  const Tables lists = implemented();
  for (const auto& [name, number] : kKernelCalls) {
    if (number > kNewestKnownCall) {
      continue;  // newer headers; F2 has that these are refused
    }
    CAPTURE(std::string(name));
    const auto on = lists.broker.count(name) + lists.refused.count(name) +
                    lists.checked.count(name) + lists.passing.count(name);
    CHECK(on <= 1);
    std::set<std::uint32_t> actions;
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{4711}, ~std::uint64_t{0}}) {
      actions.insert(evaluate(filter_program(Signals::scoped),
                              call(number, {value, value, value, value, value, value})));
    }
    if (on == 0) {
      CHECK(actions == std::set<std::uint32_t>{SECCOMP_RET_ERRNO | ENOSYS});
    } else if (lists.passing.contains(name)) {
      CHECK(actions == std::set<std::uint32_t>{SECCOMP_RET_ALLOW});
    } else if (lists.refused.contains(name)) {
      CHECK(actions.size() == 1);
      CHECK((*actions.begin() & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO);
    }
  }
}

TEST_CASE("F5: docs/ENFORCEMENT.md says of every call what the filter does") {
  const Tables said = documented();
  const Tables done = implemented();
  CHECK(difference(said.found_twice, {}) == "");
  CHECK(difference(said.broker, done.broker) == "");
  CHECK(difference(said.checked, done.checked) == "");
  CHECK(difference(said.passing, done.passing) == "");
  Names refused = done.refused;
  for (const auto& [name, number] : kKernelCalls) {
    if (number <= kNewestKnownCall && !done.broker.contains(name) && !done.checked.contains(name) &&
        !done.passing.contains(name)) {
      refused.emplace(name);
    }
  }
  CHECK(difference(said.refused, refused) == "");
}

TEST_CASE("F5: the headers were found") { CHECK(kKernelCalls.size() > 350); }
