/// What a path means to a probe, found on the planned tree without asking the kernel.
///
///   const View view{tree, cwd, held};
///   const Resolved object = view.resolve({kFromCwd, "link/../x"}, Last::followed);
///
/// path_resolution(7) in a few lines, so that the broker's resolver has something to be compared
/// with. Knows of procfs only what leads back to the probe: self and thread-self with cwd, root and
/// fd.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/tree.hpp"

namespace pmg::model {

/// A text and where it starts.
struct Spelling {
  int base;  ///< kFromCwd, or the index of a held descriptor
  std::string text;
  friend bool operator==(const Spelling&, const Spelling&) = default;
};

enum class Last : std::uint8_t { followed, itself };

struct Resolved {
  int error = 0;               ///< what stops the walk; 0 also where only the last name is missing
  std::string real{};          ///< canonical
  std::string spelled{};       ///< the text made absolute, by text alone
  const Node* node = nullptr;  ///< null: nothing is there
  [[nodiscard]] bool exists() const { return error == 0 && node != nullptr; }
  [[nodiscard]] bool is_missing() const { return error == 0 && node == nullptr; }
};

/// What is not modelled: the answer of the sandbox can then only be compared with the kernel's.
inline constexpr int kUnknown = -1;

struct View {
  const Tree& tree;
  std::string cwd;                ///< canonical
  std::vector<std::string> held;  ///< canonical paths of the held descriptors

  [[nodiscard]] Resolved resolve(const Spelling& spelling, Last last) const;
  /// The directory of the last component, and that component: for calls that change a name.
  [[nodiscard]] Resolved place(const Spelling& spelling) const;
  [[nodiscard]] const std::string& base_of(const Spelling& spelling) const;
};

/// `text` from `base`, with "//", "." and ".." removed by text alone.
[[nodiscard]] std::string lexical(std::string_view base, std::string_view text);

[[nodiscard]] std::string parent_of(const std::string& path);
[[nodiscard]] std::string name_of(const std::string& path);
/// The text that leads from a directory to a path without leaving the tree's names: "../x/y".
[[nodiscard]] std::string relative(const std::string& directory, const std::string& path);
[[nodiscard]] std::string joined(const std::string& directory, std::string_view name);

}  // namespace pmg::model
