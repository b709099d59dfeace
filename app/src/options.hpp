/// What a command takes besides its words, told by the command itself.
///
///   void LintProfile::declare(Options& options) {
///     options.flag("--strict", strictness, Strictness::strict, "warnings count as errors");
///     options.argument("NAME|FILE", profile, Completion::profile);
///   }
///
/// The parser, the help texts, the manual page and the shells' completion all read these
/// declarations, so that they cannot tell different things. Not for: meaning.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pmg::app {

/// What a shell may offer in this place.
enum class Completion : std::uint8_t {
  nothing,
  file,
  profile,    ///< of names
  preset,     ///< of names
  setting,    ///< a key of config.yml
  allowance,  ///< TYPE=VALUE
};

enum class Arity : std::uint8_t {
  flag,
  value,              ///< at most once
  values,             ///< repeatable
  argument,           ///< a word, required
  optional_argument,  ///< a word
  arguments,          ///< all other words, at least one
  optional_arguments,
};

/// What help and completion tell.
struct OptionText {
  std::string_view name;   ///< "--json"; empty for an argument
  std::string_view value;  ///< "NAME|FILE"; empty for a flag
  std::string_view help;
  Arity arity;
  Completion completion;
};

/// An option and where what was given goes.
struct Option {
  OptionText text;
  std::function<void(std::string)> take;  ///< once for each time; the text of a flag is empty
};

class Options {
 public:
  template <class T>
  void flag(std::string_view name, T& target, T when_given, std::string_view help) {
    add({name, {}, help, Arity::flag, Completion::nothing},
        [&target, when_given](const std::string&) { target = when_given; });
  }

  void value(std::string_view name, std::string_view value, std::optional<std::string>& target,
             std::string_view help, Completion completion = Completion::nothing);
  void values(std::string_view name, std::string_view value, std::vector<std::string>& target,
              std::string_view help, Completion completion = Completion::nothing);

  void argument(std::string_view value, std::string& target,
                Completion completion = Completion::nothing);
  void optional_argument(std::string_view value, std::optional<std::string>& target,
                         Completion completion = Completion::nothing);
  void arguments(std::string_view value, std::vector<std::string>& target,
                 Completion completion = Completion::nothing);
  void optional_arguments(std::string_view value, std::vector<std::string>& target,
                          Completion completion = Completion::nothing);

  [[nodiscard]] const std::vector<Option>& all() const noexcept { return options_; }
  [[nodiscard]] std::vector<OptionText> texts() const;

 private:
  void add(OptionText text, std::function<void(std::string)> take) {
    options_.push_back({text, std::move(take)});
  }

  std::vector<Option> options_;
};

}  // namespace pmg::app
