#include "core/parse/printed_value.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(ParsePrintedValueTest, ReadsNumbersWithCommasUnitsAndClocks) {
  const std::tuple<std::string_view, double, double, std::string_view> cases[] = {
      {"12.5", 12.5, 0.1, ""},
      {"  7 ", 7, 1, ""},
      {"1,234,567", 1234567, 1, ""},
      {"1,234.5", 1234.5, 0.1, ""},
      {"21.64ms", 21.64, 0.01, "ms"},
      {"3.3 MB/s", 3.3, 0.1, "MB/s"},
      {"27.68k", 27.68, 0.01, "k"},
      {"-1.5e-3s", -1.5e-3, 1e-4, "s"},
      {"99%", 99, 1, "%"},
      {"0:01.50", 1.5, 0.01, "s"},
      {"1:02:03", 3723, 1, "s"},
      {"1m2.033s", 62.033, 1e-3, "s"},
      {"1h2m3s", 3723, 1, "s"},
      {"1m 02s", 62, 1, "s"},
      {"2s15ms", 2.015, 1e-3, "s"},
      {"2 evenings", 2, 1, "evenings"},
      {"1s2m", 1, 1, "s2m"},
      {"1.5m2s", 1.5, 0.1, "m2s"},
      {"5m", 5, 1, "m"},
  };
  for (const auto& [text, value, resolution, unit] : cases) {
    const auto parsed = ParsePrintedValue(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    EXPECT_DOUBLE_EQ(parsed->number.value, value) << text;
    EXPECT_DOUBLE_EQ(parsed->number.resolution, resolution) << text;
    EXPECT_EQ(parsed->unit, unit) << text;
  }
}

TEST(ParsePrintedValueTest, RefusesWhatIsNoFiniteNumber) {
  for (const std::string_view text : {"", "abc", "nan", "-inf", "12,5", "1,2345", ",123", "1.2.3",
                                      "1,23,456", "1:2x", "1e999", "3-4", "1/3"}) {
    const auto parsed = ParsePrintedValue(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_WORDING(parsed.error());
  }
}

TEST(SiUnitOfTest, ConvertsTimesBytesBitsAndRates) {
  const std::tuple<std::string_view, std::string_view, double> cases[] = {
      {"ns", "s", 1e-9},
      {"usecs", "s", 1e-6},
      {"\u00b5s", "s", 1e-6},
      {"\u03bcs", "s", 1e-6},
      {"msec", "s", 1e-3},
      {"min", "s", 60},
      {"KiB", "B", 1024},
      {"kB", "B", 1000},
      {"KB", "B", 1000},
      {"GiB", "B", 1073741824.0},
      {"TB/s", "B/s", 1e12},
      {"Tbit", "bit", 1e12},
      {"Tibit", "bit", 1099511627776.0},
      {"Mibit/s", "bit/s", 1048576},
      {"MB/s", "B/s", 1e6},
      {"MiB/sec", "B/s", 1048576},
      {"Gbit/s", "bit/s", 1e9},
      {"Mbits/sec", "bit/s", 1e6},
      {"Mibit/s", "bit/s", 1048576},
      {"Mbps", "bit/s", 1e6},
      {"MBps", "B/s", 1e6},
      {"req/s", "1/s", 1},
      {"ops/ms", "1/s", 1000},
      {"Kreq/s", "1/s", 1000},
      {"tps", "1/s", 1},
      {"ns/op", "s", 1e-9},
      {"B/op", "B", 1},
      {"ms/request", "s", 1e-3},
      {"1", "1", 1},
      {"ops", "1", 1},
      {"frames/sec", "frames/s", 1},
      {"frames/ms", "frames/ms", 1},
      {"W", "W", 1},
      {"%", "%", 1},
      {"", "", 1},
  };
  for (const auto& [unit, si, factor] : cases) {
    const HarnessUnit converted = SiUnitOf(unit);
    EXPECT_EQ(converted.unit, si) << unit;
    EXPECT_DOUBLE_EQ(converted.scale.times / converted.scale.over, factor) << unit;
    EXPECT_FALSE(converted.better) << unit;
  }
}

}  // namespace
}  // namespace benchd
