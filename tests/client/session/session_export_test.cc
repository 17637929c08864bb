#include "client/session/session_export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "client/present/json.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

constexpr char kMachine[] = "0123456789abcdef0123456789abcdef";

Result<MachineSession> ReadMachine(const std::string& text) {
  const auto read = ReadSessionExport(text, ExportedRuns::kSkip);
  if (!read) return read.error();
  return MachineSessionOf(read->session, "node.json");
}

TEST(SessionExportTest, ReadsTheGatesThatExportWrites) {
  const auto read = ReadMachine(SampleExport(kMachine));
  ASSERT_TRUE(read) << read.error().message;
  const MachineSession& session = *read;
  const v1::Update update = RegressionUpdate();
  EXPECT_EQ(session.source, "node.json");
  EXPECT_EQ(session.session, SampleSession().session());
  EXPECT_EQ(session.machine, kMachine);
  ASSERT_EQ(session.gates.size(), 1U);
  const v1::Comparison& gate = update.comparisons(0);
  EXPECT_EQ(session.gates[0].metric, gate.metric());
  EXPECT_EQ(session.gates[0].margin, gate.margin_ratio());
  EXPECT_EQ(session.gates[0].change->estimate, gate.change().estimate());
  EXPECT_EQ(session.gates[0].n_candidate, gate.n_candidate());
  EXPECT_EQ(session.gates[0].confidence, gate.confidence());
}

TEST(SessionExportTest, TheLastLookHasAnObjectOfItsOwn) {
  v1::Session session = SampleSession();
  v1::Comparison* const gate = session.mutable_report()->mutable_comparisons(0);
  gate->mutable_last_change()->set_estimate(0.102);
  gate->mutable_last_change()->set_hi(0.5);
  const auto json = nlohmann::json::parse(ExportJson(session, {}));
  const auto& written = json["result"]["report"]["comparisons"][0];
  EXPECT_EQ(written["last"],
            nlohmann::json::parse(R"({"change": {"estimate": 0.102, "hi": 0.5}})"));
  EXPECT_FALSE(written.contains("last_change"));
}

TEST(SessionExportTest, TheSessionsOwnWarningsComeAlong) {
  auto json = nlohmann::json::parse(SampleExport(kMachine));
  // An older export lacks the severity.
  json["result"]["report"]["warnings"] = nlohmann::json::parse(
      R"([{"code": "resolution", "message": "too coarse", "benchmark": "main", "arm": "candidate"}])");
  const auto session = ReadMachine(json.dump());
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_EQ(session->warnings.size(), 1U);
  EXPECT_EQ(session->warnings[0].severity, Severity::kInvalidates);
}

// A gate without an estimate has a reason instead of an interval.
TEST(SessionExportTest, AGateThatNobodyCouldEstimateIsReadWithItsReason) {
  auto json = nlohmann::json::parse(SampleExport(kMachine));
  auto& gate = json["result"]["report"]["comparisons"][0];
  for (const char* figure : {"change", "difference", "mean_candidate", "sd_candidate", "decided"}) {
    gate.erase(figure);
  }
  gate["reason"] = "missing_in_candidate";
  const auto session = ReadMachine(json.dump());
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_EQ(session->gates.size(), 1U);
  EXPECT_EQ(session->gates[0].verdict, Verdict::kRegression);
  EXPECT_EQ(session->gates[0].reason, "missing_in_candidate");
  EXPECT_FALSE(session->gates[0].change);
}

// The session has a verdict, so it must not be skipped.
TEST(SessionExportTest, ASessionThatIsDoneAndWhoseGatesCannotBeReadIsAMistake) {
  for (const char* field : {"margin", "better", "confidence"}) {
    auto json = nlohmann::json::parse(SampleExport(kMachine));
    json["result"]["report"]["comparisons"][0].erase(field);
    const auto session = ReadMachine(json.dump());
    ASSERT_FALSE(session) << field;
    EXPECT_EQ(session.error().code, ErrorCode::kInvalidArgument) << session.error().message;
  }
  auto json = nlohmann::json::parse(SampleExport(kMachine));
  json["result"]["report"]["comparisons"][0]["role"] = "info";
  const auto session = ReadMachine(json.dump());
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(session.error());
}

TEST(SessionExportTest, AMarginMayBeNegativeIfTheMetricCanImproveByThat) {
  const auto read = [](double margin, const char* better, const char* kind) {
    auto json = nlohmann::json::parse(SampleExport(kMachine));
    auto& gate = json["result"]["report"]["comparisons"][0];
    gate["margin"] = margin;
    gate["better"] = better;
    gate["margin_kind"] = kind;
    const auto session = ReadMachine(json.dump());
    return session && session->gates[0].margin == margin;
  };
  EXPECT_TRUE(read(-0.05, "lower", "ratio"));
  EXPECT_TRUE(read(-3, "higher", "ratio"));
  EXPECT_TRUE(read(-3, "lower", "absolute"));
  EXPECT_FALSE(read(-1, "lower", "ratio")) << "nothing is lower by 100 %";
  EXPECT_FALSE(read(1, "higher", "ratio"));
}

TEST(SessionExportTest, WhatWasCutOffAnywhereDoesNotCount) {
  const std::string text = SampleExport(kMachine);
  std::set<std::string> said;
  for (std::size_t length = 0; length + 1 < text.size(); length += 1 + text.size() / 50) {
    const auto session = ReadSessionExport(text.substr(0, length), ExportedRuns::kRead);
    ASSERT_FALSE(session) << length;
    EXPECT_EQ(session.error().code, ErrorCode::kFailedPrecondition) << length;
    said.insert(session.error().message);
  }
  ASSERT_EQ(said.size(), 1U);
  EXPECT_WORDING(*said.begin());
}

TEST(SessionExportTest, TellsWhatIsNoExportFromASessionWithoutAResult) {
  for (const char* text : {"arm,t\nbase,1\n", "[]", "{}", "null", "{\"session\":\"x\"}"}) {
    const auto session = ReadMachine(text);
    ASSERT_FALSE(session) << text;
    EXPECT_EQ(session.error().code, ErrorCode::kInvalidArgument) << text;
  }
  auto json = nlohmann::json::parse(SampleExport(kMachine));
  json["result"]["state"] = "failed";
  const auto failed = ReadMachine(json.dump());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kFailedPrecondition);
  const auto unnamed = ReadMachine(SampleExport(""));
  ASSERT_FALSE(unnamed);
  EXPECT_NE(unnamed.error().message.find("machine"), std::string::npos);
  EXPECT_WORDING(unnamed.error());
}

TEST(SessionExportTest, WhatIsReadIsWhatWasWritten) {
  v1::Session session = SampleSession();
  session.mutable_spec()->mutable_benchmarks(0)->mutable_gates(0)->set_absolute(0.5);
  session.mutable_spec()->mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_QUANTILE);
  session.mutable_spec()->mutable_estimator()->set_quantile(0.9);
  session.mutable_spec()->mutable_rule()->set_precision_width(0.01);
  v1::Comparison* const gate = session.mutable_report()->mutable_comparisons(0);
  gate->mutable_last_change()->set_estimate(0.102);
  gate->mutable_last_change()->set_lo(0.09);
  gate->mutable_last_difference()->set_estimate(0.001);
  gate->set_change_allowance(0.25);
  session.mutable_report()->mutable_runs(1)->set_retired_after(8);
  v1::ArmOrder* const order = session.mutable_report()->add_orders();
  order->set_benchmark("main");
  order->set_metric("wall_time");
  order->set_better(v1::BETTER_LOWER);
  order->set_confidence(0.99);
  order->add_groups()->add_arms("base");
  order->add_groups()->add_arms("candidate");
  v1::ArmFactor* const factor = order->add_factors();
  factor->set_arm("candidate");
  factor->mutable_factor()->set_estimate(1.1);
  factor->mutable_factor()->set_lo(1.05);
  // The current daemon sends the severity with every warning.
  session.mutable_report()->mutable_warnings(0)->set_severity(v1::SEVERITY_NOTE);
  const std::vector<v1::Run> runs = SampleRuns();
  const auto read = ReadSessionExport(ExportJson(session, runs), ExportedRuns::kRead);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->runs.size(), runs.size());
  EXPECT_EQ(read->session.report().DebugString(), session.report().DebugString());
  EXPECT_EQ(read->session.started().seed(), session.started().seed());
  // Only the names of environment variables are exported.
  session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(1)->clear_env();
  EXPECT_EQ(ExportJson(read->session, read->runs), ExportJson(session, runs));
}

TEST(SessionExportTest, AnExactGateIsReadAsItWasWritten) {
  v1::Session session = SampleSession();
  v1::Gate* const asked = session.mutable_spec()->mutable_benchmarks(0)->mutable_gates(0);
  asked->clear_ratio();
  asked->set_exact(true);
  v1::Comparison* const gate = session.mutable_report()->mutable_comparisons(0);
  gate->set_margin_absolute(1);
  gate->set_exact(true);
  gate->set_basis(v1::BASIS_EXACT);
  session.mutable_report()->mutable_warnings(0)->set_severity(v1::SEVERITY_NOTE);
  const std::string text = ExportJson(session, {});
  const auto json = nlohmann::json::parse(text);
  const auto& wanted = json["spec"]["benchmarks"][0]["gates"][0];
  EXPECT_EQ(wanted, nlohmann::json::parse(R"({"metric": "wall_time", "kind": "exact"})"));
  const auto& found = json["result"]["report"]["comparisons"][0];
  EXPECT_EQ(found["margin_kind"], "exact");
  EXPECT_EQ(found["margin"], 1);
  EXPECT_EQ(found["basis"], "exact");
  EXPECT_FALSE(found.contains("exact"));
  EXPECT_FALSE(json["result"]["report"]["comparisons"][1].contains("basis"));
  const auto read = ReadSessionExport(text, ExportedRuns::kRead);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->session.report().DebugString(), session.report().DebugString());
  EXPECT_EQ(read->session.spec().benchmarks(0).gates(0).DebugString(), asked->DebugString());
  const auto machine = ReadMachine(SampleExport(kMachine));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->gates[0].margin_kind, MarginKind::kRatio);
}

TEST(SessionExportTest, SuitesReadToo) {
  v1::Session session = SampleSession();
  *session.mutable_report() = SuiteUpdate();
  session.mutable_spec()->mutable_benchmarks(0)->set_name("parse");
  *session.mutable_spec()->add_benchmarks() = session.spec().benchmarks(0);
  session.mutable_spec()->mutable_benchmarks(1)->set_name("render a page");
  for (v1::Comparison& one : *session.mutable_report()->mutable_comparisons()) {
    one.clear_eta_seconds();  // not exported
    one.clear_forecast();
  }
  session.mutable_report()->clear_geometric_means();
  const auto read = ReadSessionExport(ExportJson(session, {}), ExportedRuns::kRead);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->session.report().DebugString(), session.report().DebugString());
}

TEST(SessionExportTest, OtherJsonIsRefusedByName) {
  for (const char* text :
       {"{}", R"({"session": "a", "spec": 1, "result": {}, "runs": []})",
        R"({"session": "a", "spec": {}, "result": {}, "runs": [1]})",
        R"({"session": "a", "spec": {"alpha": "x"}, "result": {}, "runs": []})"}) {
    ExpectRefused(text, ReadSessionExport(text, ExportedRuns::kRead));
  }
  EXPECT_TRUE(ReadSessionExport(
      R"({"session": "a", "spec": {"newer": []}, "result": {}, "runs": []})", ExportedRuns::kRead));
}

TEST(SessionExportTest, RunsMayBeLeftOut) {
  const std::string text = SampleExport(kMachine);
  const auto whole = ReadSessionExport(text, ExportedRuns::kRead);
  const auto read = ReadSessionExport(text, ExportedRuns::kSkip);
  ASSERT_TRUE(whole && read);
  EXPECT_EQ(whole->runs.size(), SampleRuns().size());
  EXPECT_TRUE(read->runs.empty());
  EXPECT_EQ(read->session.DebugString(), whole->session.DebugString());
  EXPECT_FALSE(read->session.report().runs().empty());
}

}  // namespace
}  // namespace benchd::client
