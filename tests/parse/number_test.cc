#include "core/parse/number.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/wording.h"

namespace benchd {
namespace {

struct Printed {
  std::string text;
  double value;
  double resolution;
};

// Values are the C++ literals of the same spelling; resolutions follow from the last printed digit.
TEST(ParseNumberTest, ReadsTheValueAndTheWorthOfTheLastDigit) {
  const std::vector<Printed> cases{
      {"12.50", 12.5, 0.01},
      {"3e-9", 3e-9, 1e-9},
      {"1000", 1000, 1},
      {"1e3", 1000, 1000},
      {"1.25e3", 1250, 10},
      {"-2", -2, 1},
      {"+3", 3, 1},
      {"0", 0, 1},
      {"-0.000", 0, 0.001},
      {".5", 0.5, 0.1},
      {"5.", 5, 1},
      {"1E+2", 100, 100},
      {"007", 7, 1},
      {"0.1", 0.1, 0.1},
      {"1.7976931348623157e308", std::numeric_limits<double>::max(), 1e292},
      {"4.9e-324", 4.9e-324, 0},
  };
  for (const Printed& printed : cases) {
    const auto number = ParseNumber(printed.text);
    ASSERT_TRUE(number) << number.error().message;
    EXPECT_EQ(number->value, printed.value) << printed.text;
    EXPECT_EQ(number->resolution, printed.resolution) << printed.text;
  }
}

TEST(ParseNumberTest, RefusesWhatIsNotADecimalNumberByName) {
  const std::vector<std::string> cases{"",      "-",    "+",     ".",    "-.",   "e5",    "1e",
                                       "1e+",   "0x10", "1,000", "12,5", "1_0",  "1 ",    " 1",
                                       "1.2.3", "--1",  "+-1",   "1f",   "12ms", "1e5.5", "five"};
  for (const std::string& text : cases) {
    const auto number = ParseNumber(text);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(number.error());
  }
}

TEST(ParseNumberTest, NamesNanAndInfinityAsSuch) {
  for (const std::string text : {"nan", "NaN", "-nan", "nan(0x1)", "inf", "+Inf", "-INFINITY"}) {
    const auto number = ParseNumber(text);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(number.error());
  }
}

TEST(ParseNumberTest, RefusesWhatDoesNotFitADouble) {
  for (const std::string text : {"1e309", "-1e309", "1e999999999999999999999"}) {
    const auto number = ParseNumber(text);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(number.error());
  }
}

TEST(ParseNumberTest, ReadsZeroWithAnAbsurdExponentWithoutAResolution) {
  const auto number = ParseNumber("0e999");
  ASSERT_TRUE(number) << number.error().message;
  EXPECT_EQ(*number, (PrintedNumber{0, 0}));
}

TEST(IsWholeNumberTest, TakesDigitsOnly) {
  EXPECT_TRUE(IsWholeNumber("0"));
  EXPECT_TRUE(IsWholeNumber("0042"));
  for (const char* text : {"", "-1", "+1", "1.0", "1e3", "2mm"}) EXPECT_FALSE(IsWholeNumber(text));
}

}  // namespace
}  // namespace benchd
