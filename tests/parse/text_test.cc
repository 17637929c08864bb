#include "core/parse/text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

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

TEST(QuotedTest, KeepsAMessageOnOneReadableLine) {
  EXPECT_EQ(Quoted("Größe"), "'Größe'");
  EXPECT_EQ(Quoted("a\n\x1b[31m\xFF\xC2\x9B"), "'a\\x0a\\x1b[31m\\xff\\xc2\\x9b'");
  EXPECT_EQ(Quoted(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
  EXPECT_EQ(Quoted(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
}

TEST(OnOneLineTest, ReplacesControlCharactersAndNothingElse) {
  EXPECT_EQ(OnOneLine("saw 'fal\n\x1b[1m'\t\x7F"), "saw 'fal  [1m'  ");
  EXPECT_EQ(OnOneLine("Größe"), "Größe");
  EXPECT_EQ(OnOneLine(""), "");
}

}  // namespace
}  // namespace benchd
