#include "layers.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/config.hpp"
#include "adapters/overlay/overlay.hpp"
#include "adapters/overlay/project.hpp"
#include "adapters/overlay/store.hpp"
#include "adapters/preset/registry.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/compiled.hpp"
#include "domain/origin.hpp"
#include "domain/overrides.hpp"
#include "domain/policy.hpp"
#include "domain/preset.hpp"
#include "messages.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

template <class T>
using Result = tl::expected<T, std::string>;
using Allowances = std::vector<domain::Sourced<domain::Override>>;

std::string count_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " allowance" : " allowances");
}

class Layers {
 public:
  Layers(const Context& context, domain::Policy profile, const domain::Surroundings& surroundings)
      : context_(context),
        presets_(context.presets()),
        surroundings_(surroundings),
        made_{std::move(profile), {}, {}} {
    made_.layers.push_back({"profile", made_.policy.name});
  }

  /// They are in the policy already; here they are told.
  Result<void> tell_presets() {
    for (const auto& name : made_.policy.presets) {
      auto preset = presets_.load(name.value);
      if (!preset) {
        return tl::unexpected(to_message(preset.error()));
      }
      tell(*preset, made_.policy);
    }
    return {};
  }

  Result<void> add_overlay() {
    const auto project = adapters::project_of(context_.caller, surroundings_.variables);
    if (!project) {  // the home directory, with --unsafe-cwd: nothing can be kept for it
      return {};
    }
    const adapters::OverlayStore store = context_.overlays();
    const auto overlay = store.load(*project, surroundings_);
    if (context_.lockdown == adapters::Lockdown::on) {
      if (!overlay || *overlay) {
        made_.notices.emplace_back(
            "the administrator has locked the sandbox: what is allowed for this project is "
            "ignored");
      }
      return {};
    }
    if (!overlay) {
      return tl::unexpected(to_message(overlay.error()) +
                            "; `pmg sandbox project reset --yes` removes what is allowed here");
    }
    if (!*overlay || (*overlay)->allow.empty()) {
      return {};
    }
    made_.layers.push_back(
        {"overlay", store.file_of(*project) + ": " + count_text((*overlay)->allow.size())});
    made_.policy.name += "+overlay";
    return add((*overlay)->rules());
  }

  Result<void> add_command_line(const std::vector<domain::Override>& overrides) {
    if (overrides.empty()) {
      return {};
    }
    made_.layers.push_back({"command line", count_text(overrides.size())});
    Allowances allowances;
    for (const domain::Override& rule : overrides) {
      allowances.push_back({rule, domain::Origin{domain::Layer::command_line, {}, 0}});
    }
    return add(allowances);
  }

  LayeredPolicy finish() && {
    if (uses_network_) {
      made_.notices.emplace_back(
          "this version does not confine the network: net-connect and net-bind change nothing");
    }
    return std::move(made_);
  }

 private:
  Result<void> add(const Allowances& allowances) {
    std::vector<domain::Preset> presets;
    for (const auto& each : allowances) {
      uses_network_ = uses_network_ || std::holds_alternative<domain::AllowConnect>(each.value) ||
                      std::holds_alternative<domain::AllowBind>(each.value);
      const auto* named = std::get_if<domain::AllowPreset>(&each.value);
      if (named == nullptr) {
        continue;
      }
      auto preset = presets_.load(named->name);
      if (!preset) {
        const bool is_unknown = preset.error().code == adapters::LoadErrc::unknown_preset;
        return tl::unexpected((is_unknown ? to_text(each.origin) + ": " : "") +
                              to_message(preset.error()));
      }
      tell(*preset, made_.policy);
      presets.push_back(std::move(preset->preset));
    }
    made_.policy =
        with_allowances(std::move(made_.policy), allowances, surroundings_.variables, presets);
    return {};
  }

  void tell(const adapters::LoadedPreset& loaded, const domain::Policy& policy) {
    const domain::Preset& preset = loaded.preset;
    made_.layers.push_back(
        {"preset", preset.name + " (" + (loaded.path.empty() ? "built-in" : loaded.path) + ")"});
    for (const std::string& name : withheld_variables(policy, preset)) {
      made_.notices.push_back("the preset " + quoted(preset.name) + " gives " + quoted(name) +
                              ", which the profile denies: it is removed");
    }
  }

  const Context& context_;
  adapters::PresetRegistry presets_;
  const domain::Surroundings& surroundings_;
  LayeredPolicy made_;
  bool uses_network_ = false;
};

}  // namespace

Result<LayeredPolicy> with_layers(const Context& context, domain::Policy profile,
                                  const std::vector<domain::Override>& overrides,
                                  const domain::Surroundings& surroundings) {
  Layers layers(context, std::move(profile), surroundings);
  const auto added =
      layers.tell_presets().and_then([&] { return layers.add_overlay(); }).and_then([&] {
        return layers.add_command_line(overrides);
      });
  return added ? Result<LayeredPolicy>(std::move(layers).finish()) : tl::unexpected(added.error());
}

}  // namespace pmg::app
