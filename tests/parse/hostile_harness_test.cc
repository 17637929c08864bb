#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/parse/harness_data.h"

// Output that no harness prints, but a broken or hostile program may: it does no harm and is
// reported.

namespace benchd {
namespace {

const std::vector<std::string> kJsonFormats{"google-benchmark", "hyperfine", "jmh",
                                            "pytest-benchmark", "bmf"};
const std::vector<std::string> kLineFormats{"lines", "go", "mmtests"};

TEST(HostileHarnessOutputTest, NestingOfAMillionLevelsOverflowsNoStack) {
  for (const std::string& format : kJsonFormats) {
    EXPECT_EQ(HarnessError(format, std::string(1'000'000, format == "jmh" ? '[' : ' ') + "["),
              format == "jmh" ? "line 1: nested deeper than 64 levels"
                              : "line 1: expected an object, found an array");
    std::string objects;
    for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
    if (format == "jmh") objects = "[" + objects;
    EXPECT_EQ(HarnessError(format, objects), "line 1: nested deeper than 64 levels") << format;
  }
  EXPECT_EQ(HarnessError("bmf", "{\"a\":\n" + std::string(1'000'000, '[')),
            "line 2: nested deeper than 64 levels");
}

TEST(HostileHarnessOutputTest, InvalidUtf8IsNamedWithItsLine) {
  for (const std::string& format : kLineFormats) {
    EXPECT_EQ(HarnessError(format, "# fine\n\xC3("), "line 2: not valid UTF-8 at byte 1") << format;
  }
  for (const std::string& format : {std::string("bmf"), std::string("hyperfine")}) {
    EXPECT_EQ(
        HarnessError(format, "{\n\"\xC3(\": {}}"),
        "line 2: not valid JSON: invalid string: ill-formed UTF-8 byte; expected string literal")
        << format;
  }
}

TEST(HostileHarnessOutputTest, NumbersOfTenThousandDigitsAreReadOrRefused) {
  const std::string digits(10'000, '9');
  EXPECT_EQ(HarnessError("bmf", "{\"a\": {\"m\": {\"value\":\n" + digits + "}}}"),
            "line 2: a number does not fit a double");
  EXPECT_EQ(HarnessError("bmf", "{\"a\": {\"m\": {\"value\":\n1e" + digits + "}}}"),
            "line 2: a number does not fit a double");
  EXPECT_EQ(
      HarnessError("lines", "x " + digits),
      "line 1: expected the value of 'x': '" + std::string(60, '9') + "...' does not fit a double");
  const auto output = ParseHarnessOutput("bmf", "{\"a\": {\"m\": {\"value\": 0." + digits + "}}}");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples[0].value, 1);       // the nearest double
  EXPECT_EQ(output->metrics[0].resolution, 0);  // 1e-10000 underflows: unknown
}

TEST(HostileHarnessOutputTest, ATextOfMillionsOfNumbersIsRefusedBeforeItFillsTheMemory) {
  std::string numbers = "{\"results\": [{\"command\": \"a\", \"times\": [1";
  while (numbers.size() < 16'000'000) numbers += ",1";
  EXPECT_EQ(HarnessError("hyperfine", numbers + "]}]}"),
            "line 1: more than 400000 values in one benchmark");
  std::string records = "{";
  for (int i = 0; i < 150'000; ++i) {
    records += "\"" + std::to_string(i) + "\": {\"m\": {\"value\": 1}},\n";
  }
  EXPECT_EQ(HarnessError("bmf", records + "}"), "line 100001: more than 100000 values in one run");
}

TEST(HostileHarnessOutputTest, AnObjectOfManyMembersTakesNoSquareOfTheirNumber) {
  std::string object = "{\"a\": {\"m\": {\"value\": 1";
  for (int i = 0; i < 300'000; ++i) object += ",\"" + std::to_string(i) + "\":0";
  const auto begin = std::chrono::steady_clock::now();
  const auto output = ParseHarnessOutput("bmf", object + "}}}");
  ASSERT_TRUE(output) << output.error().message;
  // Far more than sorting them takes, and far less than comparing all pairs would.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
}

TEST(HostileHarnessOutputTest, NamesThatAreTooLongAreRefused) {
  const std::string longest(1024, 'n');
  EXPECT_TRUE(ParseHarnessOutput("bmf", "{\"" + longest + "\": {\"m\": {\"value\": 1}}}"));
  EXPECT_EQ(
      HarnessError("bmf", "{\"" + longest + "n\": {\"m\": {\"value\": 1}}}"),
      "line 1: the benchmark '" + std::string(60, 'n') + "...' has 1025 bytes; the limit is 1024");
  EXPECT_EQ(HarnessError("bmf", "{\"a\": {\"" + longest + "\": {\"value\": 1}}}"),
            "line 1: the name '" + std::string(60, 'n') + "...' has 1024 bytes; the limit is 256");
  EXPECT_EQ(HarnessError("bmf", "{\"a\":\n{\"" + std::string(5000, 'n') + "\": {\"value\": 1}}}"),
            "line 2: a name exceeds 4096 bytes");
}

TEST(HostileHarnessOutputTest, AnythingInsteadOfAFormatIsRefusedByAll) {
  for (const auto& formats : {kJsonFormats, kLineFormats}) {
    for (const std::string& format : formats) {
      for (const std::string text : {"", "\n\n", " ", "\0", "null", "\xEF\xBB\xBF", "{", "]", "\"",
                                     "# comment", "1", "true"}) {
        EXPECT_NE(HarnessError(format, text), "no error") << format << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace benchd
