// `benchctl combine`: what it reads of an export, and what it prints.
#include "client/render/combination.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/render/json.h"
#include "client/session_export.h"
#include "tests/client/samples.h"

namespace benchd::client {
namespace {

constexpr Style kCombinationPlain{false, true, 0};
constexpr char kMachine[] = "0123456789abcdef0123456789abcdef";

/// The sample session as `export --format json` writes it, measured on that machine.
std::string ExportText(const std::string& machine) {
  v1::Session session = SampleSession();
  session.set_state(v1::SESSION_STATE_DONE);
  session.mutable_started_at()->set_seconds(1767323045);
  v1::EnvironmentFact* fact = session.mutable_started()->add_environment();
  fact->set_name("machine");
  fact->set_value(machine);
  return ExportJson(session, SampleRuns());
}

MachineSession ReadSample() {
  auto session = ReadSessionExport(ExportText(kMachine), "node.json");
  EXPECT_TRUE(session) << session.error().message;
  return session ? *session : MachineSession();
}

TEST(SessionExportTest, ReadsTheGatesThatExportWrites) {
  const MachineSession session = ReadSample();
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

TEST(SessionExportTest, WhatWasCutOffAnywhereDoesNotCount) {
  const std::string text = ExportText(kMachine);
  for (std::size_t length = 0; length + 1 < text.size(); length += 1 + text.size() / 50) {
    const auto session = ReadSessionExport(text.substr(0, length), "node.json");
    ASSERT_FALSE(session) << length;
    EXPECT_EQ(session.error().code, ErrorCode::kFailedPrecondition) << length;
    EXPECT_EQ(session.error().message, "node.json: cut off: not complete JSON");
  }
}

TEST(SessionExportTest, TellsWhatIsNoExportFromASessionWithoutAResult) {
  for (const char* text : {"arm,t\nbase,1\n", "[]", "{}", "null", "{\"session\":\"x\"}"}) {
    const auto session = ReadSessionExport(text, "node.json");
    ASSERT_FALSE(session) << text;
    EXPECT_EQ(session.error().code, ErrorCode::kInvalidArgument) << text;
  }
  auto json = nlohmann::json::parse(ExportText(kMachine));
  json["result"]["state"] = "failed";
  const auto failed = ReadSessionExport(json.dump(), "node.json");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kFailedPrecondition);
  const auto unnamed = ReadSessionExport(ExportText(""), "node.json");
  ASSERT_FALSE(unnamed);
  EXPECT_NE(unnamed.error().message.find("on which machine"), std::string::npos);
}

std::vector<MachineSession> OnMachines(std::size_t count) {
  std::vector<MachineSession> sessions;
  for (std::size_t i = 0; i < count; ++i) {
    MachineSession& session = sessions.emplace_back(ReadSample());
    session.source = "node" + std::to_string(i + 1) + ".json";
    session.session = "session" + std::to_string(i);
    session.machine[0] = static_cast<char>('a' + i);
  }
  return sessions;
}

TEST(CombinationRenderTest, HasARowForEachMachineAndTheVerdictLast) {
  const auto combined = CombineMachines(OnMachines(4), {});
  ASSERT_TRUE(combined) << combined.error().message;
  const std::string text = RenderCombination(*combined, {}, kCombinationPlain);
  for (const char* expected : {"node1.json", "node4.json", "a1234567", "4 machines",
                               "one more machine would find", "\nREGRESSION: candidate is"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  }
  const auto three = CombineMachines(OnMachines(3), {});
  ASSERT_TRUE(three) << three.error().message;
  EXPECT_NE(RenderCombination(*three, {}, kCombinationPlain)
                .find("UNDECIDED: 3 machines; a verdict needs 4"),
            std::string::npos);
  const auto missing = CombineMachines(OnMachines(4), 6);
  ASSERT_TRUE(missing) << missing.error().message;
  EXPECT_NE(RenderCombination(*missing, 6, kCombinationPlain).find("UNDECIDED: 4 of 6 machines"),
            std::string::npos);
}

TEST(CombinationJsonTest, CountsMachinesAndNotRuns) {
  const auto combined = CombineMachines(OnMachines(4), {});
  ASSERT_TRUE(combined) << combined.error().message;
  const auto json = nlohmann::json::parse(CombinationJson(*combined, {}));
  EXPECT_EQ(json["event"], "combined");
  EXPECT_EQ(json["comparisons"][0]["machines"], 4);
  EXPECT_FALSE(json["comparisons"][0].contains("n_reference"));
  EXPECT_EQ(json["comparisons"][0]["of_machine"].size(), 4U);
  EXPECT_EQ(json["machines"][0]["exports"][0], "node1.json");
}

}  // namespace
}  // namespace benchd::client
