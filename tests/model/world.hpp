/// A world drawn from bytes: a policy, a file tree near its rules, and where the probe stands.
///
///   gen::Choices choices(bytes);
///   const World world = draw_world(choices, sites);
///
/// Total, as all generators: any bytes give a world that can be built.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "gen/choices.hpp"
#include "model/tree.hpp"

namespace pmg::model {

/// Where worlds are built, and what runs in them.
struct Sites {
  std::string root;   ///< the tree
  std::string spare;  ///< second names of its files
  std::string probe;  ///< the program
};

struct World {
  domain::Policy policy;
  domain::Variables variables;
  std::map<std::string, Node> nodes;
  std::vector<std::string> missing;  ///< paths near the rules at which nothing is
  std::string cwd;                   ///< of the probe
  unsigned salt;                     ///< which spellings are tried
};

[[nodiscard]] World draw_world(gen::Choices& choices, const Sites& sites);

/// The policy must let the probe itself start: an allow rule for it, and no deny rule that covers
/// it.
void let_probe_start(domain::Policy& policy, const domain::Variables& variables,
                     const std::string& probe);

}  // namespace pmg::model
