#include "domain/origin.hpp"

namespace pmg::domain {

const char* to_words(Layer layer) noexcept {
  switch (layer) {
    case Layer::built_in_list:
      return "built-in list";
    case Layer::parent_profile:
      return "parent profile";
    case Layer::profile:
      return "profile";
    case Layer::preset:
      return "preset";
    case Layer::overlay:
      return "overlay";
    case Layer::command_line:
      return "command line";
    case Layer::repository:
      return "repository layout";
    case Layer::search_path:
      return "search path";
  }
  return "unknown";
}

}  // namespace pmg::domain
