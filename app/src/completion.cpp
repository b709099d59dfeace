#include "completion.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue.hpp"
#include "domain/overrides.hpp"
#include "domain/package_manager.hpp"
#include "flags.hpp"
#include "options.hpp"

namespace pmg::app {
namespace {

constexpr Suggestions::Files kFiles = Suggestions::Files::yes;

/// "read=", …, and presets with their names.
Suggestions allowances(const CompletionNames& names) {
  Suggestions found{{}, kFiles};
  for (const std::string_view type : domain::override_types()) {
    found.words.push_back(std::string(type) + "=");
  }
  for (const std::string& name : names.presets) {
    found.words.push_back("preset=" + name);
  }
  return found;
}

Suggestions values(Completion kind, const CompletionNames& names) {
  switch (kind) {
    case Completion::nothing:
      return {};
    case Completion::file:
      return {{}, kFiles};
    case Completion::profile:
      return {names.profiles, kFiles};
    case Completion::preset:
      return {names.presets};
    case Completion::setting:
      return {names.settings};
    case Completion::allowance:
      return allowances(names);
  }
  return {};
}

bool takes_value(const OptionText& option) noexcept {
  return option.arity == Arity::value || option.arity == Arity::values;
}

void append(Suggestions& into, Suggestions more) {
  into.words.insert(into.words.end(), more.words.begin(), more.words.end());
  into.files = more.files == kFiles ? kFiles : into.files;
}

/// The options of a command, and the values of its arguments.
Suggestions all_of(const std::vector<OptionText>& options, const CompletionNames& names) {
  Suggestions found;
  for (const OptionText& option : options) {
    if (option.name.empty()) {
      append(found, values(option.completion, names));
    } else {
      found.words.emplace_back(option.name);
    }
  }
  found.words.emplace_back("--help");
  return found;
}

std::vector<OptionText> run_flags() {
  Flags flags;
  Options options;
  flags.declare(options);
  return options.texts();
}

/// What may follow the words of a group, or pmg alone.
Suggestions next_words(std::string_view group) {
  Suggestions found;
  for (const std::string_view word : words_after(group)) {
    found.words.emplace_back(word);
  }
  if (group.empty()) {
    for (const auto manager : domain::all_package_managers()) {
      found.words.emplace_back(domain::name_of(manager));
    }
    found.words.insert(found.words.end(), {"help", "version"});
  }
  const bool runs = group.empty() || group == "sandbox";
  append(found, all_of(runs ? run_flags() : std::vector<OptionText>(), {}));
  return found;
}

/// Where on the command line the cursor is.
class Position {
 public:
  void pass(const std::string& word) {
    if (waiting_) {
      waiting_.reset();
    } else if (word.starts_with('-')) {
      pass_option(word);
    } else if (row_ != nullptr) {
      others_ = others_ || row_->reading == Reading::program;
    } else {
      pass_command_word(word);
    }
  }

  [[nodiscard]] Suggestions suggestions(const CompletionNames& names) const {
    if (others_) {
      return {{}, kFiles};
    }
    if (waiting_) {
      return values(*waiting_, names);
    }
    if (row_ == nullptr) {
      return next_words(command_);
    }
    Suggestions found = all_of(options_, names);
    found.files = row_->reading == Reading::program ? kFiles : found.files;
    return found;
  }

 private:
  void pass_option(std::string_view word) {
    const auto option = std::ranges::find(options_, word, &OptionText::name);
    if (option != options_.end() && takes_value(*option)) {
      waiting_ = option->completion;
    }
    others_ = others_ || (word == "--" && row_ != nullptr && row_->reading == Reading::program);
  }

  void pass_command_word(const std::string& word) {
    if (command_.empty() && word == "help") {
      return;
    }
    others_ = others_ || (command_.empty() && domain::parse_package_manager(word));
    command_ += (command_.empty() ? "" : " ") + word;
    row_ = find_command(command_);
    if (row_ != nullptr) {
      options_ = row_->options();
    }
  }

  std::string command_;
  const CommandRow* row_ = nullptr;
  std::vector<OptionText> options_ = run_flags();
  std::optional<Completion> waiting_;  ///< an option was given whose value comes next
  bool others_ = false;                ///< what follows belongs to another program
};

}  // namespace

Suggestions complete(const std::vector<std::string>& words, const CompletionNames& names) {
  Position position;
  for (const std::string& word : words) {
    position.pass(word);
  }
  return position.suggestions(names);
}

}  // namespace pmg::app
