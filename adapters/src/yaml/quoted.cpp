#include "adapters/yaml/quoted.hpp"

#include <string>
#include <string_view>

namespace pmg::adapters {

std::string yaml_quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
    } else {
      out += character;
    }
  }
  return out + "\"";
}

}  // namespace pmg::adapters
