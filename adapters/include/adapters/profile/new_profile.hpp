/// The text of a profile to begin with.
///
///   new_profile_text({.name = "mine", .inherits = "npm", .package_managers = {"npm"}})
///
/// NP1: it loads, to what was asked for; with the `#` of its examples taken away it still does.
#pragma once

#include <string>
#include <vector>

namespace pmg::adapters {

struct NewProfile {
  std::string name;
  std::string description;
  std::string inherits;  ///< a built-in profile; empty: none, and then it reads the project alone
  std::vector<std::string> package_managers;
};

[[nodiscard]] std::string new_profile_text(const NewProfile& profile);

}  // namespace pmg::adapters
