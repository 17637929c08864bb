#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_builder.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Json = nlohmann::json;

std::string Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kRegression:
      return "regression";
    case Verdict::kUndecided:
      return "undecided";
  }
  return {};
}

Better BetterOf(const Json& json) { return json == "higher" ? Better::kHigher : Better::kLower; }

Gate GateOf(const std::string& metric, const Json& json) {
  Gate gate = RatioGate(metric, json["margin"]);
  gate.better = BetterOf(json["better"]);
  return gate;
}

SessionSpec SpecOf(const Json& input, std::vector<Benchmark> benchmarks) {
  SessionSpec spec = MakeSpec(std::move(benchmarks), input["alpha"]);
  spec.limits.min_runs = input["n0"];
  spec.sided = input["sided"] == "one" ? Sided::kOne : Sided::kTwo;
  return spec;
}

// The sessions of that kind. The inputs are those of statistics2.json and a few more. The expected
// results of all of them come from tests/golden/family.py, an independent program: it reproduces
// the results in statistics2.json, where each gate has alpha / G to itself, and then decides the
// gates together (docs/statistics.md section 6).
std::vector<Json> SessionsOf(const std::string& kind) {
  const Json& family = golden::ReadFile("family.json");
  std::vector<Json> sessions = golden::Cases(kind);
  for (Json& one : sessions) {
    one["expected"] = family.at("expected").at(one["id"].get<std::string>());
  }
  for (const Json& one : family.at("cases")) {
    if (one.at("kind") == kind) sessions.push_back(one);
  }
  return sessions;
}

// `value` is a number, a list (several runs of that arm in the block) or null (absent).
void AddRuns(Block& block, std::uint32_t benchmark, std::uint32_t arm, const std::string& metric,
             const Json& value) {
  const std::vector<Json> values =
      value.is_array() ? value.get<std::vector<Json>>() : std::vector<Json>{value};
  for (const Json& one : values) {
    RunBuilder run(benchmark, arm, static_cast<std::uint32_t>(block.size()));
    if (!one.is_null()) run.Sample(metric, one).Metric(metric, std::nullopt);
    block.push_back(run);
  }
}

// The looks of a session in the reference: the block at which each decision was made.
class Watch {
 public:
  explicit Watch(const SessionSpec& spec) : analysis_(SessionAnalysis::Create(spec).value()) {}

  bool Finished() const { return analysis_.Finished(); }

  void Add(const Block& block) {
    const Result<void> added = analysis_.Add(block);
    ASSERT_TRUE(added) << added.error().message;
    ++blocks_;
    report_ = analysis_.Look();
    decided_at_.resize(report_.comparisons.size());
    for (std::size_t i = 0; i < report_.comparisons.size(); ++i) {
      const Comparison& one = report_.comparisons[i];
      if (one.decided && decided_at_[i].block == 0) {
        decided_at_[i] = {blocks_, one.n_candidate, *one.last_change};
      }
      if (one.verdict == Verdict::kRegression && first_regression_ == 0) {
        first_regression_ = blocks_;
      }
    }
  }

  void Expect(const Json& expected, double tol) {
    const Report report = analysis_.Conclude();
    EXPECT_EQ(blocks_, expected["blocks_used"].get<std::size_t>());
    EXPECT_EQ(Name(report.verdict), expected["session_verdict"].get<std::string>());
    EXPECT_EQ(report.basis, Basis::kInterval);
    const Json& fail_fast = expected["fail_fast_would_stop_after_block"];
    EXPECT_EQ(first_regression_, fail_fast.is_null() ? 0 : fail_fast.get<std::size_t>());
    const Json& comparisons = expected["comparisons"];
    ASSERT_EQ(report.comparisons.size(), comparisons.size());
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      ExpectComparison(report.comparisons[i], comparisons[i], i, tol);
      EXPECT_TRUE(
          golden::Close(1 - report.comparisons[i].confidence, expected["level_per_gate"], tol));
    }
  }

 private:
  struct Moment {
    std::size_t block = 0;
    std::uint64_t n = 0;
    Effect look = {};  // only that one
  };

  void ExpectComparison(const Comparison& actual, const Json& expected, std::size_t index,
                        double tol) {
    SCOPED_TRACE(expected["candidate"].get<std::string>() + " " +
                 expected["metric"].get<std::string>());
    EXPECT_EQ(actual.reference, expected["reference"].get<std::string>());
    EXPECT_EQ(actual.candidate, expected["candidate"].get<std::string>());
    EXPECT_EQ(actual.metric, expected["metric"].get<std::string>());
    EXPECT_EQ(Name(*actual.verdict), expected["verdict"].get<std::string>());
    EXPECT_EQ(actual.n_candidate, expected["pairs"].get<std::uint64_t>());
    EXPECT_TRUE(golden::Close(*actual.p_value, expected["p"], tol));
    EXPECT_TRUE(golden::Close(*actual.last_change->lo, expected["present"]["lo"], tol));
    EXPECT_TRUE(golden::Close(*actual.last_change->hi, expected["present"]["hi"], tol));
    EXPECT_TRUE(golden::Close(*actual.change->lo, expected["interval"]["lo"], tol));
    EXPECT_TRUE(golden::Close(*actual.change->hi, expected["interval"]["hi"], tol));
    const Json& deciding = expected["deciding"];
    ASSERT_EQ(actual.decided.has_value(), !deciding.is_null());
    if (!actual.decided) return;
    EXPECT_EQ(decided_at_[index].block, deciding["block"].get<std::size_t>());
    EXPECT_EQ(decided_at_[index].n, deciding["n"].get<std::uint64_t>());
    EXPECT_TRUE(golden::Close(*decided_at_[index].look.lo, deciding["lo"], tol));
    EXPECT_TRUE(golden::Close(*decided_at_[index].look.hi, deciding["hi"], tol));
    EXPECT_EQ(actual.decided->by, expected["decided_by"].get<std::string>());
    EXPECT_TRUE(golden::Close(*actual.decided->lo, expected["decided"]["lo"], tol));
    EXPECT_TRUE(golden::Close(*actual.decided->hi, expected["decided"]["hi"], tol));
  }

  SessionAnalysis analysis_;
  Report report_;
  std::size_t blocks_ = 0;
  std::size_t first_regression_ = 0;
  std::vector<Moment> decided_at_;
};

TEST(BlocksGoldenTest, BlocksOfSeveralCandidatesMatch) {
  for (const Json& one : SessionsOf("blocks")) {
    SCOPED_TRACE(one.at("id"));
    const Json& input = one["input"];
    std::vector<std::string> arms = input["references"];
    const std::size_t references = arms.size();
    for (const std::string name : input["candidates"]) arms.push_back(name);
    Benchmark benchmark = MakeBenchmark("bench", references, arms);
    benchmark.gates = {GateOf("wall", input)};
    Watch watch(SpecOf(input, {benchmark}));
    for (const Json& values : input["blocks"]) {
      if (watch.Finished()) break;
      Block block;
      for (std::uint32_t arm = 0; arm < arms.size(); ++arm) {
        AddRuns(block, 0, arm, "wall", values[arms[arm]]);
      }
      watch.Add(block);
    }
    watch.Expect(one["expected"], one["rel_tol"]);
  }
}

TEST(BlocksGoldenTest, GatesOfSeveralBenchmarksMatch) {
  for (const Json& one : SessionsOf("gates")) {
    SCOPED_TRACE(one.at("id"));
    const Json& input = one["input"];
    const std::vector<std::string> names{"A", "B"};
    const std::vector<std::string> arms{"base", "cand"};
    std::vector<Benchmark> benchmarks;
    for (const std::string& name : names) {
      benchmarks.push_back(MakeBenchmark(name, 1, arms));
      for (const Json& gate : input["gates"]) {
        if (gate["benchmark"] == name) {
          benchmarks.back().gates.push_back(GateOf(gate["metric"], gate));
        }
      }
    }
    Watch watch(SpecOf(input, benchmarks));
    std::vector<std::size_t> next(2);
    for (const std::string name : input["order"]) {
      if (watch.Finished()) break;
      const std::uint32_t b = name == "A" ? 0 : 1;
      const Json& values = input["blocks"][name][next[b]++];
      Block block;
      for (std::uint32_t arm = 0; arm < arms.size(); ++arm) {
        RunBuilder run(b, arm, arm);
        for (const char* metric : {"wall", "rate"}) {
          run.Sample(metric, values[metric][arms[arm]]).Metric(metric, std::nullopt);
        }
        block.push_back(run);
      }
      watch.Add(block);
    }
    watch.Expect(one["expected"], one["rel_tol"]);
  }
}

}  // namespace
}  // namespace benchd
