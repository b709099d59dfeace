#include "commands/setup.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "adapters/config/managed_file.hpp"
#include "adapters/config/settings.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "configuration.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "platform/stored_file.hpp"
#include "session.hpp"
#include "shell_rc.hpp"
#include "shims.hpp"
#include "table.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

template <class T>
using Result = tl::expected<T, std::string>;

bool is_missing(const std::string& file) {
  std::error_code error;
  return std::filesystem::symlink_status(file, error).type() ==
         std::filesystem::file_type::not_found;
}

/// Writes config.yml where there is none; says what is there.
Result<std::string> write_template(const Context& context) {
  const auto managed = adapters::ManagedFile::of_system();
  const auto of_all = adapters::read_managed(managed);
  if (!of_all || *of_all) {
    return managed.path.text() + " (of the administrator)";
  }
  const std::string file = config_file(context).text();
  if (!is_missing(file)) {
    return visible(file) + " (as it was)";
  }
  const auto stored = platform::store(file, adapters::config_template(), platform::IfThere::fail);
  return stored ? Result<std::string>(visible(file) + " (new, with the defaults)")
                : tl::unexpected(to_text(stored.error()));
}

/// All or nothing is touched: what is in the way is found first.
Result<std::string> make_shims(const Context& context) {
  const auto target = shim_target(context);
  if (!target) {
    return tl::unexpected(target.error());
  }
  const auto shims = look_at_shims(context);
  for (const Shim& shim : shims) {
    if (shim.state == ShimState::foreign) {
      return tl::unexpected(app::quoted(shim.file.text()) +
                            " is in the way and no shim of pmg; move it elsewhere");
    }
  }
  std::vector<std::string> names;
  for (const Shim& shim : shims) {
    names.emplace_back(name_of(shim.manager));
    if (shim.state != ShimState::current) {
      if (const auto made = make_shim(shim, *target); !made) {
        return tl::unexpected(made.error());
      }
    }
  }
  return visible(shim_directory(context).text()) + " (" + joined(names) + ")";
}

enum class Change { add, remove };

/// The new text of a start-up file; empty where it stays as it is.
Result<std::optional<std::string>> changed(const Context& context, const StartFile& file,
                                           Change change) {
  std::string text;
  if (!is_missing(file.file.text())) {
    auto read = adapters::read_text(file.file.text());
    if (!read) {
      return tl::unexpected(to_message(read.error()));
    }
    if (read->size() > adapters::kMaxYamlBytes) {
      return tl::unexpected(app::quoted(file.file.text()) + " is too large to be changed safely");
    }
    text = std::move(*read);
  }
  auto after = change == Change::add
                   ? with_block(text, path_line(file.shell, shim_directory(context)))
                   : without_block(text);
  if (!after) {
    return tl::unexpected(app::quoted(file.file.text()) +
                          " has the beginning of a block of pmg, and no end; remove it by hand");
  }
  return *after == text ? std::nullopt : std::optional(std::move(*after));
}

/// Stores what changed; the file's names.
Result<std::vector<std::string>> change_start_files(const Context& context,
                                                    const std::vector<StartFile>& files,
                                                    Change change) {
  std::vector<std::string> names;
  for (const StartFile& file : files) {
    const auto text = changed(context, file, change);
    if (!text) {
      return tl::unexpected(text.error());
    }
    if (*text) {
      const auto stored = platform::store(file.file.text(), **text, platform::IfThere::replace);
      if (!stored) {
        return tl::unexpected(to_text(stored.error()));
      }
      names.push_back(visible(file.file.text()));
    }
  }
  return names;
}

/// The shells that are used here: those with a start-up file, and the one of the account.
std::vector<StartFile> files_in_use(const Context& context, const std::vector<StartFile>& all) {
  const std::string_view shell = context.caller.variable("SHELL");
  std::vector<StartFile> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), [shell](const StartFile& file) {
    return !is_missing(file.file.text()) ||
           shell.substr(shell.rfind('/') + 1) == name_of(file.shell);
  });
  return found;
}

std::string lines_to_put(const Context& context, const std::vector<StartFile>& files) {
  std::string out = "\nPut this at the end of your shell's start-up file (`--write-rc` does it):\n";
  for (const StartFile& file : files) {
    out += "  " + std::string(name_of(file.shell)) + ", in " + visible(file.file.text()) +
           ":\n    " + path_line(file.shell, shim_directory(context)) + "\n";
  }
  return out;
}

/// What holds now, so that nobody takes the shims for the sandbox.
std::string state_text(Context context) {
  const auto config = open_config(context);
  if (!config) {
    complain(config.error());
    return "";
  }
  return config->enabled == adapters::Switch::on
             ? "\nThe sandbox is on: package managers run under their policies.\n"
             : "\nThe sandbox is off, so package managers still run as ever. To turn it on:\n"
               "  pmg config set sandbox.enabled true\n";
}

Result<std::string> start_files_text(const Context& context, InstallShims::StartFiles how) {
  const auto files = start_files(context);
  if (!files) {
    return tl::unexpected(files.error());
  }
  if (how == InstallShims::StartFiles::printed) {
    return lines_to_put(context, *files);
  }
  const auto used = files_in_use(context, *files);
  if (used.empty()) {
    return lines_to_put(context, *files);
  }
  const auto names = change_start_files(context, used, Change::add);
  if (!names) {
    return tl::unexpected(names.error());
  }
  return names->empty() ? std::string("start-up  as it was\n")
                        : "start-up  " + joined(*names) + " (holds in new shells)\n";
}

}  // namespace

void InstallShims::declare(Options& options) {
  options.flag("--write-rc", start_files, StartFiles::written,
               "write the line into the start-up files of your shells, in a marked block");
}

int InstallShims::run(const Context& context) const {
  const auto shims = make_shims(context);
  if (!shims) {
    return fail(shims.error());
  }
  const auto file = write_template(context);
  if (!file) {
    return fail(file.error());
  }
  const auto lines = start_files_text(context, start_files);
  if (!lines) {
    return fail(lines.error());
  }
  return print("shims     " + *shims + "\nconfig    " + *file + "\n" + *lines + state_text(context))
             ? 0
             : 1;
}

void RemoveShims::declare(Options& /*options*/) {}

int RemoveShims::run(const Context& context) {
  const auto files = start_files(context);
  if (!files) {
    return fail(files.error());
  }
  auto changed_files = change_start_files(context, *files, Change::remove);
  if (!changed_files) {
    return fail(changed_files.error());
  }
  std::vector<std::string> gone = std::move(*changed_files);
  for (const Shim& shim : look_at_shims(context)) {
    if (shim.state == ShimState::current || shim.state == ShimState::stale) {
      if (const auto removed = remove_shim(shim); !removed) {
        return fail(removed.error());
      }
      gone.push_back(visible(shim.file.text()));
    } else if (shim.state == ShimState::foreign) {
      complain(app::quoted(shim.file.text()) + " is no shim of pmg and stays");
    }
  }
  ::rmdir(shim_directory(context).text().c_str());  // only where it is empty
  std::string out = gone.empty() ? "there was nothing to remove\n" : "";
  for (const std::string& name : gone) {
    out += "removed from " + name + "\n";
  }
  return print(out) ? 0 : 1;
}

}  // namespace pmg::app
