#include "core/base/printable.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace benchd {
namespace {

bool InRange(std::uint8_t byte, std::uint8_t low, std::uint8_t high) {
  return byte >= low && byte <= high;
}

bool IsControlAboveAscii(char32_t c) {
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x80, 0x9F}, {0x061C, 0x061C}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [c](const auto& range) { return range.first <= c && c <= range.second; });
}

}  // namespace

std::size_t WellFormedLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (InRange(lead, 0xC2, 0xDF)) {
    length = 2;
  } else if (InRange(lead, 0xE0, 0xEF)) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (InRange(lead, 0xF0, 0xF4)) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (text.size() < length || !InRange(byte(1), low, high)) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!InRange(byte(i), 0x80, 0xBF)) return 0;
  }
  return length;
}

std::size_t CharacterLength(std::string_view text) {
  return std::max<std::size_t>(1, WellFormedLength(text));
}

char32_t CodePointOf(std::string_view character) {
  const auto lead = static_cast<std::uint8_t>(character.front());
  if (lead < 0x80) return lead;
  char32_t c = lead & (0xFFU >> (character.size() + 1));
  for (const char next : character.substr(1))
    c = c << 6U | (static_cast<std::uint8_t>(next) & 0x3FU);
  return c;
}

std::size_t ControlLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<std::uint8_t>(text.front());
  if (lead < 0x80) return lead < 0x20 || lead == 0x7F ? 1 : 0;
  const std::size_t length = WellFormedLength(text);
  if (length == 0) return lead < 0xA0 ? 1 : 0;
  return IsControlAboveAscii(CodePointOf(text.substr(0, length))) ? length : 0;
}

std::string WithoutControls(std::string_view text,
                            const std::function<std::string(std::string_view)>& instead,
                            std::string_view allowed) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::string_view character = text.substr(0, CharacterLength(text));
    const bool control = ControlLength(text) > 0;
    if (control && allowed.find(character) == std::string_view::npos) {
      safe += instead(character);
    } else {
      safe += character;
    }
    text.remove_prefix(character.size());
  }
  return safe;
}

}  // namespace benchd
