#include "daemon/session/output_difference.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fakes.h"

namespace benchd {
namespace {

std::string Difference(const std::string& expected, const std::string& actual) {
  return DescribeDifference(fake::Printed(expected), fake::Printed(actual));
}

TEST(OutputDifferenceTest, ShowsTheFirstLineThatDiffers) {
  EXPECT_EQ(Difference("a\nsum 42\nb\n", "a\nsum 43\nc\n"),
            "line 2 is 'sum 43' instead of 'sum 42'");
  EXPECT_EQ(Difference("x", "y"), "line 1 is 'y' instead of 'x'");
  EXPECT_EQ(Difference("\n\nx\n", "\n\ny\n"), "line 3 is 'y' instead of 'x'");
  EXPECT_EQ(Difference("ab\n", "a\nb\n"), "line 1 is 'a' instead of 'ab'");
  EXPECT_EQ(Difference("abc", "ab"), "line 1 is 'ab' instead of 'abc'");
}

TEST(OutputDifferenceTest, NamesWhatOneOutputHasBeyondTheOther) {
  EXPECT_EQ(Difference("a\nb\nc\n", "a\n"), "line 2, 'b', is missing");
  EXPECT_EQ(Difference("a\n", "a\nb\nc\n"), "line 2, 'b', is additional");
  EXPECT_EQ(Difference("a\n", "a"), "the newline at the end of line 1 is missing");
  EXPECT_EQ(Difference("a\nb", "a\nb\n"), "the newline at the end of line 2 is additional");
  EXPECT_EQ(Difference("a\nb\n", ""), "it is empty instead of 'a'");
  EXPECT_EQ(Difference("", "a\nb\n"), "it is 'a' instead of empty");
}

TEST(OutputDifferenceTest, IsOneShortLineOfPrintableText) {
  EXPECT_EQ(Difference("\x1b[31mred", "\x1b[32mred"),
            "line 1 is '\\x1b[32mred' instead of '\\x1b[31mred'");
  EXPECT_EQ(Difference("a\r\n", "a\n"), "line 1 is 'a' instead of 'a\\x0d'");
  EXPECT_EQ(Difference("\xff", "\\xff"), "line 1, byte 1") << "both look like \\xff";

  // The difference is at byte 1000 of a line of 3000. What is shown begins 30 bytes before it.
  const std::string before(1000, 'x');
  const std::string after(1999, 'z');
  const std::string shown(30, 'x');
  EXPECT_EQ(Difference(before + "a" + after, before + "b" + after),
            "line 1 is '..." + shown + "b" + std::string(26, 'z') + "...' instead of '..." + shown +
                "a" + std::string(26, 'z') + "...'");
}

TEST(OutputDifferenceTest, DoesNotSplitACharacter) {
  // Two bytes each: the byte 30 before the difference is the second of a character.
  std::string before(1, 'x');
  std::string shown;
  for (int i = 0; i < 40; ++i) before += "é";
  for (int i = 0; i < 15; ++i) shown += "é";
  EXPECT_EQ(Difference("x" + before + "a", "x" + before + "b"),
            "line 1 is '..." + shown + "b' instead of '..." + shown + "a'");
  EXPECT_EQ(Difference(before + "é", before + "è"),
            "line 1 is '..." + shown + "è' instead of '..." + shown + "é'");
}

TEST(OutputDifferenceTest, StatesTheLengthsIfTheHeadsAreTheSame) {
  const std::string head(kOutputHeadBytes, 'x');
  EXPECT_EQ(Difference(head + "a", head + "b"),
            "the first difference is after 64 KiB, and both are 65537 bytes long");
  EXPECT_EQ(Difference(head + "aa", head),
            "the first difference is after 64 KiB, and it is 65536 "
            "bytes long instead of 65538");
  EXPECT_EQ(
      Difference(head.substr(1) + "\n", head.substr(1) + "y"),
      "line 1 is '..." + std::string(30, 'x') + "y' instead of '..." + std::string(30, 'x') + "'")
      << "the last byte of the head";
}

}  // namespace
}  // namespace benchd
