#include "manual.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "catalogue.hpp"
#include "flags.hpp"
#include "help.hpp"
#include "options.hpp"

namespace pmg::app {
namespace {

constexpr std::string_view kAbout = R"(.SH NAME
pmg \- run package managers and other programs under one policy
.SH SYNOPSIS
.B pmg
.RI [ flags ]
.IR MANAGER " " ARGUMENTS
.br
.B pmg sandbox exec
.RI [ flags ]
[\-\-]
.IR PROGRAM " " ARGUMENTS
.br
.B pmg
.IR COMMAND " ..."
.SH DESCRIPTION
pmg runs a package manager, or any program, and every process that it starts, under one policy: which files may be
read, written and executed, and which environment variables are passed on. What no rule allows is refused. A deny beats
an allow. Files and variables that hold credentials are denied unless they are named exactly. The policy holds on the
object, not on its spelling, and cannot be widened from within.
.PP
.I MANAGER
is npm, pnpm, yarn, bun, npx, pnpx, pip, pip3, pipx, poetry, uv, uvx or go. It runs under its profile when the sandbox is
on (\-\-sandbox, or the configuration) and the command installs something.
)";

constexpr std::string_view kEnd = R"(.SH EXIT STATUS
Of a program that was run: its own exit code, 128+N after signal N, 127 if it was not found, 126 if it may not run.
.TP
.B 0
done
.TP
.B 1
it failed, and nothing was run
.TP
.B 2
the command line makes no sense, or a check found errors
.SH ENVIRONMENT
.TP
.B PMG_CONFIG_DIR, PMG_CACHE_DIR
where the configuration and the records of runs are
.TP
.B PMG_SANDBOX_ENABLED, PMG_SANDBOX_ENFORCE_ALWAYS
true or false: go over the configuration
.TP
.B PMG_SANDBOX
set to 1 inside
.TP
.B VISUAL, EDITOR
the editor of the edit commands
.TP
.B NO_COLOR
no colours, whatever the terminal
.SH FILES
.TP
.I ~/.config/safedep/pmg/config.yml
the configuration
.TP
.I ~/.config/safedep/pmg/sandbox/profiles
profiles of the user
.TP
.I /etc/safedep/pmg/config.yml
the configuration of the administrator
.SH SEE ALSO
.BR landlock (7),
.BR seccomp_unotify (2)
)";

/// For roff: a backslash, and a line that would begin with a control character.
std::string escaped(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    begins_line = c == '\n';
  }
  return out;
}

std::string tagged(const OptionText& option) {
  std::string line = ".TP\n.B " + escaped(option.name);
  if (!option.value.empty()) {
    line += " \\fI" + escaped(option.value) + "\\fR";
  }
  return line + "\n" + escaped(option.help) + "\n";
}

}  // namespace

std::string manual_page() {
  std::string out =
      ".TH PMG 1 \"\" \"pmg " PMG_VERSION "\" \"User Commands\"\n" + std::string(kAbout);
  Flags flags;
  Options options;
  flags.declare(options);
  out += ".SH FLAGS\nBefore the command word, or after\n.BR \"sandbox exec\" .\n";
  for (const OptionText& option : options.texts()) {
    out += tagged(option);
  }
  out += ".SH COMMANDS\n";
  for (const CommandRow& row : catalogue()) {
    if (row.synopsis.listing == Listing::shown) {
      out += ".SS " + escaped("pmg " + std::string(row.synopsis.words)) + "\n.nf\n" +
             escaped(help_text(row.synopsis.words)) + ".fi\n";
    }
  }
  return out + std::string(kEnd);
}

}  // namespace pmg::app
