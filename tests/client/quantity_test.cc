#include "client/request/quantity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/metric.h"

namespace benchd::client {
namespace {

template <typename T>
std::string Said(const Result<T>& outcome) {
  if (outcome) return "no error";
  return outcome.error().message + " | " + outcome.error().hint;
}

TEST(FractionTest, PercentAndFractionGiveTheSameDouble) {
  // Each literal is the double nearest to the decimal number.
  EXPECT_EQ(*ParseFraction("2%"), 0.02);
  EXPECT_EQ(*ParseFraction("0.02"), 0.02);
  EXPECT_EQ(*ParseFraction("0.1%"), 0.001);
  EXPECT_EQ(*ParseFraction("2 %"), 0.02);
  EXPECT_EQ(*ParseFraction("1e-1%"), 0.001);
}

TEST(FractionTest, SaysWhatIsWrong) {
  EXPECT_EQ(Said(ParseMargin("abc")), "not a number | write 2% or 0.02");
  EXPECT_EQ(Said(ParseMargin("")), "not a number | write 2% or 0.02");
  EXPECT_EQ(Said(ParseMargin("%")), "not a number | write 2% or 0.02");
  EXPECT_EQ(Said(ParseMargin("2%%")), "not a number | write 2% or 0.02");
  EXPECT_EQ(Said(ParseMargin("0x10")), "not a number | write 2% or 0.02");
  EXPECT_EQ(Said(ParseMargin("nan")), "not a finite number | write 2% or 0.02");
  EXPECT_EQ(Said(ParseMargin("inf%")), "not a finite number | write 2% or 0.02");
  EXPECT_EQ(Said(ParseMargin("-1%")), "a margin cannot be negative | write 2% or 0.02");
  EXPECT_EQ(Said(ParseMargin("0%")), "a margin must be above zero | write 2% or 0.02");
  EXPECT_EQ(Said(ParseMargin("-0")), "a margin must be above zero | write 2% or 0.02");
}

// --margin 5 once meant 500 %, and a program that took five times as long passed.
TEST(MarginTest, ABareNumberFromOneOnIsRefused) {
  EXPECT_EQ(*ParseMargin("0.999"), 0.999);
  EXPECT_EQ(*ParseMargin("500%"), 5);
  for (const std::string text : {"1", "1.0", "5", "2e3"}) {
    EXPECT_EQ(Said(ParseMargin(text)),
              "a margin of 1 or more needs a percent sign | write " + text + "%");
  }
}

TEST(ProbabilityTest, ExcludesBothEnds) {
  EXPECT_EQ(*ParseProbability("99%", "99%"), 0.99);
  for (const char* text : {"0", "0%", "1", "100%", "99", "-1%"}) {
    EXPECT_EQ(Said(ParseProbability(text, "99%")),
              "must be between 0 and 100 %, exclusive | write 99%")
        << text;
  }
  EXPECT_EQ(Said(ParseProbability("high", "99%")), "not a number | write 99%");
}

TEST(ProbabilityTest, AlphaOfARoundConfidenceIsRound) {
  EXPECT_EQ(AlphaFromConfidence(0.99), 0.01);
  EXPECT_EQ(AlphaFromConfidence(0.999), 0.001);
  EXPECT_EQ(AlphaFromConfidence(0.95), 0.05);
}

TEST(DurationTest, TakesUnitsAndTheirSums) {
  EXPECT_EQ(*ParseDuration("500ms"), 0.5);
  EXPECT_EQ(*ParseDuration("1s"), 1);
  EXPECT_EQ(*ParseDuration("1.5s"), 1.5);
  EXPECT_EQ(*ParseDuration("10m"), 600);
  EXPECT_EQ(*ParseDuration("1h30m"), 5400);
  EXPECT_EQ(*ParseDuration("3"), 3);
}

TEST(DurationTest, SaysWhatIsWrong) {
  constexpr char kHint[] = " | write 500ms, 30s, 10m or 1h30m";
  for (const char* text : {"", "abc", "10x", "10 MiB", "10MiB", "1s5", "s", "1m 5s"}) {
    EXPECT_EQ(Said(ParseDuration(text)), std::string("not a duration") + kHint) << text;
  }
  for (const char* text : {"0", "0s", "-5s", "-1"}) {
    EXPECT_EQ(Said(ParseDuration(text)), std::string("must be above zero") + kHint) << text;
  }
  EXPECT_EQ(Said(ParseDuration("inf")), std::string("not a finite duration") + kHint);
}

TEST(CountTest, TakesWholeNumbersOnly) {
  EXPECT_EQ(*ParseCount("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(Said(ParseCount("18446744073709551616")), "too large | ");
  for (const char* text : {"", "-1", "1.5", "x", "1 "}) {
    EXPECT_EQ(Said(ParseCount(text)), "not a non-negative integer | ") << text;
  }
  EXPECT_EQ(*ParseInteger("-3"), -3);
  EXPECT_EQ(Said(ParseInteger("3000000000")), "too large | ");
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

// In the form of --margin. After the name of a harness' own metric, it may belong to the name.
TEST(MetricTest, TakesABareFractionBehindABuiltInMetric) {
  EXPECT_EQ(*ParseMetricGate("cpu_time:0.02"), (MetricGate{"cpu_time", 0.02, {}, {}}));
  EXPECT_EQ(*ParseMetricGate("max_rss:0.5:lower"),
            (MetricGate{"max_rss", 0.5, {}, Direction::kLower}));
  EXPECT_EQ(*ParseMetricGate("own:0.02"), (MetricGate{"own:0.02", {}, {}, {}}));
  EXPECT_EQ(Said(ParseMetricGate("cpu_time:5")),
            "the margin 5: a margin of 1 or more needs a percent sign | write 5%");
  EXPECT_EQ(Said(ParseMetricGate("cpu_time:0")),
            "the margin 0: a margin must be above zero | write 2% or 0.02");
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

TEST(MetricTest, SaysWhatIsWrong) {
  constexpr char kHint[] = " | write :+5, :+2ms or :+1MiB";
  EXPECT_EQ(Said(ParseMetricGate("x:+abc")),
            std::string("the margin +abc is not a number with a unit") + kHint);
  EXPECT_EQ(Said(ParseMetricGate("x:+-1")), std::string("the margin +-1 is negative") + kHint);
  EXPECT_EQ(Said(ParseMetricGate("x:+0")), std::string("the margin +0 is not above zero") + kHint);
  for (const char* margin : {"1e308MiB", "1e-320ns"}) {
    EXPECT_EQ(Said(ParseMetricGate(std::string("max:+") + margin)),
              std::string("the margin +") + margin + " is too small or too large" + kHint);
  }
  EXPECT_EQ(Said(ParseMetricGate("x:+nan")),
            std::string("the margin +nan is not a finite number") + kHint);
  EXPECT_EQ(Said(ParseMetricGate("wall_time:+1MiB")),
            std::string("the margin +1MiB is not a time") + kHint);
  EXPECT_EQ(Said(ParseMetricGate("max_rss:+1ms")),
            std::string("the margin +1ms is not a number of bytes") + kHint);
  EXPECT_EQ(Said(ParseMetricGate("x:-5%")),
            "the margin -5%: a margin cannot be negative | write 2% or 0.02");
  constexpr char kNoName[] = "missing metric name | write NAME, NAME:2%, NAME:+1MiB or NAME:lower";
  EXPECT_EQ(Said(ParseMetricGate("")), kNoName);
  EXPECT_EQ(Said(ParseMetricGate(":5%")), kNoName);
  EXPECT_EQ(Said(ParseMetricGate(":lower")), kNoName);
}

TEST(AssignmentTest, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(*ParseAssignment("A=b=c"), (std::pair<std::string, std::string>("A", "b=c")));
  EXPECT_EQ(*ParseAssignment("A="), (std::pair<std::string, std::string>("A", "")));
  constexpr char kWrong[] = "expected NAME=VALUE | write NAME=VALUE";
  EXPECT_EQ(Said(ParseAssignment("A")), kWrong);
  EXPECT_EQ(Said(ParseAssignment("=b")), kWrong);
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
