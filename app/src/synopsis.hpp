/// How a command is called and what its help says.
#pragma once

#include <string_view>

namespace pmg::app {

/// Whether help, the manual page and completion tell of a command.
enum class Listing { shown, hidden };

struct Synopsis {
  std::string_view words;    ///< "sandbox profile lint"
  std::string_view summary;  ///< one line: what it does, lowercase, no final period
  std::string_view example;  ///< a whole command line, with its `pmg`
  Listing listing = Listing::shown;
  std::string_view details = {};  ///< paragraphs for its help; ends with a line end
};

/// How a command that shows something prints it.
enum class Output { text, json };

}  // namespace pmg::app
