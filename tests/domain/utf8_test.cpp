#include "domain/utf8.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace pmg::domain {
namespace {

using namespace std::string_view_literals;

std::string encoded(char32_t code) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) {
    return {byte(code)};
  }
  if (code < 0x800) {
    return {byte(0xC0 | (code >> 6)), byte(0x80 | (code & 0x3F))};
  }
  if (code < 0x10000) {
    return {byte(0xE0 | (code >> 12)), byte(0x80 | ((code >> 6) & 0x3F)),
            byte(0x80 | (code & 0x3F))};
  }
  return {byte(0xF0 | (code >> 18)), byte(0x80 | ((code >> 12) & 0x3F)),
          byte(0x80 | ((code >> 6) & 0x3F)), byte(0x80 | (code & 0x3F))};
}

TEST_CASE("U1: every character is read as what it is, and surrogates are none") {
  for (char32_t code = 0; code < 0x110000; ++code) {
    const std::string alone = encoded(code);
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    for (const std::string& text : {alone, alone + "x"}) {
      const auto character = first_character(text);
      if (is_surrogate
              ? character.has_value()
              : !character || character->code != code || character->length != alone.size()) {
        CAPTURE(static_cast<unsigned>(code));
        FAIL_CHECK("is not read as what it is");
      }
    }
  }
}

TEST_CASE("U1: malformed text is no character") {
  struct Row {
    std::string_view text;
    const char* why;
  };
  const Row rows[] = {
      {"", "nothing"},
      {"\x80", "a continuation"},
      {"\xC0\x80", "an overlong NUL"},
      {"\xC1\xBF", "overlong"},
      {"\xE0\x80\xAE", "an overlong dot"},
      {"\xF0\x80\x80\xAF", "an overlong slash"},
      {"\xC3", "cut off"},
      {"\xE2\x80", "cut off"},
      {"\xF0\x9F\x98", "cut off"},
      {"\xE2\x28\xA1", "no continuation"},
      {"\xE2\x80\x28", "no continuation"},
      {"\xE2\x80\xC0", "no continuation"},
      {"\xED\xA0\x80", "a surrogate"},
      {"\xF4\x90\x80\x80", "beyond U+10FFFF"},
      {"\xF5\x80\x80\x80", "no first byte"},
      {"\xFF", "no first byte"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    CHECK_FALSE(first_character(row.text).has_value());
  }
}

TEST_CASE("U2: what cannot be seen is known") {
  for (const char32_t code : {0x00,   0x09,   0x0A,   0x1B,   0x7F,   0x80,   0x85,   0x9B,
                              0x9F,   0xAD,   0x61C,  0x200B, 0x200D, 0x200E, 0x200F, 0x2028,
                              0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 0x3164, 0xFEFF, 0xE0041}) {
    CAPTURE(static_cast<unsigned>(code));
    CHECK(is_invisible(code));
  }
  for (const char32_t code : {0x20, 0x7E, 0xA0, 0xE9, 0x5D0, 0x627, 0x2010, 0x2027, 0x2030, 0x4E2D,
                              0xFE0F, 0xFFFC, 0x1F600}) {
    CAPTURE(static_cast<unsigned>(code));
    CHECK_FALSE(is_invisible(code));
  }
}

}  // namespace
}  // namespace pmg::domain
