#include "commands/profile_lint.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "colour.hpp"
#include "domain/lint.hpp"
#include "json.hpp"
#include "lint_text.hpp"
#include "options.hpp"
#include "session.hpp"
#include "synopsis.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

constexpr int kFindings = 2;
constexpr const char* kStandardInput = "<stdin>";

/// All of standard input; one byte more than a file may have says that it is too large.
tl::expected<std::string, adapters::LoadError> read_standard_input() {
  std::string text;
  std::string block(4096, '\0');
  while (text.size() <= adapters::kMaxYamlBytes) {
    const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
    if (count < 0) {
      return tl::unexpected(
          adapters::LoadError{adapters::LoadErrc::unreadable, kStandardInput, {}, {}, {}, {}, {}});
    }
    if (count == 0) {
      break;
    }
    text.append(block, 0, static_cast<std::size_t>(count));
  }
  return text;
}

tl::expected<adapters::LoadedProfile, adapters::LoadError> load(const Context& context,
                                                                const std::string& name) {
  if (name != "-") {
    return context.profiles().load(name);
  }
  auto text = read_standard_input();
  if (!text) {
    return tl::unexpected(std::move(text.error()));
  }
  return adapters::load_text(*std::move(text), kStandardInput);
}

/// There is nothing that could be looked at.
bool is_missing(adapters::LoadErrc code) noexcept {
  return code == adapters::LoadErrc::missing || code == adapters::LoadErrc::directory ||
         code == adapters::LoadErrc::unreadable || code == adapters::LoadErrc::unknown_profile;
}

std::string name_of(const tl::expected<adapters::LoadedProfile, adapters::LoadError>& loaded) {
  if (!loaded) {
    return loaded.error().file;
  }
  return loaded->path.empty() ? loaded->name : loaded->path;
}

}  // namespace

void LintProfile::declare(Options& options) {
  options.argument("NAME|FILE|-", profile, Completion::profile);
  options.flag("--strict", strictness, Strictness::warnings, "warnings count as errors");
  options.flag("--verbose", detail, Detail::with_advice, "say what to do about each finding");
  options.flag("--json", output, Output::json, "as JSON");
}

int LintProfile::run(const Context& context) const {
  const auto loaded = load(context, profile);
  if (!loaded && is_missing(loaded.error().code)) {
    complain(to_message(loaded.error()));
    return 1;
  }
  const std::vector<Remark> remarks =
      loaded ? lint_profile(context.profiles(), *loaded) : remarks_of(loaded.error());
  const std::string name = name_of(loaded);
  int printed = 0;
  if (output == Output::json) {
    printed = print_json({{"profile", name}, {"issues", to_json(remarks)}});
  } else if (remarks.empty()) {
    printed = print(visible(name) + ": nothing found\n") ? 0 : 1;
  } else {
    printed = print(lines_of(remarks, Paint(context.environment), detail)) ? 0 : 1;
  }
  const bool fails = std::ranges::any_of(remarks, [this](const Remark& remark) {
    return remark.level == domain::LintLevel::error ||
           (strictness == Strictness::warnings && remark.level == domain::LintLevel::warning);
  });
  return fails ? kFindings : printed;
}

}  // namespace pmg::app
