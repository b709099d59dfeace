#include "commands/profile_edit.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/profile/new_profile.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "colour.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "edit.hpp"
#include "lint_text.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "platform/stored_file.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

template <class T>
using Result = tl::expected<T, std::string>;

constexpr std::string_view kInit = "pmg sandbox profile init ";
constexpr std::string_view kEdit = "pmg sandbox profile edit ";

bool is_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_profile_name(std::string_view name) noexcept {
  constexpr std::size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest && is_alphanumeric(name.front()) &&
         std::ranges::all_of(name,
                             [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

bool is_built_in(std::string_view name) { return adapters::built_in_profile(name).has_value(); }

/// "; did you mean `npm`?"
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string nearest = adapters::nearest_of(word, known);
  return nearest.empty() ? "" : "; did you mean " + quoted(nearest) + "?";
}

std::string unknown_manager(std::string_view word) {
  std::vector<std::string_view> known;
  for (const auto manager : domain::all_package_managers()) {
    known.push_back(domain::name_of(manager));
  }
  return quoted(word) + " is no package manager that pmg knows" + suggestion(word, known);
}

/// "a,b" as its words.
std::vector<std::string_view> between_commas(std::string_view words) {
  std::vector<std::string_view> found;
  while (true) {
    const auto comma = words.find(',');
    found.push_back(words.substr(0, comma));
    if (comma == std::string_view::npos) {
      return found;
    }
    words.remove_prefix(comma + 1);
  }
}

/// Words, also several in one with commas between them, each the name of a manager.
Result<std::vector<std::string>> package_managers(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& words : given) {
    for (const std::string_view word : between_commas(words)) {
      if (!domain::parse_package_manager(word)) {
        return tl::unexpected(unknown_manager(word));
      }
      if (std::ranges::find(names, word) == names.end()) {
        names.emplace_back(word);
      }
    }
  }
  return names;
}

/// A name that is free for a profile of one's own.
std::string own_name(std::string_view built_in) { return "my-" + std::string(built_in); }

std::string init_command(std::string_view built_in) {
  return quoted(std::string(kInit) + own_name(built_in) + " --from " + std::string(built_in));
}

/// The text as a profile, or why it is none.
Result<adapters::LoadedProfile> checked(const adapters::ProfileRegistry& registry, std::string text,
                                        const std::string& file) {
  auto profile = adapters::load_text(std::move(text), file);
  if (!profile) {
    return tl::unexpected(to_message(profile.error()));
  }
  if (const auto resolved = registry.resolve(*profile); !resolved) {
    return tl::unexpected(to_message(resolved.error()));
  }
  return *std::move(profile);
}

Result<adapters::NewProfile> new_profile(const InitProfile& command) {
  if (!is_profile_name(command.name)) {
    return tl::unexpected(quoted(command.name) +
                          " cannot be the name of a profile; it takes letters, digits, `-` and "
                          "`_`, begins with a letter or a digit, and has at most 64");
  }
  if (is_built_in(command.name)) {
    return tl::unexpected(quoted(command.name) +
                          " is a built-in profile, which no other one can replace; take another "
                          "name: " +
                          init_command(command.name));
  }
  auto managers = package_managers(command.managers);
  if (!managers) {
    return tl::unexpected(managers.error());
  }
  adapters::NewProfile profile{command.name, command.description.value_or(""),
                               command.from.value_or(""), *std::move(managers)};
  if (command.from) {
    const auto parent = adapters::built_in_profile(*command.from);
    if (!parent) {
      return tl::unexpected(quoted(*command.from) + " is not a built-in profile" +
                            suggestion(*command.from, adapters::built_in_names()));
    }
    if (profile.package_managers.empty()) {
      profile.package_managers = parent->policy.package_managers;
    }
  }
  if (profile.package_managers.empty()) {
    profile.package_managers = {std::string(domain::name_of(domain::PackageManager::npm))};
  }
  return profile;
}

}  // namespace

void InitProfile::declare(Options& options) {
  options.argument("NAME", name);
  options.value("--from", "BUILTIN", from, "the built-in profile that it inherits",
                Completion::profile);
  options.values("--package-manager", "NAME", managers,
                 "what it is for; repeatable, or with commas between");
  options.value("--description", "TEXT", description, "one line about it");
}

int InitProfile::run(const Context& context) const {
  const auto profile = new_profile(*this);
  if (!profile) {
    return fail(profile.error());
  }
  const auto registry = context.profiles();
  const std::string file = registry.new_file_of(name);
  const auto there = registry.file_of(name);
  const auto is_there = [this](const std::string& path) {
    return fail(quoted(path) + " is there already; change it with " +
                quoted(std::string(kEdit) + name));
  };
  if (there) {
    return is_there(*there);
  }
  const std::string text = new_profile_text(*profile);
  if (const auto loaded = checked(registry, text, file); !loaded) {
    return fail(loaded.error());
  }
  if (const auto stored = platform::store(file, text, platform::IfThere::fail); !stored) {
    return stored.error().error == EEXIST ? is_there(file) : fail(to_text(stored.error()));
  }
  std::string about = visible(file) + "\n";
  about += profile->inherits.empty()
               ? "inherits nothing: it allows reading the project, and nothing else\n"
               : "inherits " + profile->inherits + ": all of that profile's rules hold as well\n";
  return print(about) ? 0 : 1;
}

void EditProfile::declare(Options& options) { options.argument("NAME", name, Completion::profile); }

int EditProfile::run(const Context& context) const {
  if (is_built_in(name)) {
    return fail(quoted(name) +
                " is a built-in profile and stays as it is; make one of your own that inherits "
                "it: " +
                init_command(name));
  }
  const auto registry = context.profiles();
  const bool is_name = !name.empty() && name.find('/') == std::string::npos;
  const auto file = is_name ? registry.file_of(name) : std::nullopt;
  if (!file) {
    const std::vector<std::string> names = registry.names();
    return fail("there is no profile " + quoted(name) + " in " + quoted(registry.user_directory()) +
                suggestion(name, {names.begin(), names.end()}) + "; a new one is made with " +
                quoted(std::string(kInit) + (is_profile_name(name) ? name : "NAME")));
  }
  auto text = adapters::read_text(*file);
  const auto path = domain::AbsolutePath::parse(*file);
  if (!text || !path) {
    return fail(text ? quoted(*file) + " is no absolute path" : to_message(text.error()));
  }
  const Paint paint(context.environment);
  const auto check = [&registry, &file, &paint](const std::string& edited) -> Result<std::string> {
    const auto profile = checked(registry, edited, *file);
    if (!profile) {
      return tl::unexpected(profile.error());
    }
    return lines_of(lint_profile(registry, *profile), paint, Detail::with_advice);
  };
  return edit_file(context, *path, {*std::move(text), check});
}

}  // namespace pmg::app
