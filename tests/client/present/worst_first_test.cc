#include "client/present/worst_first.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace benchd::client {
namespace {

v1::Comparison Gate(const std::string& name, v1::Verdict verdict, double change) {
  v1::Comparison gate;
  gate.set_benchmark(name);
  gate.set_role(v1::COMPARISON_ROLE_GATE);
  gate.set_better(v1::BETTER_LOWER);
  gate.set_verdict(verdict);
  gate.mutable_change()->set_estimate(change);
  return gate;
}

std::string Order(const std::vector<v1::Comparison>& gates) {
  Comparisons rows;
  for (const v1::Comparison& gate : gates) rows.push_back(&gate);
  SortWorstFirst(&rows);
  std::string names;
  for (const v1::Comparison* row : rows) names += row->benchmark();
  return names;
}

TEST(WorstFirstTest, RegressionsComeFirstThenWhatIsOpenThenImprovements) {
  std::vector<v1::Comparison> gates = {
      Gate("p", v1::VERDICT_PASS, 0.001),      Gate("i", v1::VERDICT_PASS, -0.2),
      Gate("I", v1::VERDICT_PASS, -0.5),       Gate("u", v1::VERDICT_UNDECIDED, 0.01),
      Gate("U", v1::VERDICT_UNDECIDED, 0.019), Gate("r", v1::VERDICT_REGRESSION, 0.03),
      Gate("R", v1::VERDICT_REGRESSION, 0.3)};
  gates[1].set_flag(v1::FLAG_IMPROVEMENT);
  gates[2].set_flag(v1::FLAG_IMPROVEMENT);
  EXPECT_EQ(Order(gates), "RrUuIip");
  for (const v1::Comparison& gate : gates) {
    EXPECT_EQ(IsNotable(gate), gate.benchmark() != "p") << gate.benchmark();
  }
}

TEST(WorstFirstTest, TheDirectionOfTheMetricCounts) {
  std::vector<v1::Comparison> gates = {Gate("a", v1::VERDICT_REGRESSION, -0.1),
                                       Gate("b", v1::VERDICT_REGRESSION, -0.4)};
  for (v1::Comparison& gate : gates) gate.set_better(v1::BETTER_HIGHER);
  EXPECT_EQ(Order(gates), "ba");
}

TEST(WorstFirstTest, ARegressionWithoutNumbersIsTheWorst) {
  std::vector<v1::Comparison> gates = {
      Gate("a", v1::VERDICT_REGRESSION, 0.1),
      Gate("n", v1::VERDICT_REGRESSION, std::numeric_limits<double>::quiet_NaN()),
      Gate("m", v1::VERDICT_REGRESSION, 0)};
  gates[2].clear_change();
  EXPECT_EQ(Order(gates), "nma") << "equal ones keep their order";
  gates[2].mutable_difference()->set_estimate(3);
  gates[2].set_margin_absolute(10);
  EXPECT_EQ(Order(gates), "nma");
  gates[2].mutable_difference()->set_estimate(0.5);
  EXPECT_EQ(Order(gates), "nam");
}

}  // namespace
}  // namespace benchd::client
