#include "daemon/parse/harness_output.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(HarnessFormatTest, OffersLines) {
  EXPECT_TRUE(CheckHarnessFormat("lines"));
  const auto output = ParseHarnessOutput("lines", "ops 12\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples.size(), 1U);
}

// The list is the contract's (`--parse FORMAT`).
TEST(HarnessFormatTest, SaysOfTheOtherFormatsOfTheContractThatTheyAreNotOfferedYet) {
  for (const std::string format :
       {"google-benchmark", "hyperfine", "go", "jmh", "pytest-benchmark", "bmf", "mmtests"}) {
    const auto output = ParseHarnessOutput(format, "{}");
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, ErrorCode::kUnimplemented);
    EXPECT_EQ(output.error().message, "parse: " + format + " is not offered yet");
    EXPECT_EQ(CheckHarnessFormat(format).error(), output.error());
  }
}

TEST(HarnessFormatTest, NamesTheKnownOnesToWhoeverAsksForAnother) {
  for (const std::string format : {"xml", "", "Lines", "lines "}) {
    const auto output = ParseHarnessOutput(format, "ops 12\n");
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(output.error().message,
              "parse: '" + format + "' is not a known format; known: lines");
  }
}

}  // namespace
}  // namespace benchd
