#include "domain/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace pmg::domain {
namespace {

/// One row of Unicode 15, table 3-7: which first byte starts how long a sequence, and which second
/// bytes it admits. All further bytes are 80 to BF.
struct SequenceForm {
  std::uint8_t first_low;
  std::uint8_t first_high;
  std::size_t length;
  std::uint8_t second_low;
  std::uint8_t second_high;
};

constexpr std::array kSequenceForms{
    SequenceForm{0x00, 0x7F, 1, 0x00, 0xFF}, SequenceForm{0xC2, 0xDF, 2, 0x80, 0xBF},
    SequenceForm{0xE0, 0xE0, 3, 0xA0, 0xBF}, SequenceForm{0xE1, 0xEC, 3, 0x80, 0xBF},
    SequenceForm{0xED, 0xED, 3, 0x80, 0x9F}, SequenceForm{0xEE, 0xEF, 3, 0x80, 0xBF},
    SequenceForm{0xF0, 0xF0, 4, 0x90, 0xBF}, SequenceForm{0xF1, 0xF3, 4, 0x80, 0xBF},
    SequenceForm{0xF4, 0xF4, 4, 0x80, 0x8F},
};

constexpr unsigned kContinuationBits = 6;
constexpr std::uint8_t kContinuationMask = 0x3F;

// The bits of a first byte that belong to the code, by the length of the sequence.
constexpr std::array<std::uint8_t, 5> kFirstMask{0, 0x7F, 0x1F, 0x0F, 0x07};

struct CodeRange {
  char32_t first;
  char32_t last;
};

// Unicode 15: general categories Cc, Cf, Zl and Zp, and the fillers, which are letters without a
// glyph.
constexpr std::array kInvisible{
    CodeRange{0x0000, 0x001F},   CodeRange{0x007F, 0x009F},   CodeRange{0x00AD, 0x00AD},
    CodeRange{0x0600, 0x0605},   CodeRange{0x061C, 0x061C},   CodeRange{0x06DD, 0x06DD},
    CodeRange{0x070F, 0x070F},   CodeRange{0x0890, 0x0891},   CodeRange{0x08E2, 0x08E2},
    CodeRange{0x115F, 0x1160},   CodeRange{0x180E, 0x180E},   CodeRange{0x200B, 0x200F},
    CodeRange{0x2028, 0x202E},   CodeRange{0x2060, 0x206F},   CodeRange{0x3164, 0x3164},
    CodeRange{0xFEFF, 0xFEFF},   CodeRange{0xFFA0, 0xFFA0},   CodeRange{0xFFF0, 0xFFFB},
    CodeRange{0x110BD, 0x110BD}, CodeRange{0x110CD, 0x110CD}, CodeRange{0x13430, 0x1343F},
    CodeRange{0x1BCA0, 0x1BCA3}, CodeRange{0x1D173, 0x1D17A}, CodeRange{0xE0000, 0xE0FFF},
};

}  // namespace

std::optional<Utf8Character> first_character(std::string_view text) noexcept {
  const auto byte = [text](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
  if (text.empty()) {
    return std::nullopt;
  }
  const auto* const form = std::ranges::find_if(kSequenceForms, [&](const SequenceForm& row) {
    return byte(0) >= row.first_low && byte(0) <= row.first_high;
  });
  if (form == kSequenceForms.end() || text.size() < form->length) {
    return std::nullopt;
  }
  if (form->length > 1 && (byte(1) < form->second_low || byte(1) > form->second_high)) {
    return std::nullopt;
  }
  char32_t code = byte(0) & kFirstMask.at(form->length);
  for (std::size_t index = 1; index < form->length; ++index) {
    if (byte(index) < 0x80 || byte(index) > 0xBF) {
      return std::nullopt;
    }
    code = (code << kContinuationBits) | (byte(index) & kContinuationMask);
  }
  return Utf8Character{code, form->length};
}

bool is_invisible(char32_t code) noexcept {
  return std::ranges::any_of(kInvisible, [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

}  // namespace pmg::domain
