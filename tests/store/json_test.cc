#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "daemon/store/json_codec.h"
#include "tests/store/rich_values.h"
#include "tests/support/seed.h"
#include "tests/support/wording.h"

namespace benchd::store {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Fails to compile if a type has a new field that its list after the struct (BENCHD_FIELDS) and
/// rich_values.h lack.
[[maybe_unused]] void EveryFieldIsKnown() {
  [[maybe_unused]] auto [s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17,
                         s18, s19, s20, s21, s22, s23, s24, s25, s26, s27] = SessionSpec{};
  [[maybe_unused]] auto [pr1, pr2, pr3] = Profile{};
  [[maybe_unused]] auto [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17,
                         b18, b19, b20, b21, b22] = Benchmark{};
  [[maybe_unused]] auto [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13] = Arm{};
  [[maybe_unused]] auto [h1, h2, h3, h4, h5, h6, h7, h8, h9] = Hooks{};
  [[maybe_unused]] auto [bp1, bp2, bp3, bp4, bp5] = BuildPlan{};
  [[maybe_unused]] auto [bt1, bt2, bt3] = BuildTree{};
  [[maybe_unused]] auto [k1, k2] = Hook{};
  [[maybe_unused]] auto [j1, j2] = Commit{};
  [[maybe_unused]] auto [g1, g2, g3, g4, g5, g6] = Gate{};
  [[maybe_unused]] auto [l1, l2, l3, l4, l5, l6, l7] = Limits{};
  [[maybe_unused]] auto [e1, e2] = Estimator{};
  [[maybe_unused]] auto [r1, r2] = Rule{};
  [[maybe_unused]] auto [d1, d2] = ScheduleSpec{};
  [[maybe_unused]] auto [p1, p2, p3, p4, p5, p6] = ProgramIdentity{};
  [[maybe_unused]] auto [c1, c2, c3, c4, c5, c6] = Caller{};
  [[maybe_unused]] auto [i1, i2, i3] = ResourceLimit{};
  [[maybe_unused]] auto [n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15] =
      SessionSnapshot{};
  [[maybe_unused]] auto [sp1, sp2] = SecondPhase{};
  [[maybe_unused]] auto [fb1, fb2, fb3, fb4, fb5] = FoundBenchmarks{};
  [[maybe_unused]] auto [ub1, ub2] = UnmatchedBenchmark{};
  [[maybe_unused]] auto [m1, m2, m3, m4, m5] = MachineReport{};
  [[maybe_unused]] auto [t1, t2, t3, t4, t5, t6] = SettingState{};
  [[maybe_unused]] auto [o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12, o13, o14, o15] =
      Report{};
  [[maybe_unused]] auto [ex1, ex2, ex3, ex4, ex5, ex6, ex7, ex8, ex9, ex10, ex11, ex12, ex13, ex14,
                         ex15, ex16, ex17, ex18, ex19, ex20, ex21] = Explanation{};
  [[maybe_unused]] auto [fn1, fn2, fn3, fn4, fn5, fn6, fn7, fn8, fn9, fn10, fn11, fn12, fn13,
                         fn14] = FunctionChange{};
  [[maybe_unused]] auto [sc1, sc2, sc3, sc4, sc5, sc6] = SuiteChange{};
  [[maybe_unused]] auto [ao1, ao2, ao3, ao4, ao5, ao6] = ArmOrder{};
  [[maybe_unused]] auto [af1, af2] = ArmFactor{};
  [[maybe_unused]] auto [ag1, ag2, ag3] = ArmGroup{};
  [[maybe_unused]] auto [ap1, ap2] = ArmPair{};
  [[maybe_unused]] auto [cp1, cp2] = ClearPair{};
  [[maybe_unused]] auto [wr1, wr2, wr3, wr4, wr5, wr6, wr7, wr8] = WorstRun{};
  [[maybe_unused]] auto [rc1, rc2, rc3] = RunCause{};
  [[maybe_unused]] auto [u1, u2, u3, u4] = ArmRuns{};
  [[maybe_unused]] auto [w1, w2, w3, w4, w5, w6, w7, w8, w9] = Warning{};
  [[maybe_unused]] auto [x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17,
                         x18, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, x29, x30, x31, x32,
                         x33, x34, x35, x36, x37] = Comparison{};
  [[maybe_unused]] auto [cf1, cf2, cf3, cf4, cf5, cf6, cf7] = Confirmation{};
  [[maybe_unused]] auto [es1, es2, es3, es4, es5, es6, es7, es8, es9, es10, es11, es12, es13, es14,
                         es15, es16, es17, es18, es19] = Estimate{};
  [[maybe_unused]] auto [fc1, fc2, fc3] = Forecast{};
  [[maybe_unused]] auto [y1, y2, y3] = Effect{};
  [[maybe_unused]] auto [z1, z2, z3, z4] = Decision{};
  [[maybe_unused]] auto [f1, f2, f3] = Failure{};
  [[maybe_unused]] auto [q1, q2, q3, q4, q5, q6, q7, q8] = FailedRun{};
  [[maybe_unused]] auto [v1, v2, v3, v4, v5] = MetricInfo{};
}

TEST(SpecJsonTest, GivesBackASpecInWhichNoFieldHasItsDefault) {
  Result<SessionSpec> read = SpecFromJson(SpecToJson(RichSpec()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, RichSpec());
}

TEST(SnapshotJsonTest, AWarningThatWasKeptWithoutSeverityHasThatOfItsCode) {
  SessionSnapshot kept = RichSnapshot();
  kept.report->warnings = {MakeWarning("resolution", "too close"), MakeWarning("spikes", "some")};
  json text = json::parse(SnapshotToJson(kept));
  for (json& warning : text["report"]["warnings"]) {
    warning.erase("severity");
    warning.erase("hint");
  }
  const Result<SessionSnapshot> read = SnapshotFromJson(text.dump());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, kept);
}

TEST(SpecJsonTest, GivesBackTheDefaultSpec) {
  Result<SessionSpec> read = SpecFromJson(SpecToJson(SessionSpec{}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, SessionSpec{});
}

TEST(SpecJsonTest, WritesEnumsAsNamesNumbersShortestAndNoEmptyOptionals) {
  const json spec = json::parse(SpecToJson(RichSpec()));
  EXPECT_EQ(spec["method"], "exact-t");
  EXPECT_EQ(spec["benchmarks"][0]["arms"][0]["role"], "reference");
  EXPECT_EQ(spec["benchmarks"][0]["gates"][0]["margin"].dump(), "0.30000000000000004");
  EXPECT_FALSE(spec["benchmarks"][0]["gates"][1].contains("better"));
  EXPECT_EQ(spec["seed"].dump(), "18446744073709551614");
}

TEST(SpecJsonTest, AFieldThatAnOlderBenchdDidNotKnowHasItsDefault) {
  const json whole = json::parse(SpecToJson(RichSpec()));
  const json defaults = json::parse(SpecToJson(SessionSpec{}));
  for (const auto& [key, value] : whole.items()) {
    json older = whole;
    older.erase(key);
    Result<SessionSpec> read = SpecFromJson(older.dump());
    ASSERT_TRUE(read) << key << ": " << read.error().message;
    json expected = whole;
    expected.erase(key);
    if (defaults.contains(key)) expected[key] = defaults[key];
    EXPECT_EQ(json::parse(SpecToJson(*read)), expected) << key;
  }
}

TEST(SpecJsonTest, NamesEachFieldOfAWrongType) {
  const json whole = json::parse(SpecToJson(RichSpec()));
  for (const auto& [key, value] : whole.items()) {
    json broken = whole;
    broken[key] = nullptr;
    Result<SessionSpec> read = SpecFromJson(broken.dump());
    ASSERT_FALSE(read) << key;
    EXPECT_EQ(read.error().code, ErrorCode::kInternal);
    EXPECT_THAT(read.error().message, HasSubstr("spec: " + key + ": "));
    EXPECT_WORDING(read.error());
  }
}

TEST(SpecJsonTest, NamesTheWayToAFieldFarInside) {
  json broken = json::parse(SpecToJson(RichSpec()));
  broken["benchmarks"][0]["arms"][1]["name"] = 7;
  Result<SessionSpec> read = SpecFromJson(broken.dump());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("spec: benchmarks[0].arms[1].name: "));
  EXPECT_WORDING(read.error());
}

TEST(SpecJsonTest, RefusesAnUnknownNameAndANumberOutOfRange) {
  json broken = json::parse(SpecToJson(RichSpec()));
  broken["method"] = "guess";
  Result<SessionSpec> read = SpecFromJson(broken.dump());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("spec: method: "));
  EXPECT_WORDING(read.error());

  broken = json::parse(SpecToJson(RichSpec()));
  broken["priority"] = 2147483648;  // 2^31: one more than an int32 can hold
  read = SpecFromJson(broken.dump());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("spec: priority: "));
  EXPECT_WORDING(read.error());

  broken["priority"] = 0;
  broken["caller"]["uid"] = -1;
  read = SpecFromJson(broken.dump());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("spec: caller.uid: "));
  EXPECT_WORDING(read.error());
}

TEST(SpecJsonTest, RefusesTextThatIsNoJson) {
  for (const char* text : {"", "{", "[]", "null", "\xff"}) {
    Result<SessionSpec> read = SpecFromJson(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInternal);
    EXPECT_THAT(read.error().message, HasSubstr("spec: "));
    EXPECT_WORDING(read.error());
  }
}

TEST(SnapshotJsonTest, GivesBackASnapshotInWhichNoFieldHasItsDefault) {
  Result<SessionSnapshot> read = SnapshotFromJson(SnapshotToJson(RichSnapshot()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, RichSnapshot());
  EXPECT_TRUE(std::signbit(*read->report->comparisons[0].sd_candidate));
}

TEST(SnapshotJsonTest, KeepsWhatIsAbsentAbsent) {
  const json written = json::parse(SnapshotToJson(SessionSnapshot{}));
  for (const char* key : {"started_at_ns", "ended_at_ns", "eta_ns", "machine", "report"}) {
    EXPECT_FALSE(written.contains(key)) << key;
  }
  Result<SessionSnapshot> read = SnapshotFromJson(written.dump());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, SessionSnapshot{});
}

TEST(SnapshotJsonTest, NamesTheWayToAWrongField) {
  json broken = json::parse(SnapshotToJson(RichSnapshot()));
  broken["report"]["comparisons"][0]["change"]["lo"] = "low";
  Result<SessionSnapshot> read = SnapshotFromJson(broken.dump());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("snapshot: report.comparisons[0].change.lo: "));
  EXPECT_WORDING(read.error());
}

TEST(SnapshotJsonTest, KeepsTheBitsOfAnyDouble) {
  const unsigned seed = test::Seed();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  SessionSnapshot snapshot;
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    values.push_back(value);
    Comparison comparison;
    comparison.p_value = value;
    if (!snapshot.report) snapshot.report.emplace();
    snapshot.report->comparisons.push_back(std::move(comparison));
  }
  Result<SessionSnapshot> read = SnapshotFromJson(SnapshotToJson(snapshot));
  ASSERT_TRUE(read) << read.error().message;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double kept = *read->report->comparisons[i].p_value;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(kept), std::bit_cast<std::uint64_t>(values[i]))
        << values[i];
  }
}

TEST(SnapshotJsonTest, KeepsInfinityAndNanWhereABugPutThem) {
  SessionSnapshot snapshot;
  Comparison comparison;
  comparison.mean_reference = std::nan("");
  comparison.mean_candidate = -INFINITY;
  snapshot.report.emplace().comparisons = {comparison};
  Result<SessionSnapshot> read = SnapshotFromJson(SnapshotToJson(snapshot));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(std::isnan(*read->report->comparisons[0].mean_reference));
  EXPECT_EQ(*read->report->comparisons[0].mean_candidate, -INFINITY);
}

TEST(SnapshotJsonTest, KnowsEveryErrorCodeStateAndPhase) {
  SessionSnapshot snapshot;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    snapshot.failure = Failure{.error = {static_cast<ErrorCode>(code), "m", "h"}, .run = {}};
    Result<SessionSnapshot> read = SnapshotFromJson(SnapshotToJson(snapshot));
    ASSERT_TRUE(read) << code << ": " << read.error().message;
    EXPECT_EQ(read->failure->error.code, static_cast<ErrorCode>(code));
  }
  for (int state = 0; state <= static_cast<int>(SessionState::kCancelled); ++state) {
    EXPECT_FALSE(NameOf(static_cast<SessionState>(state)).empty()) << state;
  }
  for (const RunPhase phase :
       {RunPhase::kWarmup, RunPhase::kMeasured, RunPhase::kDropped, RunPhase::kConfirming}) {
    EXPECT_EQ(ValueOf<RunPhase>(NameOf(phase)), phase);
  }
}

TEST(MetricsJsonTest, GivesBackTheMetricsOfARun) {
  const std::vector<MetricInfo> metrics = RichRuns()[0].metrics;
  Result<std::vector<MetricInfo>> read = MetricsFromJson(MetricsToJson(metrics));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, metrics);
}

}  // namespace
}  // namespace benchd::store
