/// The secret of a run, and how clients say that they know it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pmg::adapters {

inline constexpr std::string_view kProxyUser = "pmg";

/// 256 bits as hexadecimal digits. Nothing where the machine gives no random bytes.
[[nodiscard]] std::optional<std::string> make_secret();
/// Takes the same time whichever byte differs.
[[nodiscard]] bool is_same_secret(std::string_view a, std::string_view b) noexcept;
/// RFC 4648 section 4.
[[nodiscard]] std::string base64(std::string_view bytes);
/// `Basic …` of RFC 7617 with the user and this secret.
[[nodiscard]] bool is_authorized(std::string_view header, std::string_view secret);

}  // namespace pmg::adapters
