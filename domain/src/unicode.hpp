/// What of Unicode 15 matters for the names of files: which characters may stand for ASCII letters,
/// and which may be left out. Tables of DerivedCoreProperties.txt, CaseFolding.txt and the
/// canonical decompositions of UnicodeData.txt.
#pragma once

#include <string_view>

namespace pmg::domain {

/// Default_Ignorable_Code_Point, and the accents of Latin letters (U+0300 to U+036F).
[[nodiscard]] bool may_be_left_out(char32_t character) noexcept;

/// What a character that is not ASCII is once accents and case are taken away, as far as that is
/// ASCII: "e" for é, "fi" for ﬁ. Empty where it is a letter of its own.
[[nodiscard]] std::string_view as_ascii(char32_t character) noexcept;

}  // namespace pmg::domain
