#include "commands/shell.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/config/settings.hpp"
#include "adapters/preset/registry.hpp"
#include "adapters/profile/registry.hpp"
#include "completion.hpp"
#include "manual.hpp"
#include "options.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

// The words up to the cursor's go to `pmg __complete`; the shell picks those that fit.
constexpr std::string_view kBash = R"(# bash completion for pmg
_pmg() {
  local current=${COMP_WORDS[COMP_CWORD]} line files=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = :files ]; then files=yes; continue; fi
    [[ $line == "$current"* ]] && COMPREPLY+=("$line")
  done < <(pmg __complete -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
  fi
  [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _pmg pmg
)";

constexpr std::string_view kZsh = R"(#compdef pmg
_pmg() {
  local -a found
  found=("${(@f)$(pmg __complete -- "${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  compadd -- ${found:#:files}
  (( ${found[(I):files]} )) && _files
}
# As a file of $fpath this is the function itself; where it is sourced it only defines it.
if [ "$funcstack[1]" = _pmg ]; then _pmg; else compdef _pmg pmg; fi
)";

constexpr std::string_view kFish = R"(# fish completion for pmg
function __pmg_complete
    set -l words (commandline -opc)
    for line in (pmg __complete -- $words[2..-1] 2>/dev/null)
        if test $line = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c pmg -f -a '(__pmg_complete)'
)";

constexpr std::array kScripts{std::pair{std::string_view("bash"), kBash},
                              std::pair{std::string_view("zsh"), kZsh},
                              std::pair{std::string_view("fish"), kFish}};

CompletionNames names_of(const Context& context) {
  CompletionNames names;
  names.settings = adapters::setting_keys();
  for (const auto& profile : context.profiles().list()) {
    names.profiles.push_back(profile.name);
  }
  for (const auto& row : context.presets().list()) {
    names.presets.push_back(row.preset.name);
  }
  return names;
}

}  // namespace

void PrintCompletion::declare(Options& options) { options.argument("bash|zsh|fish", shell); }

int PrintCompletion::run(const Context& /*context*/) const {
  for (const auto& [name, script] : kScripts) {
    if (name == shell) {
      return print(script) ? 0 : 1;
    }
  }
  complain("no completion for " + quoted(shell) + "; there is one for bash, zsh and fish");
  return 2;
}

void Complete::declare(Options& options) { options.optional_arguments("WORD", words); }

int Complete::run(const Context& context) const {
  const Suggestions found = complete(words, names_of(context));
  std::string out;
  for (const std::string& word : found.words) {
    out += visible(word) + "\n";
  }
  return print(out + (found.files == Suggestions::Files::yes ? ":files\n" : "")) ? 0 : 1;
}

void PrintManual::declare(Options& /*options*/) {}

int PrintManual::run(const Context& /*context*/) const { return print(manual_page()) ? 0 : 1; }

}  // namespace pmg::app
