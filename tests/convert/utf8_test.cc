#include "proto/convert/utf8.h"

#include <gtest/gtest.h>

namespace benchd::convert {
namespace {

TEST(Utf8Test, TextStaysAsItIs) {
  const std::string text = "plain, \u00e9, \u2603, \U0001F600";
  EXPECT_EQ(Utf8Lossy(text), text);
}

// The classes of ill-formed sequences of the Unicode standard, section 3.9, table 3-7.
TEST(Utf8Test, EveryKindOfBrokenSequenceIsReplacedByteByByte) {
  EXPECT_EQ(Utf8Lossy("\x80"), "\uFFFD");                                // a continuation alone
  EXPECT_EQ(Utf8Lossy("\xC0\xAF"), "\uFFFD\uFFFD");                      // overlong '/'
  EXPECT_EQ(Utf8Lossy("\xE0\x80\xAF"), "\uFFFD\uFFFD\uFFFD");            // overlong, three bytes
  EXPECT_EQ(Utf8Lossy("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(Utf8Lossy("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
  EXPECT_EQ(Utf8Lossy("ab\xE2\x98"), "ab\uFFFD\uFFFD");                  // cut off
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

}  // namespace
}  // namespace benchd::convert
