#include "doctor/own_files.hpp"

#include <string>
#include <vector>

#include "adapters/config.hpp"
#include "adapters/profile/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "configuration.hpp"
#include "doctor/pure/report.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

constexpr const char* kDocs = "README.md";

Fix repair(const Context& context, const adapters::LoadError& error) {
  if (error.file.empty()) {
    return {"unset the environment variable, or give it a value that is one", "env | grep ^PMG_",
            kDocs};
  }
  if (error.file == config_file(context).text()) {
    return {"correct the line that is named", "pmg config edit", kDocs};
  }
  return {"have the administrator correct the line that is named",
          "sudo vi " + shell_word(error.file), kDocs};
}

Fix edit(const std::string& file) {
  return {"correct the line that is named, or move the file away", "vi " + shell_word(file), kDocs};
}

ProbeResult check_file(const Context& context) {
  const auto config = adapters::read_config(context.directories.config, context.caller);
  if (!config) {
    return {"config.file",
            Status::fail,
            "the configuration does not load, so nothing runs",
            to_message(config.error()),
            {repair(context, config.error())}};
  }
  return {"config.file", Status::ok,
          config->enabled == adapters::Switch::on ? "loads; the sandbox is on"
                                                  : "loads; the sandbox is off unless asked for"};
}

ProbeResult check_profiles(const Context& context) {
  const auto registry = context.profiles();
  ProbeResult result{"config.profiles", Status::ok};
  int count = 0;
  for (const auto& profile : registry.list()) {
    if (profile.source != adapters::ProfileSource::user) {
      continue;
    }
    ++count;
    const auto policy = registry.resolve(profile.path);
    if (profile.error || !policy) {
      result.status = Status::fail;
      result.detail += to_message(profile.error ? *profile.error : policy.error()) + "\n";
      result.fixes.push_back(edit(profile.path));
    }
  }
  result.summary = result.status == Status::ok
                       ? std::to_string(count) + " profiles of the user load"
                       : std::to_string(result.fixes.size()) + " of " + std::to_string(count) +
                             " profiles of the user do not load";
  return result;
}

}  // namespace

std::vector<ProbeResult> check_configuration(const Context& context) {
  return {check_file(context), check_profiles(context)};
}

}  // namespace pmg::app
