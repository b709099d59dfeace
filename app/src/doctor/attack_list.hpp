/// The attacks that are shipped: programs of tests/escape that need no second process outside, with
/// what has to be there for them.
///
///   for (const Attack& attack : attacks()) …
///
/// Everything they do without pmg stays in the scratch directory or asks the kernel for something
/// that ends with the process.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pmg::app {

/// One thing to be made before each of the two runs. Names are of the project, or of home with
/// "~/".
/// `@SECRET@` and `@CWD@` in `text` are filled in.
struct Step {
  enum class Kind : std::uint8_t {
    directory,
    file,
    program,  ///< a file that may be executed
    link,     ///< to `text`
    copy,     ///< of the file `text`, or of the attack itself where that is empty
    remove,
    prepare,  ///< the attack itself, with the words of `text`
    forbid_reading,
  } kind;
  std::string_view name;
  std::string_view text = {};
};

/// What the environment holds besides.
enum class Variables : std::uint8_t {
  plain,
  secrets,  ///< every name of the built-in list, in three spellings, with the secret
};

struct Attack {
  int line;  ///< of the list of attacks
  std::string_view program;
  std::string_view about;
  std::span<const Step> steps = {};
  std::string_view profile = {};  ///< for --sandbox-profile
  Variables variables = Variables::plain;
};

[[nodiscard]] std::span<const Attack> attacks() noexcept;

/// The lines of the source of `program` that tell exceptions (pure/attack.hpp).
[[nodiscard]] std::string_view exceptions_of(std::string_view program) noexcept;

}  // namespace pmg::app
