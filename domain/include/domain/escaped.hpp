/// Any bytes as one harmless line, and back.
///
///   escaped("a\nb\\c")                     // "a\x0ab\x5cc", as text
///   unescaped("a\\x0ab")                   // "a\nb"
///
/// ES1: what was escaped reads back as the same bytes. ES2: it is UTF-8 without invisible
/// characters (controls, bidirectional marks), so it cannot forge a line or move a cursor, wherever
/// it is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pmg::domain {

/// What is invisible, malformed or a backslash becomes `\xNN`, byte by byte.
[[nodiscard]] std::string escaped(std::string_view bytes);

/// The same for people, with each backslash as it is (ES2). It need not read back.
[[nodiscard]] std::string visible(std::string_view bytes);

/// One byte as `\xNN`.
void append_escape(std::string& out, char byte);

/// Nothing for a backslash that begins no `\xNN`.
[[nodiscard]] std::optional<std::string> unescaped(std::string_view text);

}  // namespace pmg::domain
