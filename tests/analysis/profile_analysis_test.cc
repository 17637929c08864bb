#include "core/analysis/profile_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/analysis/profile_builder.h"
#include "tests/golden/golden.h"
#include "tests/support/seed.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using golden::Close;

const FunctionChange* FindFunction(const Explanation& explanation, const std::string& name) {
  const auto found = std::ranges::find(explanation.functions, name, &FunctionChange::function);
  return found == explanation.functions.end() ? nullptr : &*found;
}

// The blocks of a golden case, whose runs are in the order of the arms.
Explanation ExplainedGolden(const nlohmann::json& one) {
  const bool layouts = one.at("method") == "layouts";
  const auto arms = one.at("arms").get<std::vector<std::string>>();
  SessionSpec spec = SampledSpec(arms, layouts ? arms.size() / 2 : 1, one.at("alpha"));
  if (layouts) spec.method = Method::kLayouts;
  ProfileAnalysis analysis(spec);
  for (const nlohmann::json& block : one.at("blocks")) {
    Block runs;
    for (const nlohmann::json& run : block) {
      StackCounts stacks;
      for (const auto& [stack, count] : run.at("stacks").items()) stacks.emplace_back(stack, count);
      runs.push_back(SampledRun(static_cast<std::uint32_t>(runs.size()), run.at("cpu_time"), stacks,
                                0, run.at("system_time")));
    }
    analysis.Add(runs);
  }
  const std::vector<Explanation> explanations = analysis.Conclude();
  EXPECT_EQ(explanations.size(), 1U);
  return explanations.at(0);
}

void ExpectEffect(const Effect& actual, const nlohmann::json& expected, double rel_tol) {
  // The ends are differences of larger numbers, so what counts is the size of those.
  const auto close = [&](double value, double wanted) {
    EXPECT_NEAR(value, wanted, 1e-11 + rel_tol * std::abs(wanted));
  };
  close(actual.estimate, expected.at(0));
  ASSERT_EQ(actual.lo.has_value(), !expected.at(1).is_null());
  ASSERT_EQ(actual.hi.has_value(), !expected.at(2).is_null());
  if (actual.lo) close(*actual.lo, expected.at(1));
  if (actual.hi) close(*actual.hi, expected.at(2));
}

void ExpectFunction(const Explanation& explanation, const nlohmann::json& wanted, double rel_tol) {
  const FunctionChange* const found = FindFunction(explanation, wanted.at("function"));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->matched, wanted.at("matched").get<std::string>());
  EXPECT_EQ(found->changed, wanted.at("changed"));
  EXPECT_TRUE(Close(found->self_reference, wanted.at("self_reference"), rel_tol));
  EXPECT_TRUE(Close(found->self_candidate, wanted.at("self_candidate"), rel_tol));
  EXPECT_TRUE(Close(found->total_reference, wanted.at("total_reference"), rel_tol));
  EXPECT_TRUE(Close(found->total_candidate, wanted.at("total_candidate"), rel_tol));
  ExpectEffect(found->self, wanted.at("self"), rel_tol);
  ExpectEffect(found->total, wanted.at("total"), rel_tol);
}

// Computed by tests/golden/profile.py.
TEST(ProfileAnalysisTest, ReproducesTheReferenceNumbers) {
  const nlohmann::json& file = golden::ReadFile("profile.json");
  const double rel_tol = file.at("rel_tol");
  for (const nlohmann::json& one : file.at("cases")) {
    const Explanation explanation = ExplainedGolden(one);
    const nlohmann::json& expected = one.at("expected");
    SCOPED_TRACE(expected.at("samples").dump());
    EXPECT_EQ(explanation.blocks, expected.at("blocks"));
    EXPECT_EQ(explanation.samples_reference, expected.at("samples").at(0));
    EXPECT_EQ(explanation.samples_candidate, expected.at("samples").at(1));
    EXPECT_TRUE(Close(explanation.seconds_reference, expected.at("seconds").at(0), rel_tol));
    EXPECT_TRUE(Close(explanation.seconds_candidate, expected.at("seconds").at(1), rel_tol));
    ExpectEffect(explanation.change, expected.at("change"), rel_tol);
    EXPECT_EQ(explanation.compared, expected.at("compared"));
    EXPECT_NEAR(explanation.explained_seconds, expected.at("explained_seconds"), 1e-11);
    ASSERT_EQ(explanation.explained.has_value(), !expected.at("explained").is_null());
    if (explanation.explained) {
      EXPECT_NEAR(*explanation.explained, expected.at("explained"), 1e-8);
    }
    EXPECT_NEAR(explanation.rest_reference, expected.at("rest").at(0), 1e-11);
    EXPECT_NEAR(explanation.rest_candidate, expected.at("rest").at(1), 1e-11);
    EXPECT_EQ(explanation.functions.size(), expected.at("functions").size());
    for (const nlohmann::json& wanted : expected.at("functions")) {
      SCOPED_TRACE(wanted.at("function").get<std::string>());
      ExpectFunction(explanation, wanted, rel_tol);
    }
  }
}

// Analyses blocks of a reference and a candidate.
Explanation ExplainBlocks(const std::vector<Block>& blocks, const SessionSpec& spec) {
  ProfileAnalysis analysis(spec);
  for (const Block& block : blocks) analysis.Add(block);
  return analysis.Conclude().at(0);
}

TEST(ProfileAnalysisTest, ARecursiveFunctionCountsOnceInAStack) {
  const StackCounts stacks = {{"main;f;g;f;g", 30}, {"main;f", 10}, {"main", 60}};
  std::vector<Block> blocks(5, Block{SampledRun(0, 1, stacks), SampledRun(1, 2, stacks)});
  const Explanation explanation = ExplainBlocks(blocks, SampledSpec({"base", "new"}));
  const FunctionChange* const f = FindFunction(explanation, "f");
  ASSERT_NE(f, nullptr);
  EXPECT_DOUBLE_EQ(f->self_reference, 0.1);
  EXPECT_DOUBLE_EQ(f->total_reference, 0.4);
  EXPECT_DOUBLE_EQ(f->total_candidate, 0.8);
  EXPECT_DOUBLE_EQ(FindFunction(explanation, "main")->total_reference, 1.0);
}

TEST(ProfileAnalysisTest, AnInlinedFunctionHasItsOwnTime) {
  const StackCounts before = {{"main;f", 40}, {"main", 60}};
  const StackCounts now = {{"main;f_[i]", 40}, {"main", 60}};
  const Block block = {SampledRun(0, 1, before), SampledRun(1, 1, now)};
  const Explanation explanation =
      ExplainBlocks(std::vector<Block>(5, block), SampledSpec({"base", "new"}));
  const FunctionChange* const f = FindFunction(explanation, "f");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->presence, Presence::kInlined);
  EXPECT_EQ(f->self.estimate, 0);
  EXPECT_EQ(f->self.lo, 0);
  EXPECT_EQ(f->self.hi, 0);
}

TEST(ProfileAnalysisTest, AFunctionWithoutSpreadHasAnIntervalOnlyIfNothingDiffers) {
  const Block block = {SampledRun(0, 1, {{"main;f", 40}, {"main", 60}}),
                       SampledRun(1, 1, {{"main;f", 50}, {"main", 50}})};
  const Explanation explanation =
      ExplainBlocks(std::vector<Block>(20, block), SampledSpec({"base", "new"}));
  const FunctionChange* const f = FindFunction(explanation, "f");
  ASSERT_NE(f, nullptr);
  EXPECT_NEAR(f->self.estimate, 0.1, 1e-12);
  EXPECT_FALSE(f->self.lo);
  EXPECT_FALSE(f->changed);
  EXPECT_EQ(FindFunction(explanation, "main")->total.lo, 0);
}

TEST(ProfileAnalysisTest, ABlockWithARunWithoutSamplesIsLeftOut) {
  std::vector<Block> blocks;
  for (int i = 0; i < 6; ++i) {
    const double f = 40.0 + i;
    blocks.push_back({SampledRun(0, 1, {{"main;f", f}, {"main", 60}}),
                      SampledRun(1, 1, {{"main;f", f + i % 2}, {"main", 60}})});
  }
  blocks[3][1] = SampledRun(1, 1, {});
  ProfileAnalysis analysis(SampledSpec({"base", "new"}));
  for (const Block& block : blocks) analysis.Add(block);
  EXPECT_EQ(analysis.Conclude().at(0).blocks, 5U);
  const std::vector<Warning> warnings = analysis.Warnings();
  const auto few = std::ranges::find(warnings, "new", &Warning::arm);
  ASSERT_NE(few, warnings.end());
  EXPECT_EQ(few->code, "profile_few");
  EXPECT_EQ(few->message, "1 of 6 runs of new have no sample, so their blocks are left out");
}

TEST(ProfileAnalysisTest, WithOneBlockThereAreTimesAndNoIntervals) {
  const Block block = {SampledRun(0, 1, {{"main;f", 40}, {"main", 60}}),
                       SampledRun(1, 2, {{"main;f", 50}, {"main", 50}})};
  const SessionSpec spec = SampledSpec({"base", "new"});
  const Explanation one = ExplainBlocks({block}, spec);
  EXPECT_EQ(one.blocks, 1U);
  EXPECT_EQ(one.change.estimate, 1);
  EXPECT_FALSE(one.change.lo);
  EXPECT_FALSE(one.explained);
  EXPECT_DOUBLE_EQ(FindFunction(one, "f")->self_candidate, 1);
  EXPECT_FALSE(FindFunction(one, "f")->self.hi);
  const Explanation none = ExplainBlocks({}, spec);
  EXPECT_EQ(none.blocks, 0U);
  EXPECT_TRUE(none.functions.empty());
}

TEST(ProfileAnalysisTest, ComparesEachCandidateWithEachReference) {
  ProfileAnalysis analysis(SampledSpec({"old", "older", "new", "newer"}, 2));
  const StackCounts stacks = {{"main", 100}};
  for (int i = 0; i < 3; ++i) {
    Block block;
    for (std::uint32_t arm = 0; arm < 4; ++arm) {
      block.push_back(SampledRun(arm, arm + 1 + 0.01 * i * arm, stacks));
    }
    analysis.Add(block);
  }
  std::vector<std::string> pairs;
  for (const Explanation& one : analysis.Conclude()) {
    pairs.push_back(one.reference + " " + one.candidate);
    EXPECT_EQ(one.benchmark, "main");
  }
  EXPECT_EQ(pairs, (std::vector<std::string>{"old new", "old newer", "older new", "older newer"}));
}

TEST(ProfileAnalysisTest, SeveralRunsOfAnArmInABlockAreOneValue) {
  const Block block = {SampledRun(0, 1, {{"main;f", 20}, {"main", 80}}),
                       SampledRun(0, 3, {{"main;f", 40}, {"main", 60}}),
                       SampledRun(1, 2, {{"main;f", 50}, {"main", 50}})};
  const Explanation explanation =
      ExplainBlocks(std::vector<Block>(2, block), SampledSpec({"base", "new"}));
  EXPECT_DOUBLE_EQ(explanation.seconds_reference, 2);
  EXPECT_DOUBLE_EQ(FindFunction(explanation, "f")->self_reference, (0.2 + 1.2) / 2);
}

TEST(ProfileAnalysisTest, EventsOfTheCpuBelongToTheirFunctions) {
  Block block = {SampledRun(0, 1, {{"main;f", 40}, {"main", 60}}),
                 SampledRun(1, 1, {{"main;f", 40}, {"main", 60}})};
  const auto add = [](benchd::Run& run, std::string_view metric, const char* stack, double value) {
    run.samples.push_back(
        {.metric = std::string(metric), .inner_benchmark = stack, .value = value});
  };
  for (benchd::Run& run : block) {
    add(run, kInstructionStackMetric, "main;f", 30);
    add(run, kInstructionStackMetric, "main", 10);
  }
  block[0].samples.push_back({.metric = "instructions", .value = 4000});
  add(block[1], kCacheMissStackMetric, "main", 7);
  const Explanation explanation =
      ExplainBlocks(std::vector<Block>(2, block), SampledSpec({"base", "new"}));
  const FunctionChange* const f = FindFunction(explanation, "f");
  ASSERT_NE(f, nullptr);
  EXPECT_DOUBLE_EQ(*f->instructions_reference, 3000) << "its share of what was counted";
  EXPECT_DOUBLE_EQ(*f->instructions_candidate, 30) << "what was sampled";
  EXPECT_FALSE(f->cache_misses_reference);
  EXPECT_EQ(f->cache_misses_candidate, 0);
}

// A function may have events and no sample.
TEST(ProfileAnalysisTest, EventsAreNeverThoseOfAnotherFunction) {
  Block block = {SampledRun(0, 1.1, {{"main;f", 400}}, 0, 0.1),
                 SampledRun(1, 1.1, {{"main;f", 400}}, 0, 0.1)};
  for (benchd::Run& run : block) {
    run.samples.push_back({.metric = std::string(kInstructionStackMetric),
                           .inner_benchmark = "main;rare",
                           .value = 1000});
  }
  const Explanation explanation =
      ExplainBlocks(std::vector<Block>(2, block), SampledSpec({"base", "new"}));
  for (const FunctionChange& one : explanation.functions) {
    EXPECT_EQ(one.instructions_candidate, 0) << one.function;
  }
}

// Another build has other code at the same address, which is neither the same nor a new function.
TEST(ProfileAnalysisTest, UnnamedFunctionsOfOneArmAreTheRest) {
  std::vector<Block> blocks;
  for (int i = 0; i < 6; ++i) {
    const double f = 400.0 + i % 3;
    blocks.push_back({SampledRun(0, 1, {{"main;f", f}, {"main;[a+0x10 01]", 600}}),
                      SampledRun(1, 1, {{"main;f", f}, {"main;[a+0x10 02]", 600}})});
  }
  const Explanation explanation = ExplainBlocks(blocks, SampledSpec({"base", "new"}));
  for (const FunctionChange& one : explanation.functions) {
    EXPECT_FALSE(one.changed) << one.function;
    EXPECT_FALSE(one.function.starts_with("[a")) << one.function;
  }
  EXPECT_NEAR(explanation.rest_reference, 0.6, 0.01);
  EXPECT_NEAR(explanation.rest_candidate, 0.6, 0.01);
}

// The samples are of user mode. What the kernel takes is no change of the functions.
TEST(ProfileAnalysisTest, TimeInTheKernelIsThatOfAFunctionOfItsOwn) {
  std::vector<Block> blocks;
  for (int i = 0; i < 6; ++i) {
    const double f = 400.0 + i % 3;
    blocks.push_back({SampledRun(0, 1.1, {{"main;f", f}, {"main", 600}}, 0, 0.1),
                      SampledRun(1, 1.5, {{"main;f", f + i % 2}, {"main", 600}}, 0, 0.5)});
    blocks.back()[1].samples[0].value += 0.001 * i;
    blocks.back()[1].samples[1].value += 0.001 * i;
  }
  const SessionSpec spec = SampledSpec({"base", "new"});
  const Explanation explanation = ExplainBlocks(blocks, spec);
  ASSERT_EQ(explanation.functions.size(), 3U);
  const FunctionChange& kernel = explanation.functions[0];
  EXPECT_EQ(kernel.function, "[kernel]");
  EXPECT_TRUE(kernel.changed);
  EXPECT_EQ(kernel.presence, Presence::kBoth);
  EXPECT_NEAR(explanation.kernel_reference, 0.1, 1e-12);
  EXPECT_NEAR(explanation.kernel_candidate, kernel.self_candidate, 1e-12);
  EXPECT_NEAR(kernel.self_reference, 0.1, 1e-12);
  EXPECT_NEAR(kernel.self.estimate, 0.4025, 1e-12);
  EXPECT_NEAR(*explanation.explained, 1, 0.01);
  EXPECT_FALSE(FindFunction(explanation, "f")->changed);
  // Where the kernel was sampled, its functions have the time.
  for (Block& block : blocks) {
    for (benchd::Run& run : block) {
      run.samples.push_back(
          {.metric = std::string(kStackMetric), .inner_benchmark = "main;read_[k]", .value = 500});
    }
  }
  const Explanation sampled = ExplainBlocks(blocks, spec);
  EXPECT_EQ(FindFunction(sampled, "[kernel]"), nullptr);
  EXPECT_NEAR(FindFunction(sampled, "read")->self_reference, 1.1 / 3, 0.01);
}

TEST(ProfileAnalysisTest, StacksThatWereTooManyAreNotCompared) {
  const Block block = {SampledRun(0, 1, {{"[other];f", 40}, {"[other]", 10}, {"main", 50}}),
                       SampledRun(1, 1, {{"[other];f", 40}, {"[other]", 20}, {"main", 40}})};
  const Explanation explanation =
      ExplainBlocks(std::vector<Block>(2, block), SampledSpec({"base", "new"}));
  EXPECT_EQ(FindFunction(explanation, "[other]"), nullptr);
  EXPECT_NE(FindFunction(explanation, "f"), nullptr);
  EXPECT_DOUBLE_EQ(explanation.rest_reference, 0.1);
  EXPECT_DOUBLE_EQ(explanation.rest_candidate, 0.2);
}

TEST(ProfileAnalysisTest, ListsFunctionsByTheirChangeAndNotMoreThanFit) {
  std::vector<Block> blocks(4);
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    StackCounts stacks[2];
    for (int i = 0; i < 300; ++i) {
      const std::string stack = "main;f" + std::to_string(i) + std::string(i < 5 ? 3000 : 1, 'x');
      stacks[0].emplace_back(stack, 100.0 + static_cast<double>(block));
      stacks[1].emplace_back(stack, 100.0 + i);
    }
    blocks[block] = {SampledRun(0, 1, stacks[0]), SampledRun(1, 1.5, stacks[1])};
  }
  const Explanation explanation = ExplainBlocks(blocks, SampledSpec({"base", "new"}));
  EXPECT_EQ(explanation.compared, 300U);
  EXPECT_EQ(explanation.functions.size(), kMostFunctions);
  EXPECT_GE(explanation.left_out, 300U - kMostFunctions);
  double before = 1;
  for (const FunctionChange& one : explanation.functions) {
    if (!one.changed) continue;
    EXPECT_LE(std::abs(one.self.estimate), before);
    before = std::abs(one.self.estimate);
    EXPECT_LE(one.function.size(), 1000U);
  }
}

// The codes of the warnings about an arm.
std::vector<std::string> ArmCodesOf(const std::vector<Warning>& warnings, const std::string& arm) {
  std::vector<std::string> codes;
  for (const Warning& warning : warnings) {
    if (warning.arm == arm) codes.push_back(warning.code);
  }
  return codes;
}

TEST(ProfileAnalysisTest, WarnsOfProfilesThatSayLittle) {
  const StackCounts good = {{"_start;main;f", 400}, {"_start;main", 100}};
  const StackCounts bad = {{"main;[a.so+0x10]", 30}, {"main;f", 40}};
  SessionSpec spec = SampledSpec({"base", "new"});
  spec.profile->frequency_hz = 100;
  ProfileAnalysis analysis(spec);
  analysis.Add(Block{SampledRun(0, 1, good, 5), SampledRun(1, 1, bad, 10)});
  const std::vector<Warning> warnings = analysis.Warnings();
  EXPECT_TRUE(ArmCodesOf(warnings, "base").empty());
  EXPECT_EQ(ArmCodesOf(warnings, "new"),
            (std::vector<std::string>{"profile_few", "profile_lost", "profile_unnamed",
                                      "profile_no_callers"}));
  for (const Warning& warning : warnings) {
    EXPECT_FALSE(warning.hint.empty());
    EXPECT_EQ(warning.severity, Severity::kCaution);
    EXPECT_EQ(warning.benchmark, "main");
  }
  EXPECT_EQ(warnings[1].message, "12 % of the samples of new were lost");
  EXPECT_EQ(warnings[2].message, "43 % of the samples of new are in functions without a name");
  spec.profile->call_graph = CallGraph::kDwarf;
  ProfileAnalysis by_dwarf(spec);
  by_dwarf.Add(Block{SampledRun(0, 1, good), SampledRun(1, 1, bad)});
  EXPECT_NE(by_dwarf.Warnings().back().hint, warnings.back().hint);
}

TEST(ProfileAnalysisTest, AFullProfileLacksTheEndOfTheRun) {
  const StackCounts stacks = {{"_start;main;f", 400}, {"_start;main", 100}};
  benchd::Run cut = SampledRun(1, 1, stacks, 20);
  cut.samples.push_back({.metric = std::string(kUnkeptSamplesMetric), .value = 20});
  SessionSpec spec = SampledSpec({"base", "new"});
  spec.profile->frequency_hz = 100;
  ProfileAnalysis analysis(spec);
  analysis.Add(Block{SampledRun(0, 1, stacks), cut});
  const std::vector<Warning> warnings = analysis.Warnings();
  EXPECT_EQ(ArmCodesOf(warnings, "new"), (std::vector<std::string>{"profile_full"}));
  EXPECT_WORDING(warnings.front().message + "; " + warnings.front().hint);
}

TEST(ProfileAnalysisTest, WarnsOfTimeThatNoSampleShows) {
  SessionSpec spec = SampledSpec({"base", "new"});
  spec.profile->frequency_hz = 1000;
  const StackCounts half = {{"_start;main;f", 600}};
  const StackCounts fifth = {{"_start;main;f", 200}};
  ProfileAnalysis analysis(spec);
  analysis.Add(Block{SampledRun(0, 1, half), SampledRun(1, 1, fifth)});
  const std::vector<Warning> warnings = analysis.Warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "profile_short_lived");
  EXPECT_EQ(warnings[0].arm, "new");
  EXPECT_NE(warnings[0].message.find("show only 20 % of its CPU time"), std::string::npos);
}

/// A program of 30 functions. Each run has its own shares and speed, and each block its own speed.
class SimulatedProgram {
 public:
  explicit SimulatedProgram(std::uint32_t seed) : random_(seed) {}

  /// @param slower  the function of the candidate that takes `factor` times as long
  Block NextBlock(int slower, double factor) {
    const double block = Spread(0.02);
    return {RunOf(0, block, -1, 1), RunOf(1, block, slower, factor)};
  }

 private:
  Run RunOf(std::uint32_t arm, double block, int slower, double factor) {
    StackCounts stacks;
    double seconds = 0;
    for (int i = 0; i < 30; ++i) {
      const double cost = kSeconds / (2 + i) * (i == slower ? factor : 1) * Spread(0.03);
      const double own = cost * block;
      seconds += own;
      std::poisson_distribution<int> samples(own * 1000);
      const std::string caller = i % 3 == 0 ? "main" : "main;f" + std::to_string(i / 3);
      stacks.emplace_back(caller + ";f" + std::to_string(i), samples(random_));
    }
    return SampledRun(arm, seconds, stacks);
  }
  double Spread(double sd) { return std::exp(std::normal_distribution(0.0, sd)(random_)); }

  static constexpr double kSeconds = 0.3;  // a run takes 0.9 s
  std::mt19937 random_;
};

/// Whether all intervals contain the true change, which is 0 except for `slower` and its callers.
bool AllCoverZero(const Explanation& explanation) {
  return std::ranges::all_of(explanation.functions, [](const FunctionChange& one) {
    const auto covers = [](const Effect& effect) {
      return !effect.lo || (*effect.lo <= 0 && *effect.hi >= 0);
    };
    return covers(one.self) && covers(one.total);
  });
}

// Of 200 sessions without a change, at most alpha / 2 may call any function changed, and at most
// alpha may have an interval that misses 0. The bounds are exceeded with probability 3e-5 if the
// true rates are these: binomial tails, P(X > 16 | 200, 0.025) and P(X > 24 | 200, 0.05).
TEST(ProfileAnalysisTest, CallsNoFunctionChangedInEqualPrograms) {
  const auto seed = test::Seed();
  RecordProperty("seed", std::to_string(seed));
  const SessionSpec spec = SampledSpec({"base", "new"}, 1, 0.05);
  SimulatedProgram program(seed);
  int wrong = 0;
  int missed = 0;
  for (int session = 0; session < 200; ++session) {
    ProfileAnalysis analysis(spec);
    for (int block = 0; block < 20; ++block) analysis.Add(program.NextBlock(-1, 1));
    const Explanation explanation = analysis.Conclude().at(0);
    wrong += std::ranges::count(explanation.functions, true, &FunctionChange::changed) > 0;
    missed += !AllCoverZero(explanation);
  }
  EXPECT_LE(wrong, 16);
  EXPECT_LE(missed, 24);
  RecordProperty("wrong", wrong);
  RecordProperty("missed", missed);
}

TEST(ProfileAnalysisTest, FindsTheFunctionThatBecameSlower) {
  const auto seed = test::Seed();
  RecordProperty("seed", std::to_string(seed));
  SimulatedProgram program(seed);
  int first = 0;
  int alone = 0;
  for (int session = 0; session < 40; ++session) {
    ProfileAnalysis analysis(SampledSpec({"base", "new"}));
    for (int block = 0; block < 40; ++block) analysis.Add(program.NextBlock(2, 1.3));
    const Explanation explanation = analysis.Conclude().at(0);
    const FunctionChange& found = explanation.functions.front();
    first += found.function == "f2" && found.changed;
    alone += std::ranges::count(explanation.functions, true, &FunctionChange::changed) == 1;
    EXPECT_NEAR(explanation.explained.value_or(0), 1, 0.8);
  }
  EXPECT_GE(first, 38);
  EXPECT_GE(alone, 38);
}

TEST(ProfileAnalysisTest, TheSameBlocksGiveTheSameResult) {
  SimulatedProgram program(7);
  std::vector<Block> blocks;
  for (int i = 0; i < 6; ++i) blocks.push_back(program.NextBlock(3, 1.2));
  const SessionSpec spec = SampledSpec({"base", "new"});
  const Explanation explanation = ExplainBlocks(blocks, spec);
  EXPECT_EQ(ExplainBlocks(blocks, spec), explanation);
  for (Block& block : blocks) std::ranges::reverse(block);
  EXPECT_EQ(ExplainBlocks(blocks, spec).functions, explanation.functions)
      << "whatever the order of the runs in a block";
}

}  // namespace
}  // namespace benchd
