#include "client/request/quantity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/metric.h"
#include "tests/client/refusals.h"

namespace benchd::client {
namespace {

TEST(FractionTest, PercentAndFractionGiveTheSameDouble) {
  // Each literal is the double nearest to the decimal number.
  EXPECT_EQ(*ParseFraction("2%"), 0.02);
  EXPECT_EQ(*ParseFraction("0.02"), 0.02);
  EXPECT_EQ(*ParseFraction("0.1%"), 0.001);
  EXPECT_EQ(*ParseFraction("2 %"), 0.02);
  EXPECT_EQ(*ParseFraction("1e-1%"), 0.001);
}

TEST(FractionTest, SaysWhatIsWrong) {
  for (const char* text : {"abc", "", "%", "2%%", "0x10", "nan", "inf%", "-inf%", "0%", "-0"}) {
    ExpectRefused(text, ParseMargin(text));
  }
}

// --margin 5 once meant 500 %, and a program that took five times as long passed.
TEST(MarginTest, ABareNumberFromOneOnIsRefused) {
  EXPECT_EQ(*ParseMargin("0.999"), 0.999);
  EXPECT_EQ(*ParseMargin("500%"), 5);
  for (const std::string text : {"1", "1.0", "5", "2e3", "-1", "-5"}) {
    ExpectRefused(text, ParseMargin(text));
  }
}

TEST(MarginTest, ANegativeOneIsARequiredImprovement) {
  EXPECT_EQ(*ParseMargin("-5%"), -0.05);
  EXPECT_EQ(*ParseMargin("-0.05"), -0.05);
  EXPECT_EQ(*ParseMargin("-0.1%"), -0.001);
  EXPECT_EQ(*ParseMargin("-150%"), -1.5) << "possible of a rate";
}

TEST(ProbabilityTest, ExcludesBothEnds) {
  EXPECT_EQ(*ParseProbability("99%", "99%"), 0.99);
  for (const char* text : {"0", "0%", "1", "100%", "99", "-1%", "high"}) {
    ExpectRefused(text, ParseProbability(text, "99%"));
  }
}

TEST(ProbabilityTest, AlphaOfARoundConfidenceIsRound) {
  EXPECT_EQ(AlphaFromConfidence(0.99), 0.01);
  EXPECT_EQ(AlphaFromConfidence(0.999), 0.001);
  EXPECT_EQ(AlphaFromConfidence(0.95), 0.05);
}

TEST(DurationTest, TakesUnitsAndTheirSums) {
  EXPECT_EQ(*ParseDuration("500ms"), 0.5);
  EXPECT_EQ(*ParseDuration("0.9ms"), 0.0009) << "correctly rounded";
  EXPECT_EQ(*ParseDuration("1s"), 1);
  EXPECT_EQ(*ParseDuration("1.5s"), 1.5);
  EXPECT_EQ(*ParseDuration("10m"), 600);
  EXPECT_EQ(*ParseDuration("1h30m"), 5400);
  EXPECT_EQ(*ParseDuration("3"), 3);
}

TEST(DurationTest, SaysWhatIsWrong) {
  for (const char* text :
       {"", "abc", "10x", "10 MiB", "10MiB", "1s5", "s", "1m 5s", "0", "0s", "-5s", "-1", "inf"}) {
    ExpectRefused(text, ParseDuration(text));
  }
}

TEST(CountTest, TakesWholeNumbersOnly) {
  EXPECT_EQ(*ParseCount("18446744073709551615"), 18446744073709551615U);
  for (const char* text : {"18446744073709551616", "", "-1", "1.5", "x", "1 "}) {
    ExpectRefused(text, ParseCount(text));
  }
  EXPECT_EQ(*ParseInteger("-3"), -3);
  ExpectRefused("3000000000", ParseInteger("3000000000"));
}

TEST(MetricTest, RecognisesSuffixesFromTheRightOnly) {
  EXPECT_EQ(*ParseMetricGate("wall_time"), (MetricGate{"wall_time", {}, {}, {}}));
  EXPECT_EQ(*ParseMetricGate("BM_X/threads:2"), (MetricGate{"BM_X/threads:2", {}, {}, {}}));
  EXPECT_EQ(*ParseMetricGate("BM_X/threads:2:5%"), (MetricGate{"BM_X/threads:2", 0.05, {}, {}}));
  EXPECT_EQ(*ParseMetricGate("rate:higher"), (MetricGate{"rate", {}, {}, Direction::kHigher}));
  EXPECT_EQ(*ParseMetricGate("rate:5%:lower"), (MetricGate{"rate", 0.05, {}, Direction::kLower}));
  EXPECT_EQ(*ParseMetricGate("a:lower:5%"), (MetricGate{"a:lower", 0.05, {}, {}}));
  EXPECT_EQ(*ParseMetricGate("hit:rate%"), (MetricGate{"hit:rate%", {}, {}, {}}));
}

TEST(MetricTest, TakesExactLikeAMargin) {
  const auto exact = [](std::string name, std::optional<Direction> better) {
    MetricGate gate{std::move(name), {}, {}, better};
    gate.exact = true;
    return gate;
  };
  EXPECT_EQ(*ParseMetricGate("allocs/op:exact"), exact("allocs/op", {}));
  EXPECT_EQ(*ParseMetricGate("*/x[1:2]:exact:lower"), exact("*/x[1:2]", Direction::kLower));
  EXPECT_EQ(*ParseMetricGate("a:exact:exact"), exact("a:exact", {}));
  EXPECT_EQ(*ParseMetricGate("a:exact:5%"), (MetricGate{"a:exact", 0.05, {}, {}}))
      << "only the last suffix is a margin";
  EXPECT_EQ(*ParseMetricGate("inexact"), (MetricGate{"inexact", {}, {}, {}}));
}

// In the form of --margin. After the name of a harness' own metric, it may belong to the name.
TEST(MetricTest, TakesABareFractionBehindABuiltInMetric) {
  EXPECT_EQ(*ParseMetricGate("cpu_time:0.02"), (MetricGate{"cpu_time", 0.02, {}, {}}));
  EXPECT_EQ(*ParseMetricGate("max_rss:0.5:lower"),
            (MetricGate{"max_rss", 0.5, {}, Direction::kLower}));
  EXPECT_EQ(*ParseMetricGate("own:0.02"), (MetricGate{"own:0.02", {}, {}, {}}));
  for (const char* text : {"cpu_time:5", "cpu_time:-5", "cpu_time:0"})
    ExpectRefused(text, ParseMetricGate(text));
}

// benchctl has a list of its own, so that it can refuse unknown names without a daemon.
TEST(MetricTest, KnowsTheMetricsThatTheDaemonHas) {
  std::size_t count = 0;
  for (const auto& metrics : {BuiltinMetrics(), OptionalMetrics()}) {
    for (const MetricInfo& metric : metrics) {
      ++count;
      EXPECT_TRUE(CheckBuiltinMetric(metric.name)) << metric.name;
      EXPECT_EQ(bool(ParseMetricGate(metric.name + ":+1ms")), metric.unit != "B") << metric.name;
      EXPECT_EQ(bool(ParseMetricGate(metric.name + ":+1MiB")), metric.unit != "s") << metric.name;
    }
  }
  const std::string hint = CheckBuiltinMetric("no_such").error().hint;
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(hint, ',')) + 1, count) << hint;
}

TEST(MetricTest, TakesUnitsOfAbsoluteMargins) {
  EXPECT_EQ(ParseMetricGate("max_rss:+1MiB")->absolute, 1048576);
  EXPECT_EQ(ParseMetricGate("max_rss:+5")->absolute, 5);
  EXPECT_EQ(ParseMetricGate("wall_time:+2ms")->absolute, 0.002);
  EXPECT_EQ(ParseMetricGate("own:+1kB:lower")->absolute, 1000);
  EXPECT_EQ(ParseMetricGate("own:+1kB:lower")->unit, "B");
  EXPECT_EQ(ParseMetricGate("own:+2ms")->unit, "s");
  EXPECT_EQ(ParseMetricGate("own:+5")->unit, "") << "the metric's own";
}

TEST(MetricTest, TakesNegativeMargins) {
  EXPECT_EQ(*ParseMetricGate("own:-5%"), (MetricGate{"own", -0.05, {}, {}}));
  EXPECT_EQ(*ParseMetricGate("rate:-150%:higher"),
            (MetricGate{"rate", -1.5, {}, Direction::kHigher}));
  EXPECT_EQ(*ParseMetricGate("cpu_time:-0.05"), (MetricGate{"cpu_time", -0.05, {}, {}}));
  EXPECT_EQ(*ParseMetricGate("own:-5ms"), (MetricGate{"own", {}, -0.005, {}, "s"}));
  EXPECT_EQ(*ParseMetricGate("own:+-5ms"), (MetricGate{"own", {}, -0.005, {}, "s"}));
  EXPECT_EQ(*ParseMetricGate("max_rss:-1MiB:lower"),
            (MetricGate{"max_rss", {}, -1048576, Direction::kLower, "B"}));
  EXPECT_EQ(*ParseMetricGate("own:+-5"), (MetricGate{"own", {}, -5, {}, ""}));
}

// Google Benchmark writes arguments like this.
TEST(MetricTest, ABareNegativeNumberIsPartOfAName) {
  for (const char* name : {"BM_X/offset:-5", "BM_X/offset:-nan", "BM_X:-5x", "a:-", "a:-5-ms"}) {
    EXPECT_EQ(*ParseMetricGate(name), (MetricGate{name, {}, {}, {}})) << name;
  }
  EXPECT_EQ(*ParseMetricGate("BM_X/offset:-5:-5%"), (MetricGate{"BM_X/offset:-5", -0.05, {}, {}}));
}

TEST(MetricTest, SaysWhatIsWrong) {
  for (const char* text : {"x:+abc", "x:+-0", "x:+0", "max:+1e308MiB", "max:+1e-320ns", "x:+nan",
                           "wall_time:+1MiB", "max_rss:+1ms", "x:-0%", "x:-0ms", "max:-1e308MiB",
                           "wall_time:-1MiB", "", ":5%", ":lower", ":exact"}) {
    ExpectRefused(text, ParseMetricGate(text));
  }
}

TEST(AssignmentTest, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(*ParseAssignment("A=b=c"), (std::pair<std::string, std::string>("A", "b=c")));
  EXPECT_EQ(*ParseAssignment("A="), (std::pair<std::string, std::string>("A", "")));
  for (const char* text : {"A", "=b"}) ExpectRefused(text, ParseAssignment(text));
}

TEST(SendableTextTest, TakesExactlyUtf8WithoutNul) {
  EXPECT_TRUE(IsSendableText("plain, µ, …, \U0001F600"));
  EXPECT_FALSE(IsSendableText(std::string_view("a\0b", 3)));
  EXPECT_FALSE(IsSendableText("\xff"));
  EXPECT_FALSE(IsSendableText("\xc0\x80"));          // overlong NUL
  EXPECT_FALSE(IsSendableText("\xe0\x80\x80"));      // overlong
  EXPECT_FALSE(IsSendableText("\xed\xa0\x80"));      // surrogate
  EXPECT_FALSE(IsSendableText("\xf4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(IsSendableText("\xe2\x82"));          // cut off
}

}  // namespace
}  // namespace benchd::client
