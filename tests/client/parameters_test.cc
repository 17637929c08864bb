#include <gtest/gtest.h>

#include "client/request/spec_input.h"

namespace benchd::client {
namespace {

using Texts = std::vector<std::string>;

Texts List(const std::string& text) {
  const auto parameter = ParseParameterList(text);
  return parameter ? parameter->values : Texts{"error: " + parameter.error().message};
}

Texts Scan(const std::string& text) {
  const auto parameter = ParseParameterScan(text);
  return parameter ? parameter->values : Texts{"error: " + parameter.error().message};
}

std::string SaidOfParameter(const Result<Parameter>& parameter) {
  return parameter ? "no error" : parameter.error().message + " | " + parameter.error().hint;
}

TEST(ParametersTest, AListIsSplitAtCommas) {
  const auto parameter = ParseParameterList("mode fast,slow");
  ASSERT_TRUE(parameter) << parameter.error().message;
  EXPECT_EQ(parameter->name, "mode");
  EXPECT_EQ(parameter->values, (Texts{"fast", "slow"}));
}

TEST(ParametersTest, AValueOfAListMayBeEmptyOrHaveBlanksAndCommas) {
  EXPECT_EQ(List("flags -O2,-O3 -g,\"\""), (Texts{"-O2", "-O3 -g", ""}));
  EXPECT_EQ(List("sizes 1\\,2,3"), (Texts{"1,2", "3"}));
  EXPECT_EQ(List("path C:\\a,b"), (Texts{"C:\\a", "b"})) << "a backslash is one elsewhere";
}

TEST(ParametersTest, ACommaTooManyIsNoValue) {
  for (const std::string text : {"n 1,", "n ,1", "n 1,,2", "n ,"}) {
    EXPECT_EQ(SaidOfParameter(ParseParameterList(text)),
              "empty value | remove the comma, or write \"\" for an empty value");
  }
}

TEST(ParametersTest, AScanReachesItsEndInDecimals) {
  // 0.1 + 0.1 + 0.1 is 0.30000000000000004 in binary.
  EXPECT_EQ(Scan("x 0.1 0.3 0.1"), (Texts{"0.1", "0.2", "0.3"}));
  EXPECT_EQ(Scan("x 1 2 0.5"), (Texts{"1.0", "1.5", "2.0"}));
  EXPECT_EQ(Scan("x 0 10 4"), (Texts{"0", "4", "8"})) << "the end is a bound";
  EXPECT_EQ(Scan("x 1 2.99 1"), (Texts{"1", "2"})) << "as written, not as fine as the bound";
  EXPECT_EQ(Scan("x -0.5 0.5 0.25"), (Texts{"-0.50", "-0.25", "0.00", "0.25", "0.50"}));
  EXPECT_EQ(Scan("x 7 7 1"), Texts{"7"});
  EXPECT_EQ(Scan("x +1 .5e 1").front().substr(0, 6), "error:");
}

TEST(ParametersTest, AScanHasAThousandValuesAtMost) {
  EXPECT_EQ(Scan("x 1 1000 1").size(), 1000U);
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x 0 1000 1")),
            "more than 1000 values | use a larger STEP");
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x -999999999999999999 999999999999999999 1")),
            "more than 1000 values | use a larger STEP");
  std::string many = "x 0";
  for (int i = 1; i <= 1000; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(SaidOfParameter(ParseParameterList(many)), "more than 1000 values | use fewer values");
}

TEST(ParametersTest, SaysWhatIsWrongWithAScan) {
  const std::string hint = " | write --parameter-scan NAME MIN MAX STEP, such as size 0 64 8";
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x 1 2")), "expected MIN, MAX and STEP" + hint);
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x 1 2 3 4")), "expected MIN, MAX and STEP" + hint);
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x 1 1e3 1")), "1e3 is not a decimal number" + hint);
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x 1 . 1")), ". is not a decimal number" + hint);
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x 1 1234567890123456789 1")),
            "1234567890123456789 is not a decimal number" + hint);
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x 1 2 0")), "STEP must be above zero" + hint);
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x 2 1 1")),
            "MAX is below MIN | write the smaller number first");
  EXPECT_EQ(SaidOfParameter(ParseParameterScan("x 100000000000 100000000001 0.0000000001")),
            "these numbers need more than 18 digits | use a coarser STEP or a larger "
            "unit");
}

TEST(ParametersTest, SaysWhatIsWrongWithAName) {
  EXPECT_EQ(SaidOfParameter(ParseParameterList("a/b 1,2")),
            "a parameter name has only letters, digits, _ and - | write --parameter-list "
            "NAME A,B,C");
  EXPECT_EQ(SaidOfParameter(ParseParameterList(" 1,2")),
            "a parameter name has only letters, digits, _ and - | write --parameter-list "
            "NAME A,B,C");
  EXPECT_EQ(SaidOfParameter(ParseParameterList("dir 1,2")),
            "{dir} is reserved | choose another name");
  EXPECT_EQ(SaidOfParameter(ParseParameterList("x")),
            "missing values | write --parameter-list NAME A,B,C");
  EXPECT_EQ(SaidOfParameter(ParseParameterList("x 1,2,1")),
            "duplicate value '1' | leave one of them out");
}

}  // namespace
}  // namespace benchd::client
