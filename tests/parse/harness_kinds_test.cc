#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/parse/harness_builder.h"
#include "core/parse/harness_table.h"
#include "tests/parse/harness_data.h"
#include "tests/support/wording.h"

// Properties of all formats, tested in a loop over all of them, so that a new one is included.

namespace benchd {
namespace {

/// One benchmark as each format prints it, with a value chosen by the test.
struct PrintedBy {
  std::string format;
  std::string text;  ///< VALUE where the value stands
  std::string key;
  bool json = false;  ///< one JSON text, whose outer brackets contain a record

  std::string With(const std::string& value) const {
    std::string filled = text;
    return filled.replace(filled.find("VALUE"), 5, value);
  }

  /// The line of the value, as messages name it.
  std::string Line() const {
    const auto before = text.begin() + static_cast<std::ptrdiff_t>(text.find("VALUE"));
    return "line " + std::to_string(1 + std::count(text.begin(), before, '\n'));
  }
};

std::vector<PrintedBy> AllFormats() {
  return {
      {"lines", "#! prefer=lower unit=s\nt VALUE\n", "t"},
      {"mmtests", "t 1 1 VALUE\n", "t"},
      {"go", "BenchmarkX-8 100 VALUE ns/op\n", "BenchmarkX-8/sec/op"},
      {"google-benchmark",
       "{\"benchmarks\": [{\"name\": \"BM_X\", \"time_unit\": \"ms\", \"cpu_time\": 1,\n"
       "\"real_time\": VALUE}]}",
       "BM_X/real_time", true},
      {"hyperfine",
       "{\"results\": [{\"command\": \"x\", \"user\": 0, \"system\": 0,\n\"times\": [VALUE]}]}",
       "time", true},
      {"hyperfine",
       "{\"results\": [{\"command\": \"x\", \"measurements\": [{\"time_wall_clock\": {\n"
       "\"value\": VALUE, \"unit\": \"second\"}, \"exit_code\": 0}]}]}",
       "time", true},
      {"jmh",
       "[{\"benchmark\": \"X\", \"mode\": \"avgt\", \"primaryMetric\": {\"scoreUnit\": "
       "\"day/op\",\n"
       "\"rawData\": [[VALUE]]}}]",
       "X/avgt", true},
      {"pytest-benchmark",
       "{\"benchmarks\": [{\"fullname\": \"x\", \"stats\": {\n\"data\": [VALUE]}}]}", "x/time",
       true},
      {"bmf", "{\"X\": {\"latency\": {\n\"value\": VALUE}}}", "X/latency", true},
      {"libtest", "test X ... bench: VALUE ns/iter (+/- 1)\n", "X/time"},
      {"libtest", "{ \"type\": \"bench\", \"name\": \"X\", \"median\": VALUE }\n", "X/time"},
      {"criterion",
       "{\"reason\": \"benchmark-complete\", \"id\": \"X\", \"iteration_count\": [1],\n"
       "\"measured_values\": [VALUE], \"unit\": \"ns\"}\n",
       "X/time"},
      {"criterion", "{\"full_id\": \"X\"} {\"iters\": [1],\n\"times\": [VALUE]}\n", "X/time"},
      {"catch2",
       "benchmark name   samples   iterations   estimated\n--------------------------\n"
       "X                100       2            1 ms\n                 VALUE ns  1 ns  2 ns\n",
       "X/time"},
      {"nanobench", "| ns/op | total | T\n| VALUE | 0.1 | `X`\n", "T/X/time"},
      {"nanobench",
       "{\"results\": [{\"name\": \"X\", \"batch\": 1, \"measurements\": [{\n"
       "\"elapsed\": VALUE}]}]}",
       "X/time", true},
      {"vitest",
       "{\"files\": [{\"groups\": [{\"fullName\": \"G\", \"benchmarks\": [{\"name\": \"X\",\n"
       "\"mean\": VALUE}]}]}]}",
       "G > X/time", true},
      {"tinybench",
       "{\"tasks\": [{\"name\": \"X\", \"result\": {\"latency\": {\n\"mean\": VALUE}}}]}", "X/time",
       true},
      {"mitata",
       "{\"benchmarks\": [{\"runs\": [{\"name\": \"X\", \"stats\": {\n\"avg\": VALUE}}]}]}",
       "X/time", true},
      {"benchmarkdotnet",
       "{\"Benchmarks\": [{\"FullName\": \"X\", \"Statistics\": {\n\"Mean\": VALUE}}]}", "X/time",
       true},
      {"pyperf",
       "{\"benchmarks\": [{\"metadata\": {\"name\": \"X\"}, \"runs\": [{\n\"values\": [VALUE]}]}]}",
       "X/time", true},
      {"github-smaller", "[{\"name\": \"X\", \"unit\": \"ms\",\n\"value\": VALUE}]", "X", true},
      {"github-bigger", "[{\"name\": \"X\", \"unit\": \"1/s\",\n\"value\": VALUE}]", "X", true},
  };
}

TEST(EveryHarnessFormatTest, IsReadWithAByteOrderMark) {
  for (const PrintedBy& printed : AllFormats()) {
    const std::string text = printed.With("12.5");
    const auto plain = ParseHarnessOutput(printed.format, text);
    const auto marked = ParseHarnessOutput(printed.format, "\xEF\xBB\xBF" + text);
    ASSERT_TRUE(plain) << printed.format << ": " << plain.error().message;
    ASSERT_TRUE(marked) << printed.format << ": " << marked.error().message;
    EXPECT_EQ(*plain, *marked) << printed.format;
    EXPECT_EQ(ValuesOf(*plain, printed.key).size(), 1U) << printed.format;
  }
}

TEST(EveryHarnessFormatTest, FilesWithAByteOrderMarkMakeTheSameTable) {
  for (const PrintedBy& printed : AllFormats()) {
    const std::string text = printed.With("12.5");
    const std::vector<HarnessFile> files{{"a", "old", "\xEF\xBB\xBF" + text}, {"b", "new", text}};
    const auto table = ReadHarnessTable(printed.format, files);
    ASSERT_TRUE(table) << printed.format << ": " << table.error().message;
    ASSERT_EQ(table->rows(), 2U) << printed.format;
    EXPECT_EQ(table->benchmarks.size(), 1U) << printed.format;
    for (const auto& column : table->values) EXPECT_EQ(column[0], column[1]) << printed.format;
  }
}

TEST(EveryHarnessFormatTest, NoFiniteNumberIsNamedWithItsLineAndName) {
  for (const PrintedBy& printed : AllFormats()) {
    for (const std::string value : {"NaN", "nan", "inf", "-Infinity"}) {
      const std::string message = HarnessError(printed.format, printed.With(value)).message;
      EXPECT_NE(message.find(printed.Line()), std::string::npos)
          << printed.format << ": " << message;
      EXPECT_WORDING(printed.format + " with " + value + ": " + message);
    }
  }
}

TEST(EveryHarnessFormatTest, AValueThatOverflowsWhenItIsScaledIsNamedWithItsLine) {
  int scaled = 0;
  for (const PrintedBy& printed : AllFormats()) {
    const auto output = ParseHarnessOutput(printed.format, printed.With("1e305"));
    if (output) {
      for (const Sample& sample : output->samples) {
        EXPECT_TRUE(std::isfinite(sample.value)) << printed.format;
      }
      for (const MetricInfo& metric : output->metrics) {
        EXPECT_TRUE(std::isfinite(metric.resolution)) << printed.format;
      }
      continue;
    }
    ++scaled;
    EXPECT_EQ(output.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(output.error().message.find("'X/avgt'"), std::string::npos) << output.error().message;
    EXPECT_WORDING(output.error());
  }
  EXPECT_EQ(scaled, 1) << "a day per operation";
  // Only its step is too large: unknown.
  const auto zero = ParseHarnessOutput("jmh", AllFormats()[6].With("0e305"));
  ASSERT_TRUE(zero) << zero.error().message;
  EXPECT_EQ(zero->metrics[0].resolution, 0);
}

TEST(EveryHarnessFormatTest, TheSameNameTwiceIsRepetitionsOrAnErrorAndNeverTheLastOfThem) {
  for (const PrintedBy& printed : AllFormats()) {
    std::string text = printed.With("12.5");
    if (!printed.json) {
      text += printed.With("13.5");
    } else {
      // The record between the outer brackets, duplicated.
      const bool members = printed.format == "bmf";
      const auto begin = members ? 1 : text.find('[') + 1;
      const auto end = members ? text.rfind('}') : text.rfind(']');
      text.insert(end, "," + text.substr(begin, end - begin));
    }
    const auto output = ParseHarnessOutput(printed.format, text);
    if (output) {
      EXPECT_EQ(ValuesOf(*output, printed.key).size(), 2U) << printed.format;
    } else {
      EXPECT_EQ(output.error().code, ErrorCode::kInvalidArgument);
      EXPECT_WORDING(printed.format + ": " + output.error().message);
    }
  }
}

TEST(EveryHarnessFormatTest, AnArmInAnotherUnitOfTimeIsConvertedAndInAnotherUnitRefused) {
  const auto table_of = [](const std::string& old_text, const std::string& new_text) {
    const std::vector<HarnessFile> files{{"a", "old", old_text}, {"b", "new", new_text}};
    return ReadHarnessTable("lines", files);
  };
  const auto table = table_of("t 1.5 ms\n", "t 1500.0 us\n");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->metrics[0], (MetricInfo{"t", "ms", std::nullopt, 0.1 / 1e3}));
  EXPECT_EQ(table->values[0], (std::vector<double>{1.5, 1.5}));
  const auto other = table_of("t 1 ms\n", "t 1 B\n");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(other.error());
  const auto one = ParseLines("1 t 1 ms\n2 t 1500 us\n3 t 0.002 s\n");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(ValuesOf(*one, "t"), (std::vector<double>{1, 1.5, 2}));
  EXPECT_EQ(InfoOf(*one, "t")->unit, "ms");
}

}  // namespace
}  // namespace benchd
