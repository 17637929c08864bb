#include "core/analysis/machine_combination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// Session `number` on a separate machine, with that change of wall_time.
MachineSession Session(int number, double change) {
  MachineSession session;
  session.source = "node" + std::to_string(number) + ".json";
  session.session = "session" + std::to_string(number);
  session.machine = "machine" + std::to_string(number);
  session.started_at = Timestamp(std::chrono::hours(480'000) + std::chrono::minutes(number));
  session.gates = {{.benchmark = "main",
                    .reference = "base",
                    .candidate = "candidate",
                    .metric = "wall_time",
                    .unit = "s",
                    .role = ComparisonRole::kGate,
                    .better = Better::kLower,
                    .margin = 0.02,
                    .confidence = 0.99,
                    .method = Method::kFixed,
                    .n_reference = 25,
                    .n_candidate = 25,
                    .mean_reference = 0.010,
                    .mean_candidate = 0.010 * (1 + change),
                    .sd_reference = 0.0001,
                    .sd_candidate = 0.0001 * (1 + change),
                    .change = Effect{change, {}, {}},
                    .difference = Effect{0.010 * change, {}, {}}}};
  return session;
}

std::vector<MachineSession> Sessions(const std::vector<double>& changes) {
  std::vector<MachineSession> sessions;
  for (const double change : changes) {
    sessions.push_back(Session(static_cast<int>(sessions.size()) + 1, change));
  }
  return sessions;
}

MachineCombination Combined(std::vector<MachineSession> sessions,
                            std::optional<std::size_t> expected = {}) {
  auto combined = CombineMachines(std::move(sessions), expected);
  EXPECT_TRUE(combined) << combined.error().message;
  return combined ? *combined : MachineCombination();
}

bool Warns(const MachineCombination& combined, const std::string& code) {
  return std::ranges::count(combined.warnings, code, &Warning::code) > 0;
}

// Every session found its values too coarse; side by side they look like a regression.
TEST(MachineCombinationTest, WhatTheSessionsRefusedNoNumberOfMachinesDecides) {
  for (const char* code : {"resolution", "missing_values", "runs_incomplete"}) {
    std::vector<MachineSession> sessions = Sessions({0.2, 0.2, 0.2, 0.2});
    EXPECT_EQ(Combined(sessions).verdict, Verdict::kRegression);
    Warning refusal{
        .code = code, .message = "it cannot be told", .benchmark = "main", .arm = "candidate"};
    CompleteWarning(refusal);
    sessions[2].warnings = {refusal, MakeWarning("steal", "beside it")};
    sessions[2].gates[0].verdict = Verdict::kUndecided;
    const MachineCombination combined = Combined(sessions);
    EXPECT_EQ(combined.verdict, Verdict::kUndecided) << code;
    EXPECT_EQ(combined.gates[0].refused_by, std::vector<std::string>{"node3.json"});
    ASSERT_EQ(std::ranges::count(combined.warnings, "session_refused", &Warning::code), 1);
    const auto said = std::ranges::find(combined.warnings, "session_refused", &Warning::code);
    EXPECT_EQ(said->message, "node3.json: it cannot be told");
    EXPECT_EQ(said->severity, Severity::kInvalidates);
  }
}

TEST(MachineCombinationTest, ASessionWhoseControlChangedRefusesAllItsGates) {
  std::vector<MachineSession> sessions = Sessions({0.2, 0.2, 0.2, 0.2});
  for (MachineSession& session : sessions) {
    session.gates.push_back(session.gates[0]);
    session.gates.back().benchmark = "steady";
    session.gates.back().control = ControlState::kUnchanged;
  }
  EXPECT_EQ(Combined(sessions).gates.size(), 1U) << "a control is not combined";
  EXPECT_EQ(Combined(sessions).verdict, Verdict::kRegression);
  sessions[1].warnings = {MakeWarning("control_changed", "the machine, not the code")};
  sessions[1].gates[0].verdict = Verdict::kRegression;
  const MachineCombination combined = Combined(sessions);
  EXPECT_EQ(combined.verdict, Verdict::kUndecided);
  EXPECT_EQ(combined.gates[0].refused_by, std::vector<std::string>{"node2.json"});
}

TEST(MachineCombinationTest, ARefusalOfAnotherBenchmarkOrADecidedGateDoesNotCount) {
  std::vector<MachineSession> sessions = Sessions({0.2, 0.2, 0.2, 0.2});
  sessions[0].warnings = {MakeWarning("resolution", "not here", "other", "candidate"),
                          MakeWarning("resolution", "another arm", "main", "third")};
  sessions[1].warnings = {MakeWarning("resolution", "of another metric", "main", "candidate")};
  sessions[1].gates[0].verdict = Verdict::kRegression;
  Warning of_another = MakeWarning("resolution", "of another metric", "main", "candidate");
  of_another.metric = "max_rss";
  Warning of_reference = MakeWarning("resolution", "of another reference", "main", "candidate");
  of_reference.metric = "wall_time";
  of_reference.reference = "older";
  sessions[3].warnings = {of_another, of_reference};
  sessions[2].warnings = {MakeWarning("placebo", "a caution", "main", "candidate")};
  const MachineCombination combined = Combined(sessions);
  EXPECT_EQ(combined.verdict, Verdict::kRegression);
  EXPECT_TRUE(combined.gates[0].refused_by.empty());
}

TEST(MachineCombinationTest, TheMachineIsTheUnit) {
  const MachineCombination combined = Combined(Sessions({0.08, 0.1, 0.09, 0.11}));
  EXPECT_EQ(combined.verdict, Verdict::kRegression);
  const Comparison& gate = combined.gates.front().comparison;
  EXPECT_EQ(gate.n_reference, 4U);
  // Logs .0769610, .0953102, .0861777, .1043600: mean .0907022, sd .0117907, t(.995, 3) 5.84091
  // (tables), so exp(.0907022 -/+ 5.84091 * .0117907 / 2).
  EXPECT_NEAR(gate.change->estimate, 0.0949429, 1e-6);
  EXPECT_NEAR(*gate.change->lo, 0.0579, 1e-4);
  EXPECT_NEAR(*gate.change->hi, 0.1333, 1e-4);
  // The squared error of each machine is 2 * 0.01^2 / 25.
  EXPECT_NEAR(*combined.gates.front().tau_squared, 0.01179067 * 0.01179067 - 8e-6, 1e-8);
  EXPECT_TRUE(combined.warnings.empty());
}

TEST(MachineCombinationTest, ANegativeMarginAsksAllMachinesForAnImprovement) {
  const auto verdict = [](const std::vector<double>& changes, Better better, double margin) {
    std::vector<MachineSession> sessions = Sessions(changes);
    for (MachineSession& session : sessions) {
      session.gates[0].margin = margin;
      session.gates[0].better = better;
    }
    return Combined(sessions).verdict;
  };
  EXPECT_EQ(verdict({-0.1, -0.11, -0.12, -0.1}, Better::kLower, -0.05), Verdict::kPass);
  EXPECT_EQ(verdict({-0.02, -0.01, -0.02, -0.01}, Better::kLower, -0.05), Verdict::kRegression);
  EXPECT_EQ(verdict({0.1, 0.11, 0.12, 0.1}, Better::kHigher, -0.05), Verdict::kPass);
  EXPECT_EQ(verdict({0.02, 0.01, 0.02, 0.01}, Better::kHigher, -0.05), Verdict::kRegression);
  EXPECT_EQ(verdict({1.1, 1.11, 1.12, 1.1}, Better::kHigher, -1), Verdict::kPass) << "twice";
}

// Four machines that read the same step agree, but all may be wrong by it.
TEST(MachineCombinationTest, TheStepsOfTheMetricWidenTheIntervalAsTheyDoAMachines) {
  std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
  for (MachineSession& session : sessions) {
    Comparison& gate = session.gates[0];
    gate.change_allowance = 0.4;
    gate.change = Effect{0, std::expm1(-0.4), std::expm1(0.4)};
    gate.margin = 0.3;
  }
  const MachineCombination coarse = Combined(sessions);
  EXPECT_EQ(coarse.verdict, Verdict::kUndecided);
  const Comparison& gate = coarse.gates.front().comparison;
  EXPECT_DOUBLE_EQ(*gate.change->lo, std::expm1(-0.4));
  EXPECT_DOUBLE_EQ(*gate.change->hi, std::expm1(0.4));
  EXPECT_DOUBLE_EQ(coarse.gates.front().prediction->second, std::expm1(0.8));
  for (MachineSession& session : sessions) {
    session.gates[0].change_allowance.reset();
    session.gates[0].sd_reference = session.gates[0].sd_candidate = 0.0;
  }
  EXPECT_NEAR(*Combined(sessions).gates.front().comparison.change->hi, std::expm1(0.4), 1e-12)
      << "of an export that does not say it";
  for (MachineSession& session : sessions) session.gates[0].margin = 0.5;
  EXPECT_EQ(Combined(sessions).verdict, Verdict::kPass) << "a margin above the steps";
  for (MachineSession& session : sessions) session.gates[0].margin = 0.49;
  EXPECT_EQ(Combined(sessions).verdict, Verdict::kUndecided) << "exp(0.4) is 1.4918";
}

TEST(MachineCombinationTest, SessionsOfOneMachineHaveTheMeanOfTheirSteps) {
  std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
  for (MachineSession& session : sessions) session.gates[0].change_allowance = 0.1;
  sessions.push_back(Session(5, 0));
  sessions.back().machine = sessions[0].machine;
  sessions.back().gates[0].change_allowance = 0.3;
  EXPECT_NEAR(*Combined(sessions).gates.front().comparison.change->hi, std::expm1(0.125), 1e-12);
}

// A count that is 0 in some runs has no ratio, so only its difference has an allowance.
TEST(MachineCombinationTest, TheStepsOfADifferenceWidenTheIntervalOfValuesThatVary) {
  std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
  for (MachineSession& session : sessions) {
    Comparison& gate = session.gates[0];
    gate.metric = "allocs";
    gate.unit = "1";
    gate.margin_kind = MarginKind::kAbsolute;
    gate.margin = 1;
    gate.mean_reference = gate.mean_candidate = 0.25;
    gate.difference = Effect{0, -2.5, 2.5};
    gate.change.reset();
    gate.difference_allowance = 2;
  }
  const MachineCombination combined = Combined(sessions);
  EXPECT_EQ(combined.verdict, Verdict::kUndecided);
  const Comparison& gate = combined.gates.front().comparison;
  ASSERT_TRUE(gate.difference);
  EXPECT_DOUBLE_EQ(*gate.difference->lo, -2);
  EXPECT_DOUBLE_EQ(*gate.difference->hi, 2);
}

/// A gate that each session decided on constants, by this difference from 5.
std::vector<MachineSession> ExactSessions(const std::vector<double>& differences) {
  std::vector<MachineSession> sessions = Sessions(differences);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const double more = differences[i];
    Comparison& gate = sessions[i].gates[0];
    gate.metric = "allocs";
    gate.unit = "1";
    gate.margin_kind = MarginKind::kExact;
    gate.margin = 1;
    gate.mean_reference = 5;
    gate.mean_candidate = 5 + more;
    gate.sd_reference = gate.sd_candidate = 0.0;
    gate.difference = Effect{more, more, more};
    gate.change = Effect{more / 5, more / 5, more / 5};
    gate.verdict = more > 0 ? Verdict::kRegression : Verdict::kPass;
    gate.method = Method::kPaired;
    gate.decided = Decision{8, more, more};
    gate.basis = Basis::kExact;
  }
  return sessions;
}

TEST(MachineCombinationTest, ConstantCountsAreJudgedAsTheyAreOnEveryMachine) {
  struct Case {
    std::vector<double> differences;
    Verdict verdict;
  };
  for (const Case& one :
       {Case{{0, 0, 0, 0}, Verdict::kPass}, Case{{1, 1, 1, 1}, Verdict::kRegression},
        Case{{-1, -1, -2, 0}, Verdict::kPass}, Case{{0, 0, 0, 1}, Verdict::kRegression}}) {
    const MachineCombination combined = Combined(ExactSessions(one.differences));
    EXPECT_EQ(combined.verdict, one.verdict);
    const Comparison& gate = combined.gates.front().comparison;
    EXPECT_EQ(gate.basis, Basis::kExact);
    EXPECT_TRUE(gate.decided);
    EXPECT_EQ(WarningText(combined.warnings, "stopped_early"), "") << "constants do not drift";
  }
  EXPECT_EQ(Combined(ExactSessions({1, 1, 1})).verdict, Verdict::kUndecided) << "too few machines";
}

TEST(MachineCombinationTest, ACountThatVariesOnOneMachineIsJudgedByItsMargin) {
  std::vector<MachineSession> sessions = ExactSessions({0, 0, 0, 0});
  Comparison& varies = sessions[3].gates[0];
  varies.difference = Effect{0.25, -0.25, 0.75};
  varies.sd_candidate = 0.5;
  varies.basis.reset();
  const MachineCombination combined = Combined(sessions);
  const Comparison& gate = combined.gates.front().comparison;
  EXPECT_FALSE(gate.basis);
  EXPECT_EQ(gate.verdict, Verdict::kPass);
  ASSERT_TRUE(gate.difference->hi);
  EXPECT_LT(*gate.difference->hi, 1);
}

TEST(MachineCombinationTest, TheStepsOfADifferenceAreTwoInTheUnitOfTheMetric) {
  const auto widened = [](double level) {
    std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
    for (MachineSession& session : sessions) {
      Comparison& gate = session.gates[0];
      gate.metric = "allocs";
      gate.unit = "1";
      gate.margin_kind = MarginKind::kAbsolute;
      gate.margin = 3;
      gate.mean_reference = gate.mean_candidate = level;
      gate.sd_reference = gate.sd_candidate = 0.0;
      gate.difference = Effect{0, -2, 2};
      gate.change.reset();
      if (level > 0) {
        gate.change = Effect{0, std::expm1(-2 / level), std::expm1(2 / level)};
        gate.change_allowance = 2 / level;  // a step of 1 in each mean
      }
    }
    const MachineCombination combined = Combined(sessions);
    EXPECT_EQ(combined.verdict, Verdict::kPass);
    return combined.gates.front().comparison.difference;
  };
  for (const double level : {0.0, 5.0, 400.0}) {
    const auto difference = widened(level);
    ASSERT_TRUE(difference) << level;
    EXPECT_DOUBLE_EQ(*difference->lo, -2) << level;
    EXPECT_DOUBLE_EQ(*difference->hi, 2) << level;
  }
}

TEST(MachineCombinationTest, UnderFourMachinesNothingIsDecided) {
  const MachineCombination three = Combined(Sessions({0.1, 0.1, 0.1}));
  EXPECT_EQ(three.verdict, Verdict::kUndecided);
  EXPECT_TRUE(three.gates.front().prediction);
  EXPECT_EQ(Combined(Sessions({0, 0, 0, 0})).verdict, Verdict::kPass);
  EXPECT_EQ(Combined(Sessions({0, 0, 0, 0}), 5).verdict, Verdict::kUndecided);
}

TEST(MachineCombinationTest, WhatNoIntervalSaidOfASessionStandsOverTheirMean) {
  std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
  sessions[2].gates[0].verdict = Verdict::kUndecided;
  sessions[2].gates[0].reason = "failed_in_reference";
  MachineCombination combined = Combined(sessions);
  EXPECT_EQ(combined.verdict, Verdict::kUndecided);
  EXPECT_EQ(combined.gates.front().comparison.reason, "failed_in_reference");
  sessions[3].gates[0].verdict = Verdict::kRegression;
  sessions[3].gates[0].reason = "failed_in_candidate";
  combined = Combined(sessions);
  EXPECT_EQ(combined.verdict, Verdict::kRegression);
  EXPECT_EQ(combined.gates.front().comparison.reason, "failed_in_candidate");
}

void TakeEstimate(MachineSession& session, Verdict verdict, const std::string& reason) {
  Comparison& gate = session.gates[0];
  gate.change.reset();
  gate.difference.reset();
  gate.mean_candidate.reset();
  gate.sd_candidate.reset();
  gate.verdict = verdict;
  gate.reason = reason;
}

// A finding without an estimate: the candidate lacks the metric, left 0 permanently, or failed.
TEST(MachineCombinationTest, ARegressionThatASessionFoundWithoutAnEstimateCounts) {
  for (const char* reason : {"missing_in_candidate", "left_zero", "failed_in_candidate", ""}) {
    std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0, 0});
    TakeEstimate(sessions[1], Verdict::kRegression, reason);
    const MachineCombination combined = Combined(sessions);
    const CombinedGate& gate = combined.gates.front();
    EXPECT_EQ(combined.verdict, Verdict::kRegression) << reason;
    EXPECT_EQ(gate.comparison.reason, reason);
    ASSERT_EQ(gate.regressed_in.size(), 1U);
    EXPECT_EQ(gate.regressed_in[0].source, "node2.json");
    EXPECT_EQ(gate.regressed_in[0].machine, "machine2");
    EXPECT_EQ(gate.regressed_in[0].reason, reason);
    EXPECT_EQ(gate.comparison.n_candidate, 4U);
    ASSERT_TRUE(gate.comparison.change);
    EXPECT_EQ(gate.comparison.change->estimate, 0);
    EXPECT_FALSE(gate.of_machine[1].change);
  }
}

TEST(MachineCombinationTest, WhereNoMachineHasAnEstimateTheirReasonsDecide) {
  std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
  for (MachineSession& one : sessions) TakeEstimate(one, Verdict::kRegression, "left_zero");
  EXPECT_EQ(Combined(sessions).verdict, Verdict::kRegression);
  EXPECT_FALSE(Combined(sessions).gates.front().comparison.change);
  EXPECT_EQ(Combined(sessions).gates.front().regressed_in.size(), 4U);
  sessions.pop_back();
  EXPECT_EQ(Combined(sessions).verdict, Verdict::kUndecided);
  EXPECT_EQ(Combined(sessions).gates.front().regressed_in.size(), 3U);
}

TEST(MachineCombinationTest, AMachineThatCouldNotDecideLeavesTheGateUndecided) {
  for (const char* reason : {"missing_in_reference", "no_ratio", "failed_in_reference", ""}) {
    for (const Verdict own : {Verdict::kUndecided, Verdict::kPass}) {
      std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0, 0});
      TakeEstimate(sessions[1], own, reason);
      const MachineCombination combined = Combined(sessions);
      EXPECT_EQ(combined.verdict, Verdict::kUndecided) << reason;
      EXPECT_EQ(combined.gates.front().refused_by, std::vector<std::string>{"node2.json"});
      const auto said = std::ranges::find(combined.warnings, "session_refused", &Warning::code);
      ASSERT_NE(said, combined.warnings.end()) << reason;
      EXPECT_TRUE(said->message.starts_with("node2.json: ")) << said->message;
      EXPECT_WORDING(WarningText(*said)) << reason;
      EXPECT_EQ(said->severity, Severity::kInvalidates);
    }
  }
  std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
  TakeEstimate(sessions[1], Verdict::kUndecided, "missing_in_reference");
  EXPECT_WORDING(WarningText(Combined(sessions).warnings.front()));
}

// A metric that is 0 everywhere gates only in the session whose candidate left 0.
TEST(MachineCombinationTest, AGateThatOneSessionAloneHasForAReasonCounts) {
  for (const std::size_t where : {0U, 2U}) {
    std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
    MachineSession found = Session(9, 0);
    TakeEstimate(found, Verdict::kRegression, "left_zero");
    found.gates[0].metric = "allocs";
    sessions[where].gates.push_back(found.gates[0]);
    const MachineCombination combined = Combined(sessions);
    EXPECT_EQ(combined.verdict, Verdict::kRegression);
    ASSERT_EQ(combined.gates.size(), 2U);
    EXPECT_EQ(combined.gates[0].comparison.verdict, Verdict::kPass);
    EXPECT_EQ(combined.gates[1].regressed_in.size(), 1U);
    EXPECT_EQ(combined.gates[1].of_machine.size(), 4U);
  }
}

TEST(MachineCombinationTest, WhatASessionDidNotCompareIsSaidOfAllTogether) {
  std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
  sessions[1].warnings = {MakeWarning("metric_missing", "no b", "main", "candidate"),
                          MakeWarning("placebo", "its own matter")};
  sessions[2].warnings = {MakeWarning("failed_runs", "3 of 8 runs failed", "main", "base")};
  sessions[3].warnings = sessions[2].warnings;
  sessions[3].warnings[0].severity = Severity::kNote;
  const MachineCombination combined = Combined(sessions);
  EXPECT_EQ(combined.verdict, Verdict::kPass);
  ASSERT_EQ(combined.warnings.size(), 2U);
  EXPECT_EQ(combined.warnings[0].code, "metric_missing");
  EXPECT_EQ(combined.warnings[0].message, "node2.json: no b");
  EXPECT_EQ(combined.warnings[1].message, "node3.json: 3 of 8 runs failed");
}

TEST(MachineCombinationTest, WhatWasLeftOutAndMayHideARegressionLeavesNothingPassed) {
  Warning warning = MakeWarning("not_counted", "node5.json: cut off; not counted");
  const auto cut = CombineMachines(Sessions({0, 0, 0, 0}), {}, {{"node5.json", warning}});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->verdict, Verdict::kPass);
  EXPECT_EQ(cut->warnings.front(), warning);
  warning.severity = Severity::kInvalidates;
  const auto hidden = CombineMachines(Sessions({0, 0, 0, 0}), {}, {{"node5.json", warning}});
  ASSERT_TRUE(hidden);
  EXPECT_EQ(hidden->verdict, Verdict::kUndecided);
  EXPECT_EQ(hidden->gates.front().refused_by, std::vector<std::string>{"node5.json"});
}

TEST(MachineCombinationTest, ASessionIsCountedOnceAndSeveralOfAMachineAreAveraged) {
  std::vector<MachineSession> sessions = Sessions({0, 0.01, 0.02, 0.03});
  sessions.push_back(sessions[1]);
  sessions.back().source = "copy.json";
  sessions.back().machine = "cloned";  // ids identify sessions, whatever the machine
  sessions.push_back(sessions[2]);
  sessions.back().session = "renamed";
  MachineSession second = Session(4, 0.05);
  second.session = "later";
  second.started_at += std::chrono::minutes(7);
  sessions.push_back(second);
  const MachineCombination combined = Combined(sessions);
  EXPECT_EQ(combined.machines.size(), 4U);
  EXPECT_EQ(std::ranges::count(combined.warnings, "counted_once", &Warning::code), 2);
  EXPECT_EQ(combined.machines[3].sessions, (std::vector<std::string>{"session4", "later"}));
  const Comparison& fourth = combined.gates.front().of_machine[3];
  EXPECT_NEAR(fourth.change->estimate, std::sqrt(1.03 * 1.05) - 1, 1e-12);
  EXPECT_EQ(fourth.n_candidate, 50U);
}

TEST(MachineCombinationTest, AnotherComparisonIsRefusedByWhatDiffers) {
  const struct {
    std::string what;
    std::function<void(MachineSession&)> change;
  } cases[] = {
      {"candidate", [](MachineSession& s) { s.gates[0].candidate = "other"; }},
      {"metric", [](MachineSession& s) { s.gates[0].metric = "cpu_time"; }},
      {"margin", [](MachineSession& s) { s.gates[0].margin = 0.05; }},
      {"margin kind", [](MachineSession& s) { s.gates[0].margin_kind = MarginKind::kAbsolute; }},
      {"unit", [](MachineSession& s) { s.gates[0].unit = "B"; }},
      {"direction", [](MachineSession& s) { s.gates[0].better = Better::kHigher; }},
      {"confidence", [](MachineSession& s) { s.gates[0].confidence = 0.95; }},
      {"estimator", [](MachineSession& s) { s.gates[0].estimator.kind = EstimatorKind::kMedian; }},
      {"sided", [](MachineSession& s) { s.sided = Sided::kOne; }},
      {"benchmark",
       [](MachineSession& s) { s.gates.push_back(s.gates[0]), s.gates[1].benchmark = "b"; }},
      {"commit",
       [](MachineSession& s) {
         s.commits[{"main", "base"}] = "cafe";
       }},
  };
  for (const auto& one : cases) {
    std::vector<MachineSession> sessions = Sessions({0, 0, 0, 0});
    sessions[0].commits[{"main", "base"}] = sessions[1].commits[{"main", "base"}] = "beef";
    sessions[2].commits = sessions[3].commits = sessions[0].commits;
    one.change(sessions[1]);
    const auto combined = CombineMachines(sessions, {});
    ASSERT_FALSE(combined) << one.what;
    EXPECT_EQ(combined.error().code, ErrorCode::kInvalidArgument) << one.what;
    EXPECT_TRUE(combined.error().message.starts_with("node2.json: ")) << combined.error().message;
    EXPECT_WORDING("another " + one.what + " => " + combined.error().message);
  }
}

TEST(MachineCombinationTest, TellsWhatIsOddAndCountsItAllTheSame) {
  std::vector<MachineSession> sessions = Sessions({0.001, 0.002, 0.0015, 0.0005, 0.2});
  sessions[1].started_at += std::chrono::hours(2);
  for (auto figure : {&Comparison::mean_reference, &Comparison::mean_candidate}) {
    *(sessions[2].gates[0].*figure) /= 2;
  }
  sessions[3].gates[0].method = Method::kPaired;
  sessions[3].gates[0].decided = Decision{8, {}, {}};
  const MachineCombination combined = Combined(sessions);
  EXPECT_EQ(combined.machines.size(), 5U);
  EXPECT_EQ(combined.gates.front().outliers, std::vector<std::size_t>{4});
  for (const char* code : {"machine_differs", "machine_speed", "measured_apart", "stopped_early"}) {
    EXPECT_TRUE(Warns(combined, code)) << code;
  }
}

TEST(MachineCombinationTest, RatesAndDifferencesKeepTheirSign) {
  std::vector<MachineSession> rates = Sessions({-0.1, -0.11, -0.09, -0.1});
  for (MachineSession& session : rates) session.gates[0].better = Better::kHigher;
  const MachineCombination slower = Combined(rates);
  EXPECT_EQ(slower.verdict, Verdict::kRegression);
  EXPECT_LT(*slower.gates.front().comparison.change->hi, -0.02);
  std::vector<MachineSession> apart = Sessions({0.1, 0.11, 0.09, 0.1});
  for (MachineSession& session : apart) {
    session.gates[0].margin_kind = MarginKind::kAbsolute;
    session.gates[0].margin = 0.0001;
  }
  const MachineCombination later = Combined(apart);
  EXPECT_EQ(later.verdict, Verdict::kRegression);
  EXPECT_NEAR(later.gates.front().comparison.difference->estimate, 0.001, 1e-9);
}

TEST(MachineCombinationTest, OneSidedLevelsAreEachBounds) {
  std::vector<MachineSession> sessions = Sessions({0.01, 0.012, 0.011, 0.013});
  const Effect two = *Combined(sessions).gates.front().comparison.change;
  for (MachineSession& session : sessions) session.sided = Sided::kOne;
  const Effect one = *Combined(sessions).gates.front().comparison.change;
  EXPECT_LT(*one.hi, *two.hi);
  EXPECT_GT(*one.lo, *two.lo);
}

}  // namespace
}  // namespace benchd
