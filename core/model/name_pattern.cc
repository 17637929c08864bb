#include "core/model/name_pattern.h"

#include <algorithm>

namespace benchd {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kBytes = 256;

/// Whether a byte continues a UTF-8 character.
constexpr bool Continues(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

void Set(std::uint64_t* words, std::size_t bit) {
  words[bit / kWordBits] |= std::uint64_t{1} << (bit % kWordBits);
}

}  // namespace

NamePattern::NamePattern(std::string_view text) {
  last_ = text.size() - static_cast<std::size_t>(std::ranges::count(text, '*'));
  words_ = last_ / kWordBits + 1;
  takes_.resize(kBytes * words_);
  asterisks_.resize(words_);
  characters_.resize(words_);
  std::size_t state = 0;
  for (const char c : text) {
    if (c == '*') {
      Set(asterisks_.data(), state);
      continue;
    }
    if (c == '?') {
      for (std::size_t byte = 0; byte < kBytes; ++byte) {
        if (!Continues(static_cast<unsigned char>(byte))) Set(&takes_[byte * words_], state);
      }
      Set(characters_.data(), state + 1);
    } else {
      Set(&takes_[static_cast<unsigned char>(c) * words_], state);
    }
    ++state;
  }
}

// All states at once (Shift-And): a loop that tries one asterisk after another takes the product
// of both lengths, for names that a program can choose.
bool NamePattern::Match(std::string_view name, bool tails) const {
  std::vector<std::uint64_t> states(words_);
  states[0] = 1;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const std::uint64_t* const takes = &takes_[byte * words_];
    std::uint64_t carry = 0;
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < words_; ++i) {
      const std::uint64_t taken = states[i] & takes[i];
      const std::uint64_t stay =
          states[i] & (Continues(byte) ? asterisks_[i] | characters_[i] : asterisks_[i]);
      states[i] = (taken << 1U) | carry | stay;
      carry = taken >> (kWordBits - 1);
      any |= states[i];
    }
    if (tails && c == '/') states[0] |= 1U;
    if (any == 0 && !tails) return false;
  }
  return (states[last_ / kWordBits] >> (last_ % kWordBits) & 1U) != 0;
}

bool MatchesPattern(std::string_view pattern, std::string_view name) {
  return IsPattern(pattern) ? NamePattern(pattern).Matches(name) : pattern == name;
}

bool IsPattern(std::string_view name) { return name.find_first_of("*?") != std::string_view::npos; }

}  // namespace benchd
