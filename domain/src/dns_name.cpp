#include "dns_name.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "domain/ascii.hpp"

namespace pmg::domain {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_hex(char c) noexcept { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }

bool is_label(std::string_view label) noexcept {
  constexpr std::size_t kMaxLabel = 63;
  return !label.empty() && label.size() <= kMaxLabel && label.front() != '-' &&
         label.back() != '-' && std::ranges::all_of(label, [](char c) {
           return (lower(c) >= 'a' && lower(c) <= 'z') || is_digit(c) || c == '-' || c == '_';
         });
}

}  // namespace

bool is_dns_name(std::string_view text) noexcept {
  constexpr std::size_t kMaxName = 253;
  if (text.size() > kMaxName) {
    return false;
  }
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot))) {
      return false;
    }
    if (dot == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(dot + 1);
  }
}

bool ends_in_number(std::string_view text) noexcept {
  const std::string_view last = text.substr(text.rfind('.') + 1);  // npos + 1 is 0
  if (last.empty()) {
    return false;
  }
  if (last.size() >= 2 && last[0] == '0' && lower(last[1]) == 'x') {
    return std::ranges::all_of(last.substr(2), is_hex);
  }
  return std::ranges::all_of(last, is_digit);
}

}  // namespace pmg::domain
