#include "edit.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "domain/path.hpp"
#include "messages.hpp"
#include "platform/spawn.hpp"
#include "platform/stored_file.hpp"
#include "session.hpp"
#include "text.hpp"

namespace pmg::app {
namespace {

std::vector<std::string> editor(const Environment& environment) {
  for (const std::string_view name : {"VISUAL", "EDITOR"}) {
    std::istringstream words{std::string(environment.get(name).value_or(""))};
    std::vector<std::string> command{std::istream_iterator<std::string>(words), {}};
    if (!command.empty()) {
      return command;
    }
  }
  return {"vi"};
}

/// A name beside the file that is not taken, with its ending, by which editors know the syntax.
tl::expected<std::string, std::string> write_draft(const std::string& file,
                                                   const std::string& text) {
  constexpr int kMost = 100;
  const auto slash = file.rfind('/') + 1;
  for (int i = 1; i <= kMost; ++i) {
    std::string draft =
        file.substr(0, slash) + ".draft-" + std::to_string(i) + "-" + file.substr(slash);
    const auto stored = platform::store(draft, text, platform::IfThere::fail);
    if (stored) {
      return draft;
    }
    if (stored.error().error != EEXIST) {
      return tl::unexpected(to_text(stored.error()));
    }
  }
  return tl::unexpected("there are too many drafts of " + quoted(file));
}

bool wants_to_go_on() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
    return false;
  }
  complain("open it again? [Y/n]");
  std::string answer;
  char byte = 0;
  ssize_t count = 0;
  while ((count = ::read(STDIN_FILENO, &byte, 1)) == 1 && byte != '\n') {
    answer += byte;
  }
  return count == 1 && (answer.empty() || answer.front() == 'y' || answer.front() == 'Y');
}

struct Draft {
  std::string file;
  std::string text;
  std::string notes;
};

/// The draft as the user left it, once it is right.
tl::expected<Draft, std::string> edited(const std::vector<std::string>& command,
                                        const std::string& draft, const Check& check) {
  while (true) {
    std::vector<std::string> words = command;
    words.push_back(draft);
    const auto code = platform::run_and_wait(words);
    if (!code) {
      return tl::unexpected("could not start the editor: " + to_text(code.error()));
    }
    if (*code != 0) {
      return tl::unexpected("the editor ended with exit code " + std::to_string(*code));
    }
    auto text = adapters::read_text(draft);
    if (!text) {
      return tl::unexpected(to_message(text.error()));
    }
    auto notes = check(*text);
    if (notes) {
      return Draft{draft, std::move(*text), std::move(*notes)};
    }
    complain(notes.error());
    if (!wants_to_go_on()) {
      return tl::unexpected(std::string());
    }
  }
}

}  // namespace

int edit_file(const Context& context, const domain::AbsolutePath& file, const Edit& edit) {
  const auto draft = write_draft(file.text(), edit.text);
  if (!draft) {
    return fail(draft.error());
  }
  const auto result = edited(editor(context.environment), *draft, edit.check);
  if (!result) {
    if (!result.error().empty()) {  // else it was told before the user was asked
      complain(result.error());
    }
    return fail("nothing was changed; the draft is kept as " + quoted(*draft));
  }
  if (result->text != edit.text) {
    // Two editors at once: the second one to end must not undo what the first one stored.
    const auto now = adapters::read_text(file.text());
    if (now && *now != edit.text) {
      return fail(quoted(file.text()) + " was changed meanwhile; the draft is kept as " +
                  quoted(*draft));
    }
    if (const auto stored = platform::store(file.text(), result->text, platform::IfThere::replace);
        !stored) {
      return fail(to_text(stored.error()) + "; the draft is kept as " + quoted(*draft));
    }
  }
  ::unlink(draft->c_str());
  return print(result->notes) ? 0 : 1;
}

}  // namespace pmg::app
