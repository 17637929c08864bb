// The output of `benchctl combine`.
#include "client/present/combination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/session/session_export.h"
#include "tests/client/samples.h"

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
  EXPECT_NE(text.find("UNDECIDED: not judged by node2.json and node4.json"), std::string::npos)
      << text;
  EXPECT_NE(text.find("warning: node2.json: too coarse"), std::string::npos) << text;
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
  std::string line = text.substr(text.find("\nREGRESSION: ") + 1);
  std::ranges::replace(line, '\n', ' ');
  for (const char* expected :
       {"in node2.json (machine b1234567) and node4.json (machine d1234567): wall_time is "
        "missing in candidate, but not in base",
        "; in node5.json (machine e1234567): runs of candidate failed, but no run of base did"}) {
    EXPECT_NE(line.find(expected), std::string::npos) << expected << "\n" << text;
  }
  EXPECT_NE(text.find("missing in candidate\n"), std::string::npos) << text;
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
