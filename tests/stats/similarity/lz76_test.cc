#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

#include "core/stats/similarity/words.h"

namespace benchd {
namespace {

using Symbols = std::vector<std::uint8_t>;

// The definition itself: the longest substring that also begins earlier, plus one symbol.
std::size_t PhrasesByDefinition(const Symbols& text) {
  std::size_t phrases = 0;
  for (std::size_t at = 0; at < text.size(); ++phrases) {
    std::size_t best = 0;
    for (std::size_t from = 0; from < at; ++from) {
      std::size_t length = 0;
      while (at + length < text.size() && text[from + length] == text[at + length]) ++length;
      best = std::max(best, length);
    }
    at += best + 1;
  }
  return phrases;
}

Symbols SymbolsOf(std::string_view letters) {
  Symbols symbols;
  for (const char letter : letters) symbols.push_back(static_cast<std::uint8_t>(letter - 'a'));
  return symbols;
}

// Short, over few symbols, and made of repeated pieces, which make matches across seams likely.
Symbols Draw(std::mt19937& random) {
  const unsigned kinds = 1 + random() % 4;
  Symbols symbols;
  const std::size_t length = random() % 40;
  while (symbols.size() < length) {
    if (symbols.size() > 2 && random() % 3 == 0) {
      const std::size_t from = random() % symbols.size();
      const std::size_t count = 1 + random() % 12;
      for (std::size_t i = 0; i < count; ++i) symbols.push_back(symbols[from + i]);
    } else {
      symbols.push_back(static_cast<std::uint8_t>(random() % kinds));
    }
  }
  return symbols;
}

TEST(LzTextTest, CountsThePhrasesOfThePapersExample) {
  // Lempel and Ziv 1976: 0 . 001 . 10 . 100 . 1000 . 101 is the history of 0001101001000101.
  EXPECT_EQ(LzText(SymbolsOf("aaabbabaabaaabab")).phrases(), 6U);
}

TEST(LzTextTest, CountsShortTexts) {
  EXPECT_EQ(LzText({}).phrases(), 0U);
  EXPECT_EQ(LzText(SymbolsOf("a")).phrases(), 1U);
  EXPECT_EQ(LzText(SymbolsOf("aaaaaaaa")).phrases(), 2U);
  EXPECT_EQ(LzText(SymbolsOf("abababab")).phrases(), 3U);
  EXPECT_EQ(LzText({}).PhrasesWith(LzText(SymbolsOf("aab"))), 2U);
}

TEST(LzTextTest, AgreesWithTheDefinitionAloneAndJoined) {
  constexpr unsigned kParseSeed = 20261122;
  std::mt19937 random(kParseSeed);
  for (int round = 0; round < 20000; ++round) {
    const Symbols x = Draw(random);
    const Symbols y = round % 5 == 0 ? x : Draw(random);
    Symbols both = x;
    both.insert(both.end(), y.begin(), y.end());
    const LzText first(x);
    ASSERT_EQ(first.phrases(), PhrasesByDefinition(x))
        << "seed " << kParseSeed << " round " << round;
    ASSERT_EQ(first.PhrasesWith(LzText(y)), PhrasesByDefinition(both))
        << "seed " << kParseSeed << " round " << round << ": " << ::testing::PrintToString(x)
        << " then " << ::testing::PrintToString(y);
  }
}

TEST(LzTextTest, TakesATextOfOneSymbolInLinearTime) {
  const LzText text(Symbols(200'000, 3));
  EXPECT_EQ(text.phrases(), 2U);
  EXPECT_EQ(text.PhrasesWith(text), 2U);
}

}  // namespace
}  // namespace benchd
