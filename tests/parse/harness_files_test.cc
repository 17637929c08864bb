#include "core/parse/harness_files.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/parse/harness_builder.h"
#include "tests/parse/harness_data.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

/// Files that are called a, b, c...
Result<HarnessOutput> ReadFiles(const std::string& format, const std::vector<std::string>& texts,
                                const std::string& adapter = {}) {
  std::vector<HarnessResult> files;
  for (const std::string& text : texts) {
    files.push_back({std::string(1, static_cast<char>('a' + files.size())), text});
  }
  return ParseHarnessFiles(format, files, adapter);
}

HarnessOutput Joined(const std::string& format, const std::vector<std::string>& texts,
                     const std::string& adapter = {}) {
  const auto output = ReadFiles(format, texts, adapter);
  EXPECT_TRUE(output) << output.error().message;
  return output ? *output : HarnessOutput();
}

Error FilesError(const std::string& format, const std::vector<std::string>& texts,
                 const std::string& adapter = {}) {
  const auto output = ReadFiles(format, texts, adapter);
  EXPECT_FALSE(output);
  if (output) return {};
  EXPECT_FALSE(output.error().hint.empty());
  return output.error();
}

TEST(HarnessFilesTest, OneFileIsAnOutput) {
  const std::string text = "t 5 ms\nn 3\n";
  EXPECT_EQ(Joined("lines", {text}), *ParseHarnessOutput("lines", text));
  EXPECT_WORDING(FilesError("lines", {"t fast\n"}));
}

TEST(HarnessFilesTest, EachFileIsAnOutputOfItsOwn) {
  const auto google = [](const char* name, const char* time) {
    return std::string(R"({"benchmarks": [{"name": ")") + name +
           R"(", "run_type": "iteration", "iterations": 1, "real_time": )" + time +
           R"(, "cpu_time": 1, "time_unit": "ns"}]})";
  };
  const auto output =
      Joined("google-benchmark", {google("x", "5"), google("y", "7.5"), google("x", "6")});
  EXPECT_EQ(ValuesOf(output, "x/real_time"), (Values{5e-9, 6e-9})) << "two samples of the run";
  EXPECT_EQ(ValuesOf(output, "y/real_time"), (Values{7.5e-9}));
  EXPECT_EQ(KeysOf(output).size(), 4U);
}

TEST(HarnessFilesTest, AMetricOfSeveralFilesHasItsFinestStep) {
  const auto output = Joined("lines", {"t 5\n", "t 5.25\n", "t 5.5\n"});
  EXPECT_EQ(ValuesOf(output, "t"), (Values{5, 5.25, 5.5}));
  EXPECT_EQ(InfoOf(output, "t")->resolution, 0.01);
}

TEST(HarnessFilesTest, FilesOfCriterionBelongTogether) {
  const std::string sample = HarnessData("criterion_sample.json");
  const std::string benchmark = HarnessData("criterion_benchmark.json");
  const auto one = Joined("criterion", {benchmark, sample});
  EXPECT_EQ(one, *ParseHarnessOutput("criterion", benchmark + "\n" + sample));
  const auto two = Joined(
      "criterion", {benchmark, sample, With(benchmark, "sum/group/iter/1000", "other"), sample});
  EXPECT_EQ(two.samples.size(), 2 * one.samples.size());
}

TEST(HarnessFilesTest, AnAdapterMayFindNothingInSomeFiles) {
  const std::string adapter =
      "input = \"text\"\n[[metric]]\nmatch = '^(?P<name>\\w+): (?P<value>.*)'\n"
      "[[fail]]\nmatch = '^ERROR'\n";
  const auto output = Joined("own.toml", {"nothing\n", "t: 5 ms\n", "t: 6 us\n"}, adapter);
  EXPECT_EQ(ValuesOf(output, "t"), (Values{0.005, 6e-6}));
  EXPECT_WORDING(FilesError("own.toml", {"nothing\n", "more\n"}, adapter));
  EXPECT_WORDING(FilesError("own.toml", {"t: 5 ms\n", "\nERROR 7\n"}, adapter));
  EXPECT_WORDING(FilesError("own.toml", {"t: 5 ms\n", "\nt: fast\n"}, adapter));
  const std::string report = HarnessData("junit.xml");
  EXPECT_EQ(Joined("junit", {report, "<testsuites/>"}), *ParseHarnessOutput("junit", report));
}

TEST(HarnessFilesTest, SaysWhichFilesDoNotAgree) {
  EXPECT_WORDING(FilesError("lines", {"t 5 ms\n", "t 6 B\n"}));
  EXPECT_WORDING(FilesError("lines", {"#! prefer=lower\nt 5\n", "#! prefer=higher\nt 6\n"}));
  EXPECT_WORDING(FilesError("lines", {"t 5\n", "t\n"}));
  std::string half;
  for (std::size_t i = 0; i <= kMaxSamples / 2; ++i) half += std::to_string(i) + " 1 t 5\n";
  EXPECT_WORDING(FilesError("lines", {half, half}));
}

}  // namespace
}  // namespace benchd
