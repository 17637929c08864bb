#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/parse/harness_data.h"
#include "tests/support/cpu_time.h"
#include "tests/support/wording.h"

// Output that no harness prints, but a broken or hostile program may: it does no harm and is
// reported.

namespace benchd {
namespace {

const std::vector<std::string> kJsonFormats{
    "google-benchmark", "hyperfine",      "jmh",          "pytest-benchmark", "bmf",
    "criterion",        "vitest",         "tinybench",    "mitata",           "pyperf",
    "benchmarkdotnet",  "github-smaller", "github-bigger"};
const std::vector<std::string> kLineFormats{"lines",   "go",     "mmtests",
                                            "libtest", "catch2", "nanobench"};

/// Whether the text of a format is a list.
bool IsList(const std::string& format) { return format == "jmh" || format.starts_with("github-"); }

TEST(HostileHarnessOutputTest, NestingOfAMillionLevelsOverflowsNoStack) {
  for (const std::string& format : kJsonFormats) {
    const Error arrays =
        HarnessError(format, std::string(1'000'000, IsList(format) ? '[' : ' ') + "[");
    EXPECT_WORDING(format + " with arrays: " + arrays.message);
    std::string objects;
    for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
    if (IsList(format)) objects = "[" + objects;
    EXPECT_WORDING(format + " with objects: " + HarnessError(format, objects).message);
  }
  EXPECT_WORDING(HarnessError("bmf", "{\"a\":\n" + std::string(1'000'000, '[')));
}

TEST(HostileHarnessOutputTest, InvalidUtf8IsNamedWithItsLine) {
  for (const std::string& format : kLineFormats) {
    EXPECT_WORDING(format + ": " + HarnessError(format, "# fine\n\xC3(").message);
  }
  for (const std::string& format : {std::string("bmf"), std::string("hyperfine")}) {
    EXPECT_WORDING(format + ": " + HarnessError(format, "{\n\"\xC3(\": {}}").message);
  }
}

TEST(HostileHarnessOutputTest, NumbersOfTenThousandDigitsAreReadOrRefused) {
  const std::string digits(10'000, '9');
  EXPECT_WORDING(HarnessError("bmf", "{\"a\": {\"m\": {\"value\":\n" + digits + "}}}"));
  EXPECT_WORDING(HarnessError("bmf", "{\"a\": {\"m\": {\"value\":\n1e" + digits + "}}}"));
  EXPECT_WORDING(HarnessError("lines", "x " + digits));
  const auto output = ParseHarnessOutput("bmf", "{\"a\": {\"m\": {\"value\": 0." + digits + "}}}");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples[0].value, 1);       // the nearest double
  EXPECT_EQ(output->metrics[0].resolution, 0);  // 1e-10000 underflows: unknown
}

TEST(HostileHarnessOutputTest, ATextOfMillionsOfNumbersIsRefusedBeforeItFillsTheMemory) {
  std::string numbers = "{\"results\": [{\"command\": \"a\", \"times\": [1";
  while (numbers.size() < 16'000'000) numbers += ",1";
  EXPECT_WORDING(HarnessError("hyperfine", numbers + "]}]}"));
  std::string records = "{";
  for (int i = 0; i < 150'000; ++i) {
    records += "\"" + std::to_string(i) + "\": {\"m\": {\"value\": 1}},\n";
  }
  EXPECT_WORDING(HarnessError("bmf", records + "}"));
}

TEST(HostileHarnessOutputTest, AnObjectOfManyMembersTakesNoSquareOfTheirNumber) {
  std::string object = "{\"a\": {\"m\": {\"value\": 1";
  for (int i = 0; i < 300'000; ++i) object += ",\"" + std::to_string(i) + "\":0";
  const auto begin = CpuTime();
  const auto output = ParseHarnessOutput("bmf", object + "}}}");
  ASSERT_TRUE(output) << output.error().message;
  // Far more than sorting them takes, and far less than comparing all pairs would.
  EXPECT_LT(CpuTime() - begin, std::chrono::seconds(8));
}

TEST(HostileHarnessOutputTest, NamesThatAreTooLongAreRefused) {
  const std::string longest(1024, 'n');
  EXPECT_TRUE(ParseHarnessOutput("bmf", "{\"" + longest + "\": {\"m\": {\"value\": 1}}}"));
  EXPECT_WORDING(HarnessError("bmf", "{\"" + longest + "n\": {\"m\": {\"value\": 1}}}"));
  EXPECT_WORDING(HarnessError("bmf", "{\"a\": {\"" + longest + "\": {\"value\": 1}}}"));
  EXPECT_WORDING(
      HarnessError("bmf", "{\"a\":\n{\"" + std::string(5000, 'n') + "\": {\"value\": 1}}}"));
}

TEST(HostileHarnessOutputTest, AnythingInsteadOfAFormatIsRefusedByAll) {
  for (const auto& formats : {kJsonFormats, kLineFormats}) {
    for (const std::string& format : formats) {
      for (const std::string text : {"", "\n\n", " ", "\0", "null", "\xEF\xBB\xBF", "{", "]", "\"",
                                     "# comment", "1", "true"}) {
        EXPECT_FALSE(HarnessError(format, text).message.empty()) << format << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace benchd
