#include "unicode.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace pmg::domain {
namespace {

using std::string_view_literals::operator""sv;

struct Range {
  char32_t first;
  char32_t last;
};
// U+0345 is none of them: it is an iota in another case.
constexpr std::array kLeftOut{
    Range{0xad, 0xad},       Range{0x300, 0x344},    Range{0x346, 0x36f},   Range{0x61c, 0x61c},
    Range{0x115f, 0x1160},   Range{0x17b4, 0x17b5},  Range{0x180b, 0x180f}, Range{0x200b, 0x200f},
    Range{0x202a, 0x202e},   Range{0x2060, 0x206f},  Range{0x3164, 0x3164}, Range{0xfe00, 0xfe0f},
    Range{0xfeff, 0xfeff},   Range{0xffa0, 0xffa0},  Range{0xfff0, 0xfff8}, Range{0x1bca0, 0x1bca3},
    Range{0x1d173, 0x1d17a}, Range{0xe0000, 0xe0fff}};

// What U+00C0 to U+024F, and U+1E00 to U+1EFF, are without accents and case; '.' is a letter of its
// own.
constexpr char32_t kLatinStart = 0xc0;
constexpr std::string_view kLatin =
    "aaaaaa.ceeeeiiii.nooooo..uuuuy..aaaaaa.ceeeeiiii.nooooo..uuuuy.y"
    "aaaaaaccccccccdd..eeeeeeeeeegggggggghh..iiiiiiiii...jjkk.llllll."
    "...nnnnnn...oooooo..rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzzs"
    "................................oo.............uu..............."
    ".............aaiioouuuuuuuuuu.aaaa....ggkkoooo..j...gg..nnaa...."
    "aaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy............"
    "................"sv;
constexpr char32_t kMoreLatinStart = 0x1e00;
constexpr std::string_view kMoreLatin =
    "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm"
    "mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv"
    "wwwwwwwwwwxxxxyyzzzzzzhtwy.s....aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee"
    "eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......"sv;

struct Special {
  char32_t character;
  std::string_view ascii;
};
constexpr std::array kSpecial{Special{0xdf, "ss"},   Special{0x131, "i"},    Special{0x37e, ";"},
                              Special{0x1e9e, "ss"}, Special{0x1fef, "`"},   Special{0x212a, "k"},
                              Special{0x212b, "a"},  Special{0x2260, "="},   Special{0x226e, "<"},
                              Special{0x226f, ">"},  Special{0xfb00, "ff"},  Special{0xfb01, "fi"},
                              Special{0xfb02, "fl"}, Special{0xfb03, "ffi"}, Special{0xfb04, "ffl"},
                              Special{0xfb05, "st"}, Special{0xfb06, "st"}};

std::string_view in_table(std::string_view table, char32_t start, char32_t character) noexcept {
  if (character < start || character - start >= table.size()) {
    return {};
  }
  const std::string_view found = table.substr(character - start, 1);
  return found == "." ? std::string_view() : found;
}

}  // namespace

bool may_be_left_out(char32_t character) noexcept {
  return std::ranges::any_of(kLeftOut, [character](const Range& range) {
    return range.first <= character && character <= range.last;
  });
}

std::string_view as_ascii(char32_t character) noexcept {
  const auto special = std::ranges::find(kSpecial, character, &Special::character);
  if (special != kSpecial.end()) {
    return special->ascii;
  }
  const std::string_view latin = in_table(kLatin, kLatinStart, character);
  return latin.empty() ? in_table(kMoreLatin, kMoreLatinStart, character) : latin;
}

}  // namespace pmg::domain
