// The output of `benchctl combine`.
#include "client/present/combination.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/session/session_export.h"
#include "core/model/verdict_reason.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

constexpr Style kCombinationPlain{false, true, 0};
constexpr char kCombinationMachine[] = "0123456789abcdef0123456789abcdef";

MachineSession ReadSample() {
  const auto read = ReadSessionExport(SampleExport(kCombinationMachine), ExportedRuns::kSkip);
  EXPECT_TRUE(read) << read.error().message;
  auto session = MachineSessionOf(read->session, "node.json");
  EXPECT_TRUE(session) << session.error().message;
  return *session;
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
  for (const char* expected : {"node1.json", "node4.json", "a1234567", "4 machines"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  }
  const std::string spread = SpreadSentence(combined->gates.front(), kCombinationPlain);
  EXPECT_NE(text.find("\n" + spread + "\n"), std::string::npos) << text;
  EXPECT_WORDING(spread);
  const std::string verdict = LineWith(text, "REGRESSION: ");
  EXPECT_TRUE(text.ends_with("\n" + verdict + "\n")) << text;
  EXPECT_WORDING(verdict);
  const auto three = CombineMachines(OnMachines(3), {});
  ASSERT_TRUE(three) << three.error().message;
  EXPECT_WORDING(LineWith(RenderCombination(*three, {}, kCombinationPlain), "UNDECIDED: "));
  const auto missing = CombineMachines(OnMachines(4), 6);
  ASSERT_TRUE(missing) << missing.error().message;
  EXPECT_WORDING(LineWith(RenderCombination(*missing, 6, kCombinationPlain), "UNDECIDED: "));
}

TEST(CombinationRenderTest, NamesWhoRefusedAGate) {
  std::vector<MachineSession> sessions = OnMachines(4);
  for (const std::size_t i : {1U, 3U}) {
    sessions[i].gates[0].verdict = Verdict::kUndecided;
    sessions[i].warnings = {MakeWarning("resolution", "too coarse", sessions[i].gates[0].benchmark,
                                        sessions[i].gates[0].candidate)};
  }
  const auto combined = CombineMachines(sessions, {});
  ASSERT_TRUE(combined) << combined.error().message;
  const std::string text = RenderCombination(*combined, {}, kCombinationPlain);
  EXPECT_WORDING(LineWith(text, "UNDECIDED: "));
  EXPECT_NE(text.find("node2.json: too coarse"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(CombinationJson(*combined, {}));
  EXPECT_EQ(json["verdict"], "undecided");
  EXPECT_EQ(json["comparisons"][0]["refused_by"],
            nlohmann::json::parse(R"(["node2.json", "node4.json"])"));
}

TEST(CombinationRenderTest, NamesWhereARegressionWasFoundWithoutAnInterval) {
  std::vector<MachineSession> sessions = OnMachines(5);
  for (const std::size_t i : {1U, 3U, 4U}) {
    sessions[i].gates[0].change.reset();
    sessions[i].gates[0].difference.reset();
    sessions[i].gates[0].verdict = Verdict::kRegression;
    sessions[i].gates[0].reason = i == 4 ? "failed_in_candidate" : "missing_in_candidate";
  }
  const auto combined = CombineMachines(sessions, {});
  ASSERT_TRUE(combined) << combined.error().message;
  const std::string text = RenderCombination(*combined, {}, kCombinationPlain);
  EXPECT_WORDING(LineWith(text, "REGRESSION: "));
  const std::string row = LineWith(text, "node2.json");
  const auto words = std::string(FindVerdictReason("missing_in_candidate")->words);
  EXPECT_TRUE(row.ends_with(words)) << text;
  const auto json = nlohmann::json::parse(CombinationJson(*combined, {}));
  EXPECT_EQ(json["verdict"], "regression");
  const auto& gate = json["comparisons"][0];
  EXPECT_EQ(gate["reason"], "missing_in_candidate");
  EXPECT_EQ(gate["regressed_in"][2]["export"], "node5.json");
  EXPECT_EQ(gate["regressed_in"][2]["reason"], "failed_in_candidate");
  EXPECT_EQ(gate["of_machine"][1]["reason"], "missing_in_candidate");
  EXPECT_FALSE(gate["of_machine"][1].contains("change"));
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
