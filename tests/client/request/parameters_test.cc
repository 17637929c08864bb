#include <gtest/gtest.h>

#include "client/request/spec_input.h"
#include "tests/client/refusals.h"

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
    ExpectRefused(text, ParseParameterList(text));
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
  for (const char* text : {"x 0 1000 1", "x -999999999999999999 999999999999999999 1"}) {
    ExpectRefused(text, ParseParameterScan(text));
  }
  std::string many = "x 0";
  for (int i = 1; i <= 1000; ++i) many += "," + std::to_string(i);
  ExpectRefused(ParseParameterList(many));
}

TEST(ParametersTest, SaysWhatIsWrongWithAScan) {
  for (const char* text :
       {"x 1 2", "x 1 2 3 4", "x 1 1e3 1", "x 1 . 1", "x 1 1234567890123456789 1", "x 1 2 0",
        "x 2 1 1", "x 100000000000 100000000001 0.0000000001"}) {
    ExpectRefused(text, ParseParameterScan(text));
  }
}

TEST(ParametersTest, SaysWhatIsWrongWithAName) {
  for (const char* text : {"a/b 1,2", " 1,2", "dir 1,2", "x", "x 1,2,1"}) {
    ExpectRefused(text, ParseParameterList(text));
  }
}

}  // namespace
}  // namespace benchd::client
