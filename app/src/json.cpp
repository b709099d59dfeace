#include "json.hpp"

#include <nlohmann/json.hpp>

#include "text.hpp"

namespace pmg::app {

int print_json(const nlohmann::ordered_json& value) {
  // A file of any bytes may be shown: what is not UTF-8 is replaced, never an exception.
  return print(value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n")
             ? 0
             : 1;
}

}  // namespace pmg::app
