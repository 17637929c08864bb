#include "core/analysis/sequential_design.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/stats/paired.h"
#include "tests/analysis/session_builder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

SessionSpec PlannedSpec(const std::function<void(SessionSpec&)>& change = [](SessionSpec&) {}) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "candidate"})});
  change(spec);
  return spec;
}

void ExpectRefused(const std::function<void(SessionSpec&)>& change, ErrorCode code,
                   const std::string& field) {
  const Result<SequentialDesign> design = MakeSequentialDesign(PlannedSpec(change));
  ASSERT_FALSE(design) << field;
  EXPECT_EQ(design.error().code, code) << design.error().message;
  EXPECT_TRUE(design.error().message.starts_with(field + ": ")) << design.error().message;
  EXPECT_WORDING(design.error());
}

TEST(SequentialDesignTest, TheDefaultIsSequentialFromTheEighthBlockWithoutAnEnd) {
  const SequentialDesign design = MakeSequentialDesign(PlannedSpec()).value();
  EXPECT_EQ(design.first_look, 8u);
  EXPECT_FALSE(design.BlockLimit());
  EXPECT_EQ(design.TwoSided(0.01), 0.01);
}

TEST(SequentialDesignTest, OneSidedTakesTwiceTheLevel) {
  const SequentialDesign design =
      MakeSequentialDesign(PlannedSpec([](SessionSpec& s) { s.sided = Sided::kOne; })).value();
  EXPECT_EQ(design.TwoSided(0.01), 0.02);
}

TEST(SequentialDesignTest, MaxRunsIsAHorizonAndUpToTheFirstLookOneFixedLook) {
  EXPECT_EQ(
      MakeSequentialDesign(PlannedSpec([](SessionSpec& s) { s.limits.max_runs = 9; }))->horizon,
      9u);
  const auto fixed =
      MakeSequentialDesign(PlannedSpec([](SessionSpec& s) { s.limits.max_runs = 8; })).value();
  EXPECT_FALSE(fixed.horizon);
  EXPECT_EQ(fixed.fixed_blocks, 8u);
}

TEST(SequentialDesignTest, RunsIsOneFixedLookUnderBothMethodNames) {
  for (Method method : {Method::kPaired, Method::kFixed}) {
    const auto design = MakeSequentialDesign(PlannedSpec([method](SessionSpec& s) {
      s.method = method;
      s.limits.runs = 3;
      s.limits.min_runs = 2;
    }));
    ASSERT_TRUE(design) << design.error().message;
    EXPECT_EQ(design->fixed_blocks, 3u);
  }
}

// docs/statistics.md sections 4 and 5: the permitted combinations.
TEST(SequentialDesignTest, MethodsThatCannotDoWhatIsAskedAreRefusedByName) {
  const ErrorCode code = ErrorCode::kInvalidArgument;
  ExpectRefused([](SessionSpec& s) { s.schedule.kind = ScheduleKind::kCoin; }, code, "schedule");
  ExpectRefused(
      [](SessionSpec& s) {
        s.schedule.kind = ScheduleKind::kCoin;
        s.method = Method::kExactT;
      },
      code, "schedule");
  ExpectRefused(
      [](SessionSpec& s) {
        s.method = Method::kExactT;
        s.estimator.kind = EstimatorKind::kMedian;
      },
      code, "method");
  ExpectRefused(
      [](SessionSpec& s) {
        s.method = Method::kExactT;
        s.limits.runs = 20;
      },
      code, "method");
}

TEST(SequentialDesignTest, EstimatorsForOneLookNeedRuns) {
  const auto with = [](Method method, Estimator estimator, std::optional<std::uint64_t> runs) {
    return [=](SessionSpec& s) {
      s.method = method;
      s.estimator = estimator;
      s.limits.runs = runs;
    };
  };
  const Estimator hl{EstimatorKind::kHodgesLehmann, 0};
  const Estimator median{EstimatorKind::kMedian, 0};
  const Estimator quantile{EstimatorKind::kQuantile, 0.9};
  const Estimator subselection{EstimatorKind::kSubselection, 0};
  const ErrorCode code = ErrorCode::kInvalidArgument;
  const Estimator lognormal{EstimatorKind::kLognormalMean, 0};
  for (const Estimator& once : {lognormal, subselection}) {
    ExpectRefused(with(Method::kPaired, once, {}), code, "estimator");
    EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(with(Method::kPaired, once, 200))));
    EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(with(Method::kWelch, once, 200))));
  }
  ExpectRefused(with(Method::kWelch, hl, {}), code, "estimator");
  EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(with(Method::kWelch, hl, 20))));
  for (const Estimator& watched : {hl, median, quantile}) {
    EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(with(Method::kPaired, watched, {}))));
  }
  EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(with(Method::kWelch, quantile, {}))));
  EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(with(Method::kPaired, quantile, 200))));
  ExpectRefused(with(Method::kPaired, quantile, 99), code, "estimator");
  // resampling.h: at 99 % P = 0.99 needs 528 values.
  const Estimator tail{EstimatorKind::kQuantile, 0.99};
  ExpectRefused(with(Method::kPaired, tail, 527), code, "estimator");
  EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(with(Method::kPaired, tail, 528))));
  // So extreme that 1 - P rounds to 1.
  ExpectRefused(with(Method::kPaired, {EstimatorKind::kQuantile, 1e-300}, 2'000'000), code,
                "estimator");
  ExpectRefused(with(Method::kPaired, {EstimatorKind::kQuantile, 1e-300}, {}), code, "estimator");
  ExpectRefused(with(Method::kWelch, median, 20), code, "estimator");
  for (const std::optional<std::uint64_t> runs : {std::optional<std::uint64_t>(200), {}}) {
    ExpectRefused(with(Method::kPaired, {EstimatorKind::kQuantile, 1}, runs), code, "estimator");
  }
}

// The numbers of docs/statistics.md section 5, which tests/golden/levels.py computes.
TEST(SequentialDesignTest, AWatchedQuantileFirstLooksWhereItCanHaveAnInterval) {
  const auto first_look = [](double quantile, double alpha, std::uint64_t min_runs = 8,
                             std::size_t gates = 1) {
    return MakeSequentialDesign(PlannedSpec([&](SessionSpec& s) {
             s.estimator = {EstimatorKind::kQuantile, quantile};
             s.alpha = alpha;
             s.limits.min_runs = min_runs;
             const Benchmark one = s.benchmarks.front();
             s.benchmarks.assign(gates, one);
           }))
        ->first_look;
  };
  EXPECT_EQ(first_look(0.1, 0.01), 82u);
  EXPECT_EQ(first_look(0.9, 0.01), 82u);
  EXPECT_EQ(first_look(0.1, 0.05), 64u);
  EXPECT_EQ(first_look(0.5, 0.01), 13u);
  EXPECT_EQ(first_look(0.99, 0.01), 854u);
  EXPECT_EQ(first_look(0.1, 0.01, 200), 200u);
  EXPECT_EQ(first_look(0.1, 0.01, 8, 10), 107u) << "the level of ten gates at 1 % is 0.1 %";
}

// With passes at a level of their own, the end with the smaller level decides.
TEST(SequentialDesignTest, AWatchedQuantileWaitsUntilBothEndsCanHaveAnInterval) {
  const auto first_look = [](double alpha, double pass_confidence) {
    return MakeSequentialDesign(PlannedSpec([&](SessionSpec& s) {
             s.estimator = {EstimatorKind::kQuantile, 0.1};
             s.alpha = alpha;
             s.pass_confidence = pass_confidence;
           }))
        ->first_look;
  };
  EXPECT_EQ(first_look(0.01, 0.95), 82u);
  EXPECT_EQ(first_look(0.05, 0.995), 82u);
  EXPECT_EQ(first_look(0.05, 0.95), 64u);
}

// The interval of a measured arm may have one end, so its looks begin as those of a mean.
TEST(SequentialDesignTest, AMeasuredQuantileIsLookedAtFromTheEighthBlockOn) {
  const SequentialDesign design = MakeSequentialDesign(PlannedSpec([](SessionSpec& s) {
                                    s.estimator = {EstimatorKind::kQuantile, 0.99};
                                    for (Arm& arm : s.benchmarks.front().arms) {
                                      arm.role = ArmRole::kMeasured;
                                    }
                                  })).value();
  EXPECT_EQ(design.first_look, 8u);
}

TEST(SequentialDesignTest, AWatchedQuantileMayHaveAHorizon) {
  const auto with = [](std::uint64_t most) {
    return [most](SessionSpec& s) {
      s.estimator = {EstimatorKind::kQuantile, 0.1};
      s.limits.max_runs = most;
    };
  };
  EXPECT_EQ(MakeSequentialDesign(PlannedSpec(with(300)))->horizon, 300u);
  // One look has a bootstrap interval, which needs 100 values.
  ExpectRefused(with(60), ErrorCode::kInvalidArgument, "estimator");
  // With fifty gates more than the spec names, the horizon leaves no interval.
  const SequentialDesign design = MakeSequentialDesign(PlannedSpec(with(90))).value();
  EXPECT_TRUE(CheckQuantileRuns(design, 1));
  const Result<void> refused = CheckQuantileRuns(design, 1000);
  ASSERT_FALSE(refused);
  EXPECT_WORDING(refused.error());
}

// resampling.h: 10 000 resamples distinguish levels from 0.0002 on, 0.01 / 50.
TEST(SequentialDesignTest, AQuantileIsRefusedWhereItsGatesLeaveItNoInterval) {
  const auto with = [](std::size_t gates, double alpha) {
    return [=](SessionSpec& s) {
      s.estimator = {EstimatorKind::kQuantile, 0.5};
      s.limits.runs = 100;
      s.alpha = alpha;
      const Benchmark one = s.benchmarks.front();
      s.benchmarks.assign(gates, one);
    };
  };
  EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(with(49, 0.01))));
  ExpectRefused(with(51, 0.01), ErrorCode::kInvalidArgument, "estimator");
  ExpectRefused(with(1, 0.0001), ErrorCode::kInvalidArgument, "estimator");
  // The shared level also determines the runs: at 0.01 / 10 P = 0.99 needs 757 values.
  const auto tail = [&](std::uint64_t runs) {
    return [=](SessionSpec& s) {
      with(10, 0.01)(s);
      s.estimator.quantile = 0.99;
      s.limits.runs = runs;
    };
  };
  ExpectRefused(tail(756), ErrorCode::kInvalidArgument, "estimator");
  EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(tail(757))));
}

TEST(SequentialDesignTest, PrecisionNeedsAWidthAndMoreThanOneLook) {
  const auto with = [](double width, std::optional<std::uint64_t> runs) {
    return [=](SessionSpec& s) {
      s.rule = {RuleKind::kPrecision, width};
      s.limits.runs = runs;
    };
  };
  EXPECT_TRUE(MakeSequentialDesign(PlannedSpec(with(0.01, {}))));
  ExpectRefused(with(0, {}), ErrorCode::kInvalidArgument, "rule");
  ExpectRefused(with(0.01, 20), ErrorCode::kInvalidArgument, "rule");
  // A session that measures has neither a rule nor a method to choose.
  const auto measured = [](SessionSpec& s) {
    for (Arm& arm : s.benchmarks[0].arms) arm.role = ArmRole::kMeasured;
    s.rule = {RuleKind::kPrecision, 0.01};
    s.limits.max_runs = 4;
  };
  ExpectRefused(measured, ErrorCode::kInvalidArgument, "rule");
}

TEST(SequentialDesignTest, ExactTStopsAtMaxRunsByItsOwnBoundary) {
  const auto design = MakeSequentialDesign(PlannedSpec([](SessionSpec& s) {
    s.method = Method::kExactT;
    s.limits.max_runs = 100;
  }));
  ASSERT_TRUE(design) << design.error().message;
  EXPECT_FALSE(design->horizon);
  EXPECT_EQ(design->BlockLimit(), 100u);
}

// welch.h: a horizon is valid while neither arm has more values than it.
TEST(SequentialDesignTest, AHorizonOfIndependentArmsCountsTheRunsOfABlock) {
  const auto horizon = [](Method method, ScheduleKind schedule) {
    return MakeSequentialDesign(PlannedSpec([=](SessionSpec& s) {
             s.method = method;
             s.schedule.kind = schedule;
             s.limits.max_runs = 100;
           }))
        ->horizon;
  };
  EXPECT_EQ(horizon(Method::kPaired, ScheduleKind::kPairs), 100u);
  EXPECT_EQ(horizon(Method::kWelch, ScheduleKind::kPairs), 100u);
  EXPECT_EQ(horizon(Method::kWelch, ScheduleKind::kCoin), 200u);
}

TEST(SequentialDesignTest, ATableMayBeLookedAtOnceWithoutANumberOfRuns) {
  const SessionSpec spec = PlannedSpec([](SessionSpec& s) { s.method = Method::kFixed; });
  const auto design = MakeSequentialDesign(spec, DataSource::kTable);
  ASSERT_TRUE(design) << design.error().message;
  EXPECT_TRUE(design->OneLook());
  EXPECT_FALSE(design->BlockLimit());
}

TEST(SequentialDesignTest, LimitsThatDoNotFitTogetherAreRefusedByName) {
  const ErrorCode code = ErrorCode::kInvalidArgument;
  ExpectRefused([](SessionSpec& s) { s.limits.min_runs = 7; }, code, "min-runs");
  ExpectRefused([](SessionSpec& s) { s.limits.runs = 1; }, code, "runs");
  ExpectRefused([](SessionSpec& s) { s.limits.max_runs = 1; }, code, "max-runs");
  ExpectRefused([](SessionSpec& s) { s.limits.runs = s.limits.max_runs = 20; }, code, "runs");
  ExpectRefused([](SessionSpec& s) { s.method = Method::kFixed; }, code, "method");
  ExpectRefused([](SessionSpec& s) { s.alpha = 0; }, code, "alpha");
  ExpectRefused([](SessionSpec& s) { s.alpha = 1; }, code, "alpha");
  ExpectRefused(
      [](SessionSpec& s) {
        s.alpha = 0.5;
        s.sided = Sided::kOne;
      },
      code, "alpha");
}

// docs/statistics.md section 4: above 0.34 (one-sided 0.17) the horizon boundary has no root.
TEST(SequentialDesignTest, AHorizonNeedsALevelThatHasARoot) {
  auto with = [](double alpha, Sided sided) {
    return MakeSequentialDesign(PlannedSpec([alpha, sided](SessionSpec& s) {
      s.alpha = alpha;
      s.sided = sided;
      s.limits.max_runs = 100;
    }));
  };
  EXPECT_TRUE(with(0.34, Sided::kTwo));
  EXPECT_FALSE(with(0.35, Sided::kTwo));
  EXPECT_TRUE(with(0.17, Sided::kOne));
  EXPECT_FALSE(with(0.18, Sided::kOne));
}

TEST(LevelTest, RemembersCriticalValuesWithoutMixingThem) {
  const SequentialDesign design = MakeSequentialDesign(PlannedSpec()).value();
  SignificanceLevel level(design, 0.01);
  const auto boundary = SequentialBoundary::Robbins(0.01, 8).value();
  for (std::uint64_t n : {8u, 24u, 8u, 40u, 25u, 24u}) {
    EXPECT_EQ(level.lower().CriticalT(n), boundary.CriticalT(n)) << n;
  }
  EXPECT_EQ(level.upper().FixedT(5), FixedCriticalT(0.01, 5));
}

}  // namespace
}  // namespace benchd
