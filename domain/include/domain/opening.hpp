/// What a client speaks, by its first bytes. A connection may carry anything; TLS and HTTP name a
/// host once more, which must be the one that was judged.
///
///   switch (classify_opening(bytes)) { case Opening::tls: …
///
/// OP1: what a server might take for TLS or HTTP is not `other`. Not for: reading any of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pmg::domain {

/// A first line that is longer is read as HTTP, and refused there.
inline constexpr std::size_t kMaxFirstLine = std::size_t{16} * 1024;

enum class Opening : std::uint8_t {
  undecided,  ///< more bytes are needed
  tls,
  old_tls,  ///< a ClientHello in the frame of SSL 2, which has no name
  http,     ///< HTTP/1.x, HTTP/2 without TLS, or what a lenient server takes for it
  other,
};

[[nodiscard]] Opening classify_opening(std::string_view bytes) noexcept;

}  // namespace pmg::domain
