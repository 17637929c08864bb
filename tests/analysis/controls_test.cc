#include "core/analysis/controls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/confirmed_analysis.h"
#include "core/analysis/control_names.h"
#include "core/analysis/control_report.h"
#include "core/analysis/session_analysis.h"
#include "core/analysis/table_analysis.h"
#include "tests/analysis/session_builder.h"
#include "tests/analysis/session_feed.h"
#include "tests/analysis/table_text.h"
#include "tests/golden/golden.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// Far more blocks than gates with 1 % of noise and changes of several per cent need.
constexpr int kMostBlocksFed = 300;

bool HasCode(const Report& report, std::string_view code) {
  return std::ranges::find(report.warnings, code, &Warning::code) != report.warnings.end();
}

const Warning& WarningWith(const Report& report, std::string_view code) {
  static const Warning none;
  const auto found = std::ranges::find(report.warnings, code, &Warning::code);
  return found == report.warnings.end() ? none : *found;
}

/// A suite of a benchmark and a control, each with one gate on wall_time.
SessionSpec ControlSuite() {
  SessionSpec spec = MakeSpec({MakeBenchmark("work", 1, {"base", "candidate"}),
                               MakeBenchmark("steady", 1, {"base", "candidate"})});
  spec.benchmarks[1].control = true;
  return spec;
}

/// Feeds blocks of both benchmarks with 1 % of noise, each while it is open.
class ControlFeed {
 public:
  explicit ControlFeed(unsigned seed) : random_(seed) {}

  /// Measures until the analysis is finished. `work` and `steady` are the candidates' times, of 1.
  template <typename Analysis>
  void Measure(Analysis& analysis, double work, double steady, int most = kMostBlocksFed) {
    for (int i = 0; i < most && !analysis.Finished(); ++i) {
      for (std::uint32_t benchmark = 0; benchmark < 2; ++benchmark) {
        if (!analysis.Outlook()[benchmark].open) continue;
        Block block;
        for (std::uint32_t arm = 0; arm < 2; ++arm) {
          const double mean = arm == 0 ? 1 : benchmark == 0 ? work : steady;
          block.push_back(RunBuilder(benchmark, arm, arm)
                              .Sample("wall_time", mean * (1 + 0.01 * normal_(random_))));
        }
        const Result<void> added = analysis.Add(block);
        ASSERT_TRUE(added) << added.error().message;
      }
    }
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

Report MeasuredSuite(const SessionSpec& spec, double work, double steady,
                     int most = kMostBlocksFed) {
  SessionAnalysis analysis = Start(spec);
  ControlFeed(41).Measure(analysis, work, steady, most);
  return analysis.Conclude();
}

const Comparison& WallGate(const Report& report, const char* benchmark) {
  return Find(report, "wall_time", "candidate", benchmark);
}

TEST(ControlNamesTest, ANameStandsForItselfAPatternAndWhatContinuesItAfterASlash) {
  EXPECT_TRUE(NamesControl("BM_Sort", "BM_Sort"));
  EXPECT_TRUE(NamesControl("BM_Sort", "BM_Sort/8"));
  EXPECT_TRUE(NamesControl("BM_*", "BM_Sort/8"));
  EXPECT_FALSE(NamesControl("BM_Sort", "BM_Sorted"));
  EXPECT_FALSE(NamesControl("BM_Sort/8", "BM_Sort"));
  EXPECT_FALSE(NamesControl("", "BM_Sort"));
}

TEST(ControlNamesTest, AnInnerBenchmarkIsNamedByItsOwnName) {
  Benchmark benchmark = MakeBenchmark("suite/TestA", 1, {"base", "candidate"});
  benchmark.inner = "TestA";
  benchmark.controls = {"TestA"};
  EXPECT_TRUE(IsControl(benchmark));
  benchmark.controls = {"suite"};
  EXPECT_TRUE(IsControl(benchmark));
  benchmark.controls = {"TestB"};
  EXPECT_FALSE(IsControl(benchmark));
}

TEST(ControlNamesTest, ABuiltInMetricIsOfTheWholeBenchmark) {
  Benchmark benchmark = MakeBenchmark("main", 1, {"base", "candidate"});
  benchmark.controls = {"calibrate", "wall_time"};
  EXPECT_TRUE(IsControlMetric(benchmark, {.key = "calibrate/ns", .name = "ns"}));
  EXPECT_TRUE(IsControlMetric(benchmark, {.key = "calibrate", .name = "calibrate"}));
  EXPECT_FALSE(IsControlMetric(benchmark, {.key = "other/ns", .name = "ns"}));
  EXPECT_FALSE(
      IsControlMetric(benchmark, {.key = "wall_time", .builtin = true, .name = "wall_time"}));
}

TEST(ControlNamesTest, ANameThatStandsForNothingIsAnErrorWithTheNearestOne) {
  SessionSpec spec = ControlSuite();
  for (Benchmark& benchmark : spec.benchmarks) {
    benchmark.control = false;
    benchmark.controls = {"stedy"};
  }
  const auto refused = SessionAnalysis::Create(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(refused.error());
  for (Benchmark& benchmark : spec.benchmarks) benchmark.controls = {"x"};
  ASSERT_FALSE(SessionAnalysis::Create(spec));
  EXPECT_WORDING(SessionAnalysis::Create(spec).error());
  for (Benchmark& benchmark : spec.benchmarks) benchmark.controls = {"steady"};
  EXPECT_TRUE(SessionAnalysis::Create(spec)) << "it may stand for one benchmark only";
}

TEST(ControlNamesTest, SomethingHasToBeJudged) {
  SessionSpec spec = ControlSuite();
  spec.benchmarks[0].control = true;
  const auto refused = SessionAnalysis::Create(spec);
  ASSERT_FALSE(refused);
  EXPECT_WORDING(refused.error());
}

TEST(ControlNamesTest, AListedNameIsCheckedBeforeAnyRun) {
  std::vector<Benchmark> listed = {MakeBenchmark("TestA", 1, {"base", "candidate"}),
                                   MakeBenchmark("TestB", 1, {"base", "candidate"})};
  for (Benchmark& benchmark : listed) {
    benchmark.harness = "go";
    benchmark.parse = "go";
    benchmark.inner = benchmark.name;
    benchmark.controls = {"TestA"};
  }
  EXPECT_TRUE(CheckListedControls(listed));
  for (Benchmark& benchmark : listed) benchmark.controls = {"TestA/part"};
  EXPECT_TRUE(CheckListedControls(listed)) << "only the output shows its parts";
  for (Benchmark& benchmark : listed) benchmark.controls = {"TestC"};
  const Result<void> refused = CheckListedControls(listed);
  ASSERT_FALSE(refused);
  EXPECT_WORDING(refused.error());
}

/// A block of one program that prints two benchmarks.
Block PrintedBlock(double work, double steady, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Block block;
  for (std::uint32_t arm = 0; arm < 2; ++arm) {
    const auto value = [&](double mean) {
      return (arm == 0 ? 1 : mean) * (1 + 0.005 * normal(random));
    };
    block.push_back(RunBuilder(0, arm, arm)
                        .Metric("t", Better::kLower)
                        .Sample("t", value(work), "work")
                        .Sample("t", value(steady), "steady/8"));
  }
  return block;
}

SessionSpec SpecOfPrinted(const std::string& control) {
  SessionSpec spec = Two();
  spec.benchmarks[0].parse = "google-benchmark";
  spec.benchmarks[0].controls = {control};
  return spec;
}

TEST(ControlNamesTest, ANameStandsForABenchmarkInTheOutput) {
  SessionAnalysis analysis = Start(SpecOfPrinted("steady"));
  std::mt19937_64 random(5);
  for (int i = 0; i < 60 && !analysis.Finished(); ++i)
    Feed(analysis, PrintedBlock(1.3, 1.3, random));
  const Report report = analysis.Conclude();
  EXPECT_EQ(Find(report, "steady/8/t").control, ControlState::kChanged);
  EXPECT_FALSE(Find(report, "work/t").control);
  EXPECT_EQ(Find(report, "work/t").verdict, Verdict::kRegression);
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
}

TEST(ControlNamesTest, WhatTheOutputLacksIsAnErrorOnceItIsKnown) {
  std::mt19937_64 random(5);
  for (const char* name : {"stead", "*/*"}) {
    SessionAnalysis analysis = Start(SpecOfPrinted(name));
    const Result<void> added = analysis.Add(PrintedBlock(1, 1, random));
    ASSERT_FALSE(added) << name;
    EXPECT_EQ(added.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(added.error());
  }
}

/// A session of controls.json, and how far it got.
struct PlayedSession {
  Report report;
  std::uint64_t blocks = 0;
};

PlayedSession PlaySession(const nlohmann::json& one) {
  std::vector<Benchmark> benchmarks;
  std::vector<std::string> names;
  for (const auto& [name, of] : one.at("benchmarks").items()) {
    Benchmark benchmark = MakeBenchmark(name, 1, {"base", "candidate"});
    benchmark.gates = {RatioGate("m", of.at("margin"))};
    benchmark.gates[0].better = of.at("better") == "higher" ? Better::kHigher : Better::kLower;
    benchmark.control = of.at("control");
    benchmarks.push_back(std::move(benchmark));
    names.push_back(name);
  }
  SessionSpec spec = MakeSpec(std::move(benchmarks), one.at("alpha"));
  spec.sided = one.at("sided") == "one" ? Sided::kOne : Sided::kTwo;
  SessionAnalysis analysis = Start(spec);
  PlayedSession played;
  for (const std::string name : one.at("order")) {
    if (analysis.Finished()) break;
    const auto number = static_cast<std::uint32_t>(std::ranges::find(names, name) - names.begin());
    const nlohmann::json& pair =
        one.at("benchmarks").at(name).at("blocks").at(analysis.BlocksOf(number));
    Feed(analysis, {RunBuilder(number, 0, 0).Metric("m", {}).Sample("m", pair[0]),
                    RunBuilder(number, 1, 1).Metric("m", {}).Sample("m", pair[1])});
    ++played.blocks;
  }
  played.report = analysis.Conclude();
  return played;
}

TEST(ControlTest, SessionsAgreeWithAnIndependentProgram) {
  for (const nlohmann::json& one : golden::ReadFile("controls.json").at("cases")) {
    const std::string id = one.at("id");
    const nlohmann::json& expected = one.at("expected");
    const PlayedSession played = PlaySession(one);
    EXPECT_EQ(NameOf(played.report.verdict), expected.at("verdict").get<std::string>()) << id;
    EXPECT_EQ(played.report.control_changed, expected.at("control_changed")) << id;
    EXPECT_EQ(played.blocks, expected.at("blocks_used")) << id;
    for (const auto& [name, of] : expected.at("comparisons").items()) {
      const Comparison& found = Find(played.report, "m", "candidate", name);
      ASSERT_TRUE(found.change && found.change->lo && found.change->hi) << id << ' ' << name;
      EXPECT_EQ(found.n_candidate, of.at("blocks")) << id << ' ' << name;
      EXPECT_TRUE(golden::Close(*found.change->lo, of.at("lo"), one.at("rel_tol"))) << id << name;
      EXPECT_TRUE(golden::Close(*found.change->hi, of.at("hi"), one.at("rel_tol"))) << id << name;
      if (!of.contains("control")) {
        EXPECT_EQ(NameOf(*found.verdict), of.at("verdict").get<std::string>()) << id << ' ' << name;
        continue;
      }
      ASSERT_TRUE(found.control) << id << ' ' << name;
      EXPECT_EQ(NameOf(*found.control), of.at("control").get<std::string>()) << id << ' ' << name;
      ASSERT_EQ(found.decided.has_value(), !of.at("decided_at").is_null()) << id << ' ' << name;
      if (found.decided) {
        EXPECT_EQ(found.decided->blocks, of.at("decided_at")) << id;
      }
    }
  }
}

TEST(ControlTest, OneThatChangedInEitherDirectionMakesTheSessionUndecided) {
  for (const double steady : {1.3, 0.75}) {
    for (const double work : {1.0, 1.3}) {
      const Report report = MeasuredSuite(ControlSuite(), work, steady);
      EXPECT_EQ(report.verdict, Verdict::kUndecided) << work << ' ' << steady;
      EXPECT_TRUE(report.control_changed);
      const Comparison& control = WallGate(report, "steady");
      EXPECT_EQ(control.control, ControlState::kChanged);
      EXPECT_EQ(control.verdict, Verdict::kUndecided);
      EXPECT_EQ(control.reason, "control_changed");
      EXPECT_EQ(control.flag, Flag::kNone);
      ASSERT_TRUE(control.change && control.change->lo && control.change->hi);
      EXPECT_TRUE(*control.change->lo > 0.02 || *control.change->hi < -0.02);
      // The gate keeps its verdict.
      EXPECT_EQ(WallGate(report, "work").verdict, work > 1 ? Verdict::kRegression : Verdict::kPass);
      EXPECT_FALSE(WallGate(report, "work").control);
      const Warning& warning = WarningWith(report, "control_changed");
      EXPECT_EQ(warning.severity, Severity::kInvalidates);
      EXPECT_EQ(warning.message,
                "the control changed: the machine, not the code: wall_time of candidate against "
                "base in steady");
      EXPECT_EQ(warning.benchmark, "");
    }
  }
}

TEST(ControlTest, OneThatDidNotChangeLeavesTheVerdictAlone) {
  for (const double work : {1.0, 1.3}) {
    const Report report = MeasuredSuite(ControlSuite(), work, 1.0);
    EXPECT_EQ(report.verdict, work > 1 ? Verdict::kRegression : Verdict::kPass);
    EXPECT_FALSE(report.control_changed);
    EXPECT_EQ(WallGate(report, "steady").control, ControlState::kUnchanged);
    EXPECT_EQ(WallGate(report, "steady").verdict, Verdict::kPass);
    EXPECT_FALSE(HasCode(report, "control_changed"));
    EXPECT_FALSE(HasCode(report, "control_open"));
  }
}

// A gate passes as soon as the interval is below the margin; that does not show that nothing
// changed.
TEST(ControlTest, AnImprovementIsNoPassOfAControl) {
  SessionSpec spec = ControlSuite();
  SessionAnalysis analysis = Start(spec);
  ControlFeed(43).Measure(analysis, 1.3, 0.985, 15);
  const Report report = analysis.Look();
  const Comparison& control = WallGate(report, "steady");
  ASSERT_TRUE(control.change && control.change->lo && control.change->hi);
  ASSERT_LT(*control.change->hi, 0.02) << "an ordinary gate would have passed";
  ASSERT_LT(*control.change->lo, -0.02);
  EXPECT_EQ(control.control, ControlState::kOpen);
  EXPECT_EQ(control.verdict, Verdict::kUndecided);
  EXPECT_EQ(report.verdict, Verdict::kUndecided) << "a regression waits for its control";
  EXPECT_EQ(WallGate(report, "work").verdict, Verdict::kRegression);
}

TEST(ControlTest, OneThatIsOpenAtTheLimitIsACaution) {
  const Report report = MeasuredSuite(ControlSuite(), 1.5, 0.985, 15);
  EXPECT_EQ(WallGate(report, "steady").control, ControlState::kOpen);
  EXPECT_EQ(report.verdict, Verdict::kRegression) << "it does not hold up the verdict";
  EXPECT_FALSE(report.control_changed);
  EXPECT_EQ(WarningWith(report, "control_open").severity, Severity::kCaution);
  EXPECT_EQ(WarningWith(report, "control_open").message,
            "a control was not shown to be unchanged: wall_time of candidate against base in "
            "steady");
}

TEST(ControlTest, ItCountsAmongTheGates) {
  const Report report = MeasuredSuite(ControlSuite(), 1.3, 1.0);
  EXPECT_EQ(WallGate(report, "work").confidence, 0.995);
  EXPECT_EQ(WallGate(report, "steady").confidence, 0.995);
}

// The gates have the level alpha at each bound, and a control half of it, as without --sided one.
TEST(ControlTest, ItsIntervalIsTwoSidedWhateverThoseOfTheGatesAre) {
  SessionSpec one = ControlSuite();
  one.sided = Sided::kOne;
  one.pass_confidence = 0.9;
  const auto first_looks = [](const SessionSpec& spec) {
    SessionAnalysis analysis = Start(spec);
    ControlFeed(47).Measure(analysis, 1.0, 1.0, 8);
    return analysis.Look();
  };
  const Report two_sided = first_looks(ControlSuite());
  const Report one_sided = first_looks(one);
  EXPECT_EQ(WallGate(one_sided, "steady").change, WallGate(two_sided, "steady").change);
  EXPECT_FALSE(WallGate(one_sided, "steady").pass_confidence);
  EXPECT_NE(WallGate(one_sided, "work").change, WallGate(two_sided, "work").change);
  EXPECT_TRUE(WallGate(one_sided, "work").pass_confidence);
}

TEST(ControlTest, ANegativeMarginBoundsItOnBothSides) {
  SessionSpec spec = ControlSuite();
  for (Benchmark& benchmark : spec.benchmarks) benchmark.gates = {RatioGate("wall_time", -0.05)};
  const Report report = MeasuredSuite(spec, 0.8, 1.0);
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_EQ(WallGate(report, "steady").control, ControlState::kUnchanged);
  EXPECT_EQ(WallGate(report, "steady").margin, 0.05);
  EXPECT_TRUE(MeasuredSuite(spec, 0.8, 0.9).control_changed);
  EXPECT_TRUE(MeasuredSuite(spec, 0.8, 1.1).control_changed);
}

TEST(ControlTest, ACountChangedWithTheFirstDifference) {
  for (const double candidate : {1000.0, 1001.0, 999.0}) {
    SessionSpec spec = ControlSuite();
    for (Benchmark& benchmark : spec.benchmarks) benchmark.gates = {ExactGate("instructions")};
    SessionAnalysis analysis = Start(spec);
    for (int i = 0; i < 8; ++i) {
      for (const std::uint32_t benchmark : {0U, 1U}) {
        Block block;
        for (const std::uint32_t arm : {0U, 1U}) {
          const double value = arm == 1 && benchmark == 1 ? candidate : 1000.0;
          block.push_back(RunBuilder(benchmark, arm, arm).Sample("instructions", value));
        }
        Feed(analysis, block);
      }
    }
    EXPECT_TRUE(analysis.Finished());
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.control_changed, candidate != 1000) << candidate;
    EXPECT_EQ(report.verdict, candidate == 1000 ? Verdict::kPass : Verdict::kUndecided);
  }
}

TEST(ControlTest, ItIsNeverDecidedByItsEstimate) {
  SessionSpec spec = ControlSuite();
  spec.limits.at_limit = AtLimit::kEstimate;
  const Report report = MeasuredSuite(spec, 1.3, 0.985, 15);
  EXPECT_EQ(WallGate(report, "steady").control, ControlState::kOpen);
  EXPECT_EQ(report.verdict, Verdict::kRegression);
}

TEST(ControlTest, UnderFailFastItGoesOnAlone) {
  SessionSpec spec = ControlSuite();
  spec.limits.fail_fast = true;
  SessionAnalysis analysis = Start(spec);
  ControlFeed feed(53);
  feed.Measure(analysis, 2, 1.0, 8);
  ASSERT_EQ(WallGate(analysis.Look(), "work").verdict, Verdict::kRegression);
  ASSERT_EQ(WallGate(analysis.Look(), "steady").control, ControlState::kOpen);
  EXPECT_FALSE(analysis.Finished());
  EXPECT_EQ(analysis.OpenBenchmarks(), std::vector<std::size_t>{1});
  EXPECT_FALSE(analysis.Outlook()[0].open);
  EXPECT_TRUE(analysis.Outlook()[1].open);
  feed.Measure(analysis, 2, 1.0);
  EXPECT_TRUE(analysis.Finished());
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kRegression);
  EXPECT_EQ(WallGate(report, "steady").control, ControlState::kUnchanged);
}

TEST(ControlTest, UnderFailFastAnotherGateIsNotMeasuredOnceOneRegressed) {
  SessionSpec spec = ControlSuite();
  spec.benchmarks.push_back(MakeBenchmark("more", 1, {"base", "candidate"}));
  spec.limits.fail_fast = true;
  SessionAnalysis analysis = Start(spec);
  std::mt19937_64 random(59);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 8; ++i) {
    for (const std::uint32_t benchmark : {0U, 1U, 2U}) {
      const auto value = [&](double mean) { return mean * (1 + 0.01 * normal(random)); };
      Feed(analysis, WallBlock(benchmark, {value(1), value(benchmark == 0 ? 2 : 1)}));
    }
  }
  EXPECT_EQ(analysis.OpenBenchmarks(), std::vector<std::size_t>{1});
}

TEST(ControlTest, ItIsNoPartOfTheMeanOverBenchmarks) {
  SessionSpec spec = ControlSuite();
  EXPECT_TRUE(MeasuredSuite(spec, 1.3, 1.0).geometric_means.empty())
      << "only one benchmark is left";
  spec.benchmarks[1].control = false;
  EXPECT_FALSE(MeasuredSuite(spec, 1.3, 1.0).geometric_means.empty());
}

// 200 sessions of two equal benchmarks, of which one is a control. The level of the control is
// alpha / 2; by the binomial law with 200 and 0.05, more than 20 have a probability below 0.002.
TEST(ControlTest, AControlThatIsUnchangedIsHardlyEverSaidToHaveChanged) {
  SessionSpec spec = ControlSuite();
  spec.alpha = 0.1;
  for (Benchmark& benchmark : spec.benchmarks) benchmark.gates = {RatioGate("wall_time", 0.0005)};
  int changed = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SessionAnalysis analysis = Start(spec);
    ControlFeed(1000 + seed).Measure(analysis, 1.0, 1.0, 40);
    if (analysis.Conclude().control_changed) ++changed;
  }
  EXPECT_LE(changed, 20);
}

TEST(ControlTest, AMetricThatTheCandidateLacksIsNotTheMachines) {
  SessionSpec spec = ControlSuite();
  spec.benchmarks[1].gates = {RatioGate("t", 0.02)};
  spec.benchmarks[1].gates[0].better = Better::kLower;
  spec.benchmarks[1].parse = "lines";
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, WallBlock(0, {1 + 0.001 * (i % 2), 1 + 0.001 * (i % 3)}));
    Block block = {RunBuilder(1, 0, 0).Sample("t", 1), RunBuilder(1, 1, 1).Sample("other", 1)};
    Feed(analysis, block);
  }
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kRegression);
  EXPECT_EQ(Find(report, "t", "candidate", "steady").reason, "missing_in_candidate");
}

class ConfirmedControlTest : public testing::Test {
 protected:
  ConfirmedControlTest() { spec_.confirm = true; }

  ConfirmedAnalysis Begin() const { return ConfirmedAnalysis::Create(spec_).value(); }

  SessionSpec spec_ = ControlSuite();
  ControlFeed feed_{61};
};

TEST_F(ConfirmedControlTest, ItIsInBothPhases) {
  ConfirmedAnalysis analysis = Begin();
  feed_.Measure(analysis, 1.3, 1.0);
  ASSERT_TRUE(analysis.BeginConfirmation());
  EXPECT_EQ(analysis.BenchmarksOfPhase(), (std::vector<std::uint32_t>{0, 1}));
  feed_.Measure(analysis, 1.3, 1.0);
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kRegression);
  EXPECT_EQ(WallGate(report, "work").confirmation->confidence, 0.995) << "the control counts";
  EXPECT_EQ(WallGate(report, "steady").control, ControlState::kUnchanged);
}

TEST_F(ConfirmedControlTest, ThatItChangedInTheFirstPhaseLeavesNothingToConfirm) {
  ConfirmedAnalysis analysis = Begin();
  feed_.Measure(analysis, 1.3, 1.3);
  EXPECT_FALSE(analysis.BeginConfirmation());
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_TRUE(report.control_changed);
  EXPECT_EQ(WallGate(report, "work").verdict, Verdict::kUndecided);
  EXPECT_EQ(WallGate(report, "work").reason, "unconfirmed");
}

TEST_F(ConfirmedControlTest, ThatItChangedInTheSecondPhaseWithdrawsTheVerdict) {
  ConfirmedAnalysis analysis = Begin();
  feed_.Measure(analysis, 1.3, 1.0);
  ASSERT_TRUE(analysis.BeginConfirmation());
  feed_.Measure(analysis, 1.3, 1.3);
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_TRUE(report.control_changed);
  EXPECT_EQ(WallGate(report, "work").verdict, Verdict::kRegression) << "both phases say so";
  EXPECT_EQ(WallGate(report, "steady").control, ControlState::kChanged);
  EXPECT_EQ(WarningWith(report, "control_changed").message.substr(0, 14), "second phase: ");
}

TEST(ControlTableTest, AnalyzeNamesItsControls) {
  std::string text = "arm,benchmark,pair,wall_time\n";
  std::mt19937_64 random(67);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 60; ++i) {
    for (const char* benchmark : {"work", "steady"}) {
      for (const char* arm : {"base", "new"}) {
        const double mean = std::string(arm) == "new" ? 1.3 : 1;
        text += std::string(arm) + "," + benchmark + "," + std::to_string(i) + "," +
                std::to_string(mean * (1 + 0.01 * normal(random))) + "\n";
      }
    }
  }
  TableOptions options;
  options.spec.benchmarks.emplace_back().controls = {"steady"};
  const auto table = AnalyzeTable(WholeText(text), options);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_TRUE(table->report.control_changed);
  EXPECT_EQ(table->report.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(table->report, "wall_time", "new", "work").verdict, Verdict::kRegression);

  options.spec.benchmarks[0].controls = {"steddy"};
  const auto unknown = AnalyzeTable(WholeText(text), options);
  ASSERT_FALSE(unknown);
  EXPECT_WORDING(unknown.error());
  options.spec.benchmarks[0].controls = {"*"};
  const auto all = AnalyzeTable(WholeText(text), options);
  ASSERT_FALSE(all);
  EXPECT_WORDING(all.error());
}

Comparison StatedControl(const std::string& benchmark, ControlState state) {
  Comparison control;
  control.benchmark = benchmark;
  control.reference = "base";
  control.candidate = "new";
  control.metric = "t";
  control.role = ComparisonRole::kGate;
  control.verdict = Verdict::kUndecided;
  control.control = state;
  return control;
}

TEST(ControlReportTest, NamesTheFirstOfThem) {
  Report report;
  report.verdict = Verdict::kRegression;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    report.comparisons.push_back(StatedControl(name, ControlState::kChanged));
  }
  TellControls(/*ended=*/false, report);
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].message,
            std::string(kControlChangedWords) +
                ": t of new against base in a, t of new against base in b, t of new against base "
                "in c and 2 more");
}

TEST(ControlReportTest, OneThatIsOpenIsToldOnlyAtTheEnd) {
  Report report;
  report.comparisons = {StatedControl("a", ControlState::kOpen)};
  TellControls(/*ended=*/false, report);
  EXPECT_TRUE(report.warnings.empty());
  TellControls(/*ended=*/true, report);
  EXPECT_TRUE(HasCode(report, "control_open"));
}

TEST(ControlReportTest, AWarningThatInvalidatesAControlAloneIsACaution) {
  Report report;
  report.comparisons = {StatedControl("a", ControlState::kOpen),
                        StatedControl("b", ControlState::kOpen)};
  report.comparisons[1].control.reset();
  Warning of_control = MakeWarning("resolution", "too coarse", "a", "new");
  of_control.metric = "t";
  Warning of_gate = of_control;
  of_gate.benchmark = "b";
  report.warnings = {of_control, MakeWarning("runs_incomplete", "ended early", "a"), of_gate,
                     MakeWarning("runs_incomplete", "ended early")};
  TellControls(/*ended=*/false, report);
  EXPECT_EQ(report.warnings[0].severity, Severity::kCaution);
  EXPECT_EQ(report.warnings[1].severity, Severity::kCaution);
  EXPECT_EQ(report.warnings[2].severity, Severity::kInvalidates);
  EXPECT_EQ(report.warnings[3].severity, Severity::kInvalidates) << "of the whole session";
}

}  // namespace
}  // namespace benchd
