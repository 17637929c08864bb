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
      runs.push_back(
          SampledRun(static_cast<std::uint32_t>(runs.size()), run.at("cpu_time"), stacks));
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
  EXPECT_EQ(found->matched, wanted.at("matched"));
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
    if (explanation.explained) EXPECT_NEAR(*explanation.explained, expected.at("explained"), 1e-8);
    EXPECT_NEAR(explanation.rest_reference, expected.at("rest").at(0), 1e-11);
    EXPECT_NEAR(explanation.rest_candidate, expected.at("rest").at(1), 1e-11);
    EXPECT_EQ(explanation.functions.size(), expected.at("functions").size());
    for (const nlohmann::json& wanted : expected.at("functions")) {
      SCOPED_TRACE(wanted.at("function").get<std::string>());
      ExpectFunction(explanation, wanted, rel_tol);
    }
  }
}

}  // namespace
}  // namespace benchd
