#include "credentials.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "domain/ascii.hpp"

namespace pmg::adapters {

std::optional<std::string> make_secret() {
  constexpr std::size_t kLength = 64;
  try {
    std::random_device device("/dev/urandom");
    std::string out;
    while (out.size() < kLength) {
      std::uint32_t bits = device();
      for (unsigned i = 0; i < 4; ++i, bits >>= 8U) {
        domain::append_hex(out, static_cast<unsigned char>(bits & 0xffU));
      }
    }
    return out;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool is_same_secret(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) {
    return false;
  }
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8U | (j < group.size() ? static_cast<unsigned char>(group[j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= group.size() ? kDigits[bits >> (18U - 6U * j) & 0x3fU] : '=';
    }
  }
  return out;
}

bool is_authorized(std::string_view header, std::string_view secret) {
  constexpr std::string_view kScheme = "basic ";
  const bool is_basic =
      header.size() > kScheme.size() &&
      std::equal(kScheme.begin(), kScheme.end(), header.begin(),
                 [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  return is_basic && is_same_secret(header.substr(kScheme.size()),
                                    base64(std::string(kProxyUser) + ":" + std::string(secret)));
}

}  // namespace pmg::adapters
