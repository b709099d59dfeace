#include "doctor/attack_list.hpp"

#include <array>
#include <span>
#include <string_view>

namespace pmg::app {
namespace {

using Kind = Step::Kind;

constexpr std::array kSymlinks{
    Step{Kind::link, "direct", ".env"},
    Step{Kind::link, "chain", "direct"},
    Step{Kind::link, "chain2", "chain"},
    Step{Kind::link, "around", "../project/.env"},
    Step{Kind::link, "absolute", "@CWD@/.env"},
    Step{Kind::link, "directory", "sub/deep"},
    Step{Kind::link, "ssh", "../home/.ssh"},
    Step{Kind::link, "here", "."},
    Step{Kind::link, "root", "/"},
    Step{Kind::directory, "other"},
    Step{Kind::link, "other/up", "../sub/deep/.env"},
};

constexpr std::array kPathDescriptors{
    Step{Kind::program, ".env", "#!/bin/cat\nTOKEN=@SECRET@\n"},
};

constexpr std::array kMoves{
    Step{Kind::directory, "node_modules"},
    Step{Kind::directory, "empty"},
};

constexpr std::array kRaces{
    Step{Kind::directory, "empty"},
    Step{Kind::directory, "node_modules"},
    Step{Kind::file, "f", "harmless\n"},
    Step{Kind::link, "way", "sub/deep"},
};

constexpr std::array kUndumpable{
    Step{Kind::copy, "unreadable"},
    Step{Kind::forbid_reading, "unreadable"},
};

constexpr std::array kWriting{
    Step{Kind::directory, "~/.ssh/old"},
    Step{Kind::directory, "~/old"},
};

constexpr std::array kPlanting{
    Step{Kind::directory, "empty"},
    Step{Kind::file, "ours", "harmless\n"},
    Step{Kind::file, "ready/config", "planted\n"},
    Step{Kind::directory, "ready/hooks"},
};

constexpr std::array kParents{
    Step{Kind::file, ".git/HEAD", "ref: refs/heads/main\n"},
    Step{Kind::file, ".git/config", "[core]\n\trepositoryformatversion = 0\n"},
    Step{Kind::program, ".git/hooks/pre-push", "#!/bin/sh\nexit 0\n"},
    Step{Kind::directory, ".git/objects/info"},
    Step{Kind::directory, ".git/refs/heads"},
    Step{Kind::directory, "other"},
    Step{Kind::file, "evil/config", "[core]\n"},
    Step{Kind::file, "evil/hooks/post-commit", "#!/bin/sh\n"},
    Step{Kind::file, "node_modules/x/.git/config", "[core]\n"},
    Step{Kind::file, "node_modules/x/.env", "EXAMPLE=1\n"},
};

constexpr std::array kHooksAbsent{
    Step{Kind::directory, "evil/hooks"},
    Step{Kind::file, "evil/config", "[core]\n\tfsmonitor = ./evil\n"},
};

constexpr std::array kDotfiles{
    Step{Kind::file, ".git/HEAD", "ref: refs/heads/main\n"},
    Step{Kind::file, ".git/config", "[core]\n\trepositoryformatversion = 0\n"},
    Step{Kind::directory, ".git/objects/info"},
    Step{Kind::directory, ".git/refs/heads"},
    Step{Kind::file, "bashrc", "# harmless\n"},
    Step{Kind::link, "~/.bashrc", "@CWD@/bashrc"},
    Step{Kind::file, "end", "# harmless\n"},
    Step{Kind::link, "step", "end"},
    Step{Kind::link, "~/.profile", "@CWD@/step"},
    Step{Kind::directory, "dot"},
    Step{Kind::link, "~/.zshrc", "@CWD@/dot/zshrc"},
    Step{Kind::directory, "config/systemd/user"},
    Step{Kind::directory, "real/autostart"},
    Step{Kind::link, "~/.config", "@CWD@/config"},
    Step{Kind::link, "config/autostart", "../real/autostart"},
    Step{Kind::directory, "githooks"},
    Step{Kind::link, ".git/hooks", "../githooks"},
    Step{Kind::file, "token", "TOKEN=@SECRET@\n"},
    Step{Kind::link, "~/.netrc", "@CWD@/token"},
    Step{Kind::link, "link", "token"},
    Step{Kind::link, ".env.local", "link"},
};

constexpr std::array kDeniedProgram{
    Step{Kind::directory, "tool"},
    Step{Kind::prepare, {}, "make tool/static ran"},
    Step{Kind::prepare, {}, "make allowed own"},
    Step{Kind::copy, "tool/dynamic", "/bin/echo"},
    Step{Kind::link, "way", "tool/static"},
    Step{Kind::file, "~/.config/safedep/pmg/sandbox/profiles/mine.yml",
         "name: mine\ndescription: mine\npackage_managers: [npm]\ninherits: exec\nprocess:\n"
         "  deny_exec:\n    - ${CWD}/tool/static\n    - ${CWD}/tool/dynamic\n"},
};

constexpr std::array kAttacks{
    Attack{1, "01_names", "other spellings of the name of a secret"},
    Attack{2, "02_symlinks", "symlinks to a secret", kSymlinks},
    Attack{3, "03_proc_links", "a secret through links of /proc"},
    Attack{4, "04_path_descriptors", "descriptors that are only names", kPathDescriptors},
    Attack{5, "05_links_and_renames", "hard links, and moves, of a secret", kMoves},
    Attack{6, "06_open_family", "every call that opens a file"},
    Attack{7, "07_races", "names rewritten between check and use", kRaces},
    Attack{8, "08_undumpable", "a program that cannot be looked into", kUndumpable},
    Attack{9, "09_other_abi", "32-bit and x32 calls, io_uring, file handles"},
    Attack{17, "17_writing", "creating, truncating, appending, removing", kWriting},
    Attack{18, "18_metadata", "modes, owners, times, attributes"},
    Attack{19, "19_planting", "planting by rename, link, symlink, FIFO, socket", kPlanting},
    Attack{20, "20_parents", "moving the directory above, planting, moving back", kParents},
    Attack{21, "21_hooks_absent", "hooks of git where there are none yet", kHooksAbsent},
    Attack{24, "24_dotfiles", "start-up files that are symlinks into the project", kDotfiles},
    Attack{26, "26_mappings", "writing through what is open for reading"},
    Attack{28, "28_denied_program", "running a denied program by another way", kDeniedProgram,
           "mine"},
    Attack{29, "29_nameless_programs", "running programs without a name"},
    Attack{34, "34_kernel", "interfaces of the kernel: keys, bpf, modules"},
    Attack{37, "37_filters", "more filters and tracers on top"},
    Attack{39, "39_families", "families of sockets that no rule allows"},
    Attack{46, "46_environment", "secrets in variables, in any case", {}, {}, Variables::secrets},
};

}  // namespace

std::span<const Attack> attacks() noexcept { return kAttacks; }

}  // namespace pmg::app
