#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "core/model/session_spec.h"
#include "tests/analysis/session_builder.h"
#include "tests/analysis/table_text.h"
#include "tests/support/seed.h"

// Analysing a session's export gives the numbers of the session to the last bit.

namespace benchd {
namespace {

using Columns = std::vector<TableColumn>;

const Columns& ParsedColumns() {
  static const Columns columns{{"ops", "1/s", Better::kHigher, 0.001},
                               {"latency", "ms", std::nullopt, 0.5}};
  return columns;
}

std::string ShortestText(double value) {
  std::array<char, 40> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// The spec as benchd stores it.
SessionSpec AsAdmitted(SessionSpec spec) {
  if (!spec.early_looks) spec.early_looks = EarlyLooksByDefault(spec);
  return spec;
}

/// A live session: its runs are drawn, and its rows are written as the client exports them.
class LiveSession {
 public:
  /// @param step  by how much each arm is slower than the one before, relative to the first
  LiveSession(const SessionSpec& spec, std::uint64_t seed, double step = 0.03)
      : spec_(AsAdmitted(spec)),
        step_(step),
        random_(seed),
        analysis_(SessionAnalysis::Create(spec_).value()) {}

  Report Run(std::uint64_t blocks_at_most) {
    for (std::uint32_t b = 0; b < spec_.benchmarks.size(); ++b) AddBlock(b, 0, RunPhase::kWarmup);
    std::vector<std::uint64_t> blocks(spec_.benchmarks.size());
    for (std::uint64_t i = 0; i < blocks_at_most && !analysis_.Finished(); ++i) {
      for (const std::size_t b : analysis_.OpenBenchmarks()) {
        AddBlock(static_cast<std::uint32_t>(b), blocks[b]++, RunPhase::kMeasured);
      }
    }
    return analysis_.Conclude();
  }

  const std::string& Export() const { return csv_; }

 private:
  void AddBlock(std::uint32_t benchmark, std::uint64_t number, RunPhase phase) {
    std::vector<std::uint32_t> arms;
    const std::vector<std::size_t> counts = RunsPerBlock(spec_.benchmarks[benchmark]);
    for (std::uint32_t arm = 0; arm < counts.size(); ++arm) {
      arms.insert(arms.end(), counts[arm], arm);
    }
    if (phase == RunPhase::kMeasured) {
      for (const std::uint32_t idle : analysis_.IdleArms(benchmark)) std::erase(arms, idle);
    }
    std::shuffle(arms.begin(), arms.end(), random_);
    const bool coin = spec_.schedule.kind == ScheduleKind::kCoin && phase == RunPhase::kMeasured;
    if (coin) {
      const std::vector<std::uint32_t> urn = arms;
      for (std::uint32_t& arm : arms) arm = urn[random_() % urn.size()];
    }
    Block block;
    const double drift = 1 + 0.01 * normal_(random_);
    for (std::uint32_t position = 0; position < arms.size(); ++position) {
      block.push_back(MakeRun(benchmark, number, position, arms[position], drift));
      Write(block.back(), phase);
    }
    if (phase == RunPhase::kWarmup) {
      analysis_.AddWarmup(block);
      return;
    }
    const Result<void> added = analysis_.Add(block);
    ASSERT_TRUE(added) << added.error().message;
  }

  benchd::Run MakeRun(std::uint32_t benchmark, std::uint64_t block, std::uint32_t position,
                      std::uint32_t arm, double drift) {
    const double slower = 1 + step_ * arm;
    const auto value = [&](double around) {
      return around * drift * (1 + 0.005 * normal_(random_));
    };
    RunBuilder builder(benchmark, arm, position);
    builder.Sample("wall_time", value(0.1 * slower));
    builder.Sample("max_rss", 4096 * static_cast<double>(100 + random_() % 3));
    builder.Sample("ops", value(1e6 / slower));
    // Some runs do not print it.
    if (random_() % 50 > 0) builder.Sample("latency", value(7));
    for (const TableColumn& column : ParsedColumns()) {
      builder.Metric(column.metric, column.better, column.unit, *column.resolution);
    }
    benchd::Run run = builder;
    run.block = block;
    return run;
  }

  void Write(const benchd::Run& run, RunPhase phase) {
    const Benchmark& benchmark = spec_.benchmarks[run.benchmark];
    const std::string pair = phase == RunPhase::kWarmup ? "" : std::to_string(run.block);
    const Arm& arm = benchmark.arms[run.arm];
    const char* role = arm.role == ArmRole::kReference ? "reference" : "candidate";
    csv_ += arm.name + "," + role + "," + benchmark.name + "," + pair + "," +
            std::to_string(++order_) + ",";
    for (const char* metric : {"wall_time", "max_rss", "ops", "latency"}) {
      csv_ += ",";
      for (const Sample& sample : run.samples) {
        if (sample.metric == metric) csv_ += ShortestText(sample.value);
      }
    }
    csv_ += "\n";
  }

  SessionSpec spec_;
  double step_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  SessionAnalysis analysis_;
  std::string csv_ = "arm,role,benchmark,pair,order,started_at,wall_time,max_rss,ops,latency\n";
  std::size_t order_ = 0;
};

SessionSpec ReplaySpec(std::size_t candidates = 1, std::size_t benchmarks = 1) {
  std::vector<std::string> arms{"base"};
  for (std::size_t i = 0; i < candidates; ++i) arms.push_back("new" + std::to_string(i));
  SessionSpec spec;
  for (std::size_t i = 0; i < benchmarks; ++i) {
    Benchmark benchmark = MakeBenchmark("bench" + std::to_string(i), 1, arms);
    benchmark.gates = {RatioGate("wall_time", 0.02), RatioGate("ops", 0.05)};
    spec.benchmarks.push_back(std::move(benchmark));
  }
  return spec;
}

/// The options that `show` prints for `benchctl analyze`.
TableOptions OptionsOf(const SessionSpec& spec) {
  TableOptions options;
  options.spec = spec;
  options.method = spec.limits.runs ? Method::kFixed : spec.method;
  options.spec.limits.runs.reset();
  options.columns = ParsedColumns();
  return options;
}

std::vector<Comparison> Sorted(std::vector<Comparison> comparisons) {
  const auto key = [](const Comparison& c) {
    return std::tuple(c.benchmark, c.reference, c.candidate, c.metric);
  };
  std::sort(comparisons.begin(), comparisons.end(),
            [&key](const Comparison& a, const Comparison& b) { return key(a) < key(b); });
  return comparisons;
}

std::optional<std::uint64_t> LastDecision(const Report& report) {
  std::optional<std::uint64_t> last;
  for (const Comparison& one : report.comparisons) {
    if (one.role != ComparisonRole::kGate) continue;
    if (!one.decided) return std::nullopt;
    last = std::max(last.value_or(0), one.decided->blocks);
  }
  return last;
}

void ExpectSameReplay(const SessionSpec& spec, std::uint64_t blocks = 60, double step = 0.03) {
  const std::uint64_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  LiveSession session(spec, seed, step);
  const Report live = session.Run(blocks);
  const auto replayed = Analyze(session.Export(), OptionsOf(spec));
  ASSERT_TRUE(replayed) << replayed.error().message;
  const std::vector<Comparison> expected = Sorted(live.comparisons);
  std::vector<Comparison> actual = Sorted(replayed->report.comparisons);
  // A session gets its own with its time.
  for (Comparison& one : actual) one.forecast.reset();
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(actual[i], expected[i])
        << expected[i].benchmark << " " << expected[i].candidate << " " << expected[i].metric;
  }
  const auto by_name = [](std::vector<ArmRuns> runs) {
    std::ranges::sort(runs, {}, [](const ArmRuns& one) { return one.benchmark + "/" + one.arm; });
    return runs;
  };
  EXPECT_EQ(by_name(replayed->report.runs), by_name(live.runs));
  EXPECT_EQ(MessageOf(replayed->report.warnings, "incomplete_pairs"), "");
  EXPECT_EQ(replayed->report.verdict, live.verdict);
  EXPECT_EQ(replayed->report.basis, live.basis);
  if (spec.limits.runs) {
    EXPECT_FALSE(replayed->decided_at);
  } else {
    EXPECT_EQ(replayed->decided_at, LastDecision(live));
  }
}

TEST(TableReplayTest, Paired) { ExpectSameReplay(ReplaySpec()); }

TEST(TableReplayTest, SeveralBenchmarksAndCandidates) { ExpectSameReplay(ReplaySpec(2, 3), 30); }

TEST(TableReplayTest, ReferencesThatRunTwiceInABlock) { ExpectSameReplay(ReplaySpec(4), 30); }

TEST(TableReplayTest, ArmsThatRetire) {
  SessionSpec spec = ReplaySpec(3, 2);
  // Three per cent a candidate: the farther ones are decided first.
  for (Benchmark& benchmark : spec.benchmarks) benchmark.gates = {RatioGate("wall_time", 0.04)};
  LiveSession session(spec, 7);
  const Report live = session.Run(200);
  const auto retired = std::ranges::count_if(
      live.runs, [](const ArmRuns& one) { return one.retired_after.has_value(); });
  EXPECT_GE(retired, 2);
  ExpectSameReplay(spec, 200);
  spec.method = Method::kWelch;
  ExpectSameReplay(spec, 200);
  spec.estimator.kind = EstimatorKind::kMedian;
  spec.method = Method::kPaired;
  ExpectSameReplay(spec, 200);
}

TEST(TableReplayTest, ArmsThatAreMultiples) {
  SessionSpec spec = ReplaySpec(2);
  LiveSession session(spec, 7, 3);
  for (const ArmRuns& one : session.Run(60).runs) EXPECT_LT(one.runs, 8U) << one.arm;
  ExpectSameReplay(spec, 60, 3);
  spec.early_looks = false;
  ExpectSameReplay(spec, 60, 3);
  spec = ReplaySpec();
  spec.early_looks = true;
  ExpectSameReplay(spec, 60, 3);
}

TEST(TableReplayTest, OneSidedAndPrecise) {
  SessionSpec spec = ReplaySpec();
  spec.sided = Sided::kOne;
  ExpectSameReplay(spec);
  spec.rule = {RuleKind::kPrecision, 0.01};
  ExpectSameReplay(spec);
}

TEST(TableReplayTest, Horizon) {
  SessionSpec spec = ReplaySpec();
  spec.limits.max_runs = 40;
  spec.limits.at_limit = AtLimit::kEstimate;
  ExpectSameReplay(spec);
  spec.method = Method::kWelch;
  ExpectSameReplay(spec);
}

TEST(TableReplayTest, ExactT) {
  SessionSpec spec = ReplaySpec();
  spec.method = Method::kExactT;
  ExpectSameReplay(spec);
}

TEST(TableReplayTest, WelchInBlocks) {
  SessionSpec spec = ReplaySpec(4);
  spec.method = Method::kWelch;
  ExpectSameReplay(spec, 30);
}

TEST(TableReplayTest, WelchByCoin) {
  SessionSpec spec = ReplaySpec(2);
  spec.method = Method::kWelch;
  spec.schedule.kind = ScheduleKind::kCoin;
  ExpectSameReplay(spec);
}

TEST(TableReplayTest, OneLook) {
  SessionSpec spec = ReplaySpec(2);
  spec.limits.runs = 25;
  ExpectSameReplay(spec);
  spec.method = Method::kFixed;
  ExpectSameReplay(spec);
  spec.schedule.kind = ScheduleKind::kCoin;
  ExpectSameReplay(spec);
}

TEST(TableReplayTest, EveryEstimatorOfPairs) {
  for (const EstimatorKind kind :
       {EstimatorKind::kHodgesLehmann, EstimatorKind::kMedian, EstimatorKind::kLognormalMean}) {
    SCOPED_TRACE(static_cast<int>(kind));
    SessionSpec spec = ReplaySpec();
    spec.estimator.kind = kind;
    // The last one takes one look only.
    if (kind != EstimatorKind::kLognormalMean) ExpectSameReplay(spec);
    spec.limits.runs = 30;
    ExpectSameReplay(spec);
  }
}

TEST(TableReplayTest, TheLiveViewOfAnotherBenchmarkIsNotNeeded) {
  // Analysed alone, a benchmark has its own level, without the other gates.
  SessionSpec spec = ReplaySpec(1, 2);
  LiveSession session(spec, 1);
  session.Run(20);
  std::string alone;
  std::string line;
  for (const char c : session.Export()) {
    line += c;
    if (c != '\n') continue;
    if (line.find(",bench1,") == std::string::npos) alone += line;
    line.clear();
  }
  const auto both = Analyze(session.Export(), OptionsOf(spec));
  const auto one = Analyze(alone, OptionsOf(spec));
  ASSERT_TRUE(both && one);
  EXPECT_NEAR(Find(both->report, "ops", "new0", "bench0").confidence, 1 - 0.01 / 4, 1e-15);
  EXPECT_NEAR(Find(one->report, "ops", "new0", "bench0").confidence, 1 - 0.01 / 2, 1e-15);
}

}  // namespace
}  // namespace benchd
