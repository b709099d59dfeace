/// What the user asked for: the command line as values.
///
///   pmg --sandbox npm install left-pad  →  Flags{sandbox}, RunManager{npm, {"install",
///   "left-pad"}} pmg sandbox exec -- make -j         →  Flags{},        RunProgram{{"make", "-j"}}
///
/// Not for: meaning. Nothing here was looked up, expanded or checked against a profile.
#pragma once

#include <string>
#include <variant>

#include "commands/check.hpp"
#include "commands/config.hpp"
#include "commands/doctor.hpp"
#include "commands/overlay.hpp"
#include "commands/preset.hpp"
#include "commands/probe.hpp"
#include "commands/profile.hpp"
#include "commands/profile_edit.hpp"
#include "commands/profile_lint.hpp"
#include "commands/run.hpp"
#include "commands/setup.hpp"
#include "commands/shell.hpp"
#include "commands/violations.hpp"
#include "flags.hpp"

namespace pmg::app {

/// Help on a command or on a group of them ("sandbox profile"); on pmg where empty.
struct PrintHelp {
  std::string words;
};

struct PrintVersion {};

using Command =
    std::variant<PrintHelp, PrintVersion, RunManager, RunProgram, CheckAccess, ListProfiles,
                 ShowProfile, InitProfile, EditProfile, LintProfile, DiffProfiles, Doctor, Probe,
                 ListPresets, ShowPreset, InitPreset, EditPreset, LintPresets, AllowForProject,
                 ShowProject, ListProjects, ResetProject, ListViolations, ExplainViolation,
                 GetSetting, SetSetting, EditConfig, ShowConfigPath, ShowSetup, InstallShims,
                 RemoveShims, PrintCompletion, Complete, PrintManual>;

struct Invocation {
  Flags flags;
  Command command;
};

}  // namespace pmg::app
