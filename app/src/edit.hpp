/// `edit`: a file of the user in the user's editor, stored only once it is right.
///
///   return edit_file(context, file, {text, check});
///
/// E1: the editor gets a draft beside the file. The file itself is replaced, whole, when the draft
/// passes the check, and not before; a draft that does not is kept and named.
#pragma once

#include <functional>
#include <string>

#include <tl/expected.hpp>

#include "domain/path.hpp"
#include "session.hpp"

namespace pmg::app {

/// What to say about a text that may be stored (lines for standard output, or nothing), or why it
/// may not (for standard error).
using Check = std::function<tl::expected<std::string, std::string>(const std::string& text)>;

struct Edit {
  std::string text;  ///< to begin with: what is in the file
  Check check;
};

/// The exit code. The editor is $VISUAL, $EDITOR or vi; words of the variable are split at spaces,
/// no shell reads it. After an error the editor opens again if the user, asked on the terminal,
/// wants that.
[[nodiscard]] int edit_file(const Context& context, const domain::AbsolutePath& file,
                            const Edit& edit);

}  // namespace pmg::app
