#include "core/base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/printable.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using namespace std::string_view_literals;

// Byte sequences: Unicode 15, table 3-7 (well-formed UTF-8) and its neighbours.
TEST(FirstInvalidUtf8Test, AcceptsTheEndsOfEveryRange) {
  for (const auto text :
       {""sv, "abc"sv, "\x7F"sv, "\xC2\x80"sv, "\xDF\xBF"sv, "\xE0\xA0\x80"sv, "\xED\x9F\xBF"sv,
        "\xEE\x80\x80"sv, "\xEF\xBF\xBF"sv, "\xF0\x90\x80\x80"sv, "\xF4\x8F\xBF\xBF"sv}) {
    EXPECT_FALSE(FirstInvalidUtf8(text)) << Quoted(text);
  }
}

TEST(FirstInvalidUtf8Test, FindsWhatIsOverlongSurrogateTooLargeOrCutOff) {
  for (const auto text : {"\x80"sv, "\xBF"sv, "\xC0\x80"sv, "\xC1\xBF"sv, "\xC2"sv, "\xC2\x41"sv,
                          "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv, "\xE2\x82"sv, "\xF0\x8F\xBF\xBF"sv,
                          "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv, "\xFF"sv}) {
    EXPECT_EQ(FirstInvalidUtf8("ab" + std::string(text)), 2U);
  }
}

TEST(Utf8Test, TextStaysAsItIs) {
  const std::string text = "plain, \u00e9, \u2603, \U0001F600";
  EXPECT_EQ(Utf8Lossy(text), text);
}

TEST(Utf8Test, ABrokenByteIsFoundWhereverItStands) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string start(before, 'a');
      const std::string end(after, 'b');
      const std::string text = start + "\u00e9\xFF" + end;
      EXPECT_EQ(FirstInvalidUtf8(text), before + 2);
      EXPECT_EQ(Utf8Lossy(text), start + "\u00e9\uFFFD" + end);
    }
  }
}

// The classes of ill-formed sequences of the Unicode standard, section 3.9, table 3-7.
TEST(Utf8Test, EveryKindOfBrokenSequenceIsReplacedByteByByte) {
  EXPECT_EQ(Utf8Lossy("\x80"), "\uFFFD");                                // a lone continuation byte
  EXPECT_EQ(Utf8Lossy("\xC0\xAF"), "\uFFFD\uFFFD");                      // overlong '/'
  EXPECT_EQ(Utf8Lossy("\xE0\x80\xAF"), "\uFFFD\uFFFD\uFFFD");            // overlong in three bytes
  EXPECT_EQ(Utf8Lossy("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(Utf8Lossy("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
  EXPECT_EQ(Utf8Lossy("ab\xE2\x98"), "ab\uFFFD\uFFFD");                  // truncated
  EXPECT_EQ(Utf8Lossy("\xE2(x"), "\uFFFD(x");
}

TEST(Utf8Test, ACutNeverSplitsACharacter) {
  const std::string text = "a\u2603b";  // 1 + 3 + 1 bytes
  EXPECT_EQ(Utf8Prefix(text, 5), text);
  EXPECT_EQ(Utf8Prefix(text, 4), "a\u2603");
  EXPECT_EQ(Utf8Prefix(text, 3), "a");
  EXPECT_EQ(Utf8Suffix(text, 4), "\u2603b");
  EXPECT_EQ(Utf8Suffix(text, 3), "b");
  EXPECT_EQ(Utf8Suffix(text, 0), "");
}

TEST(QuotedTest, KeepsAMessageOnOneReadableLine) {
  EXPECT_EQ(Quoted("Größe"), "'Größe'");
  EXPECT_EQ(Quoted("a\n\x1b[31m\xFF\xC2\x9B"), "'a\\x0a\\x1b[31m\\xff\\xc2\\x9b'");
  EXPECT_EQ(Quoted(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
  EXPECT_EQ(Quoted(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
}

std::string Utf8Of(char32_t c) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
}

// Unicode 15: general categories Cc, Zl and Zp (UnicodeData.txt), and Bidi_Control (PropList.txt).
bool IsUnwanted(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool bidi = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                    (c >= 0x2066 && c <= 0x2069);
  return control || bidi || c == 0x2028 || c == 0x2029;
}

TEST(ControlLengthTest, KnowsTheControlsOfEveryPlaneAndNothingElse) {
  for (char32_t c = 0; c < 0x10000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;  // surrogates
    const std::string text = Utf8Of(c);
    ASSERT_EQ(CodePointOf(text), c);
    ASSERT_EQ(ControlLength(text + "5"), IsUnwanted(c) ? text.size() : 0) << std::hex << +c;
    ASSERT_EQ(HasControlCharacter("ä" + text + "ä"), IsUnwanted(c)) << std::hex << +c;
    ASSERT_EQ(OnOneLine("ä" + text + "ä"), "ä" + (IsUnwanted(c) ? " " : text) + "ä");
    const bool escaped = Quoted(text).find("\\x") != std::string::npos;
    ASSERT_EQ(escaped, IsUnwanted(c)) << std::hex << +c;
  }
  EXPECT_EQ(ControlLength(""), 0U);
  EXPECT_EQ(ControlLength("\U0001F600"), 0U);
}

TEST(ControlLengthTest, ABrokenByteOfC1IsOneForTerminalsWithoutUtf8) {
  for (int byte = 0x80; byte < 0x100; ++byte) {
    const std::string alone(1, static_cast<char>(byte));
    EXPECT_EQ(ControlLength(alone), byte < 0xA0 ? 1U : 0U) << byte;
    EXPECT_EQ(ControlLength(alone + "["), byte < 0xA0 ? 1U : 0U) << byte;
  }
  EXPECT_TRUE(HasControlCharacter("\xE2\x9B[31m")) << "a character that is cut off";
}

// Eight bytes are checked at once.
TEST(HasControlCharacterTest, FindsOneAmongPrintableCharacters) {
  for (int byte = 0; byte < 0x80; ++byte) {
    for (std::size_t at = 0; at < 24; ++at) {
      std::string text(24, ' ');
      text[at] = static_cast<char>(byte);
      ASSERT_EQ(HasControlCharacter(text), byte < 0x20 || byte == 0x7F) << byte << " at " << at;
      text.back() = '\x7F';
      ASSERT_TRUE(HasControlCharacter(text)) << "after " << byte << " at " << at;
    }
  }
}

TEST(HasControlCharacterTest, WhatIsAllowedIsNone) {
  EXPECT_FALSE(HasControlCharacter("a\tb\r", "\t\r"));
  EXPECT_TRUE(HasControlCharacter("a\tb\n", "\t\r"));
  EXPECT_TRUE(HasControlCharacter("\xC2\x89", "\t"));
}

TEST(OnOneLineTest, ReplacesControlCharactersAndNothingElse) {
  EXPECT_EQ(OnOneLine("saw 'fal\n\x1b[1m'\t\x7F"), "saw 'fal  [1m'  ");
  EXPECT_EQ(OnOneLine("Größe"), "Größe");
  EXPECT_EQ(OnOneLine(""), "");
}

TEST(HexTest, FormatsBytesAndRecognisesDigits) {
  EXPECT_EQ(ToHex(std::string_view("\x00\x7f\xff", 3)), "007fff");
  EXPECT_TRUE(IsHex("007fff"));
  EXPECT_TRUE(IsHex(""));
  EXPECT_FALSE(IsHex("007FFF"));
  EXPECT_FALSE(IsHex("0x7f"));
}

TEST(SomeOfTest, ListsFiveAndCountsTheOthers) {
  EXPECT_EQ(SomeOf(std::vector<std::string>{}), "");
  EXPECT_EQ(SomeOf(std::vector<std::string>{"a", "b", "c", "d", "e"}), "a, b, c, d, e");
  EXPECT_EQ(SomeOf(std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g"}),
            "a, b, c, d, e and 2 more");
}

TEST(WithoutReturnTest, TakesOneReturnOffTheEnd) {
  EXPECT_EQ(WithoutReturn("a b\r"), "a b");
  EXPECT_EQ(WithoutReturn("a\rb"), "a\rb");
  EXPECT_EQ(WithoutReturn("\r\r"), "\r");
  EXPECT_EQ(WithoutReturn(""), "");
}

TEST(CountedTest, HasThePluralForAllButOne) {
  EXPECT_EQ(Counted(0, "run"), "0 runs");
  EXPECT_EQ(Counted(1, "run"), "1 run");
  EXPECT_EQ(Counted(12, "retry", "retries"), "12 retries");
}

TEST(JoinTest, PutsTheSeparatorBetweenTheItemsOnly) {
  const std::vector<std::string> words = {"", "a", "b"};
  EXPECT_EQ(Join(words, ", "), ", a, b");
  EXPECT_EQ(Join(std::vector<std::string>(), ", "), "");
  EXPECT_EQ(Join(std::vector<int>{1, 2}, ",", [](int i) { return std::to_string(i); }), "1,2");
}

TEST(JoinTest, SaysTheLastOneWithOr) {
  EXPECT_EQ(JoinWithOr(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(JoinWithOr(std::vector<std::string>{"a", "b"}), "a or b");
  EXPECT_EQ(JoinWithOr(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
}

TEST(NearestTest, FindsTheNearNameOnly) {
  constexpr std::array<std::string_view, 3> kNames = {"margin", "method", "max-runs"};
  EXPECT_EQ(Nearest("marign", kNames), "margin");
  EXPECT_EQ(Nearest("metod", kNames), "method");
  EXPECT_EQ(Nearest("git", kNames), "");
  EXPECT_EQ(Nearest("", kNames), "");
  EXPECT_EQ(Nearest("x", kNames), "");
  EXPECT_WORDING("metod => " + HintForUnknown("metod", kNames));
  EXPECT_WORDING("git => " + HintForUnknown("git", kNames));
  EXPECT_WORDING("metod => " + HintForUnknown("metod", kNames, "see --help", "--"));
  EXPECT_EQ(HintForUnknown("git", kNames, "see --help", "--"), "see --help");
}

}  // namespace
}  // namespace benchd
