// Runs `benchctl explain` and `compare --explain` against a daemon that plays back events.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "client/present/text.h"
#include "tests/client/explanation_samples.h"
#include "tests/client/program.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

v1::SessionEvent VerdictOf(const v1::Update& update) {
  return Event([&update](v1::SessionEvent& e) { *e.mutable_verdict() = update; });
}

class ExplainProgramTest : public ProgramTest {
 protected:
  ExplainProgramTest() { daemon_->SetSampledScript({VerdictOf(SampledSession().report())}); }

  // SampleSession() as the daemon returns it to its caller, with folders that exist.
  v1::Session Comparison() const {
    v1::Session session = SampleSession();
    session.set_uid(geteuid());
    for (v1::Arm& arm : *session.mutable_spec()->mutable_benchmarks(0)->mutable_arms()) {
      arm.set_cwd(dir_ / "");
      arm.clear_env();
    }
    return session;
  }

  v1::Session Sampled() const {
    v1::Session session = SampledSession();
    session.set_uid(geteuid());
    return session;
  }

  std::string TextOf(const std::string& path) const {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

TEST_F(ExplainProgramTest, TheNewestComparisonRunsAgainSampled) {
  daemon_->AddSession(Sampled());
  daemon_->AddSession(Comparison());
  const Ended ended = Run({"explain", "--runs", "23"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_WORDING(ended.err);
  EXPECT_EQ(Lines(ended.out).front().substr(0, 24), "candidate takes 93 ms (8");
  EXPECT_WORDING(Lines(ended.out).back());
  const v1::SessionSpec spec = daemon_->last_submit().spec();
  EXPECT_EQ(spec.profile().explains(), "k3x9m2pq");
  EXPECT_EQ(spec.profile().frequency_hz(), 1000U);
  EXPECT_EQ(spec.limits().runs(), 23U);
  EXPECT_EQ(spec.limits().max_time_seconds(), 600);
  EXPECT_EQ(spec.environment().at("PATH"), "/usr/bin:/bin") << "that of the caller";
  EXPECT_TRUE(daemon_->last_submit().follows());
}

TEST_F(ExplainProgramTest, AnExplanationIsShownAgain) {
  daemon_->AddSession(Sampled());
  daemon_->AddSession(Comparison());
  const Ended ended = Run({"explain", "q4"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(daemon_->request_ids().empty()) << "nothing runs";
  EXPECT_NE(ended.out.find("parse_line"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("session k3x9m2pq measured"), std::string::npos) << ended.out;
  const Ended json = Run({"explain", "--json", "q4"});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out)["event"], "verdict");
  EXPECT_EQ(nlohmann::json::parse(json.out)["explanations"].size(), 1U);
}

TEST_F(ExplainProgramTest, DrawsAFlameGraph) {
  daemon_->AddSession(Sampled());
  const std::string path = dir_ / "flame.svg";
  const Ended ended = Run({"explain", "--svg", path, "q4"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(TextOf(path).find("parse_line(char const*)"), std::string::npos);
  const Ended nowhere = Run({"explain", "--svg", dir_ / "none/flame.svg", "q4"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_EQ(Run({"explain", "--svg", path, "--detach"}).exit_code, 2);
}

TEST_F(ExplainProgramTest, ItMayDetach) {
  daemon_->AddSession(Comparison());
  const Ended ended = Run({"explain", "--detach", "--frequency", "4000", "--call-graph", "dwarf",
                           "--max-time", "1m", "k3"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out, "k3x9m2pq\n");
  const v1::SessionSpec spec = daemon_->last_submit().spec();
  EXPECT_EQ(spec.profile().frequency_hz(), 4000U);
  EXPECT_EQ(spec.profile().call_graph(), v1::CALL_GRAPH_DWARF);
  EXPECT_EQ(spec.limits().max_time_seconds(), 60);
  EXPECT_FALSE(daemon_->last_submit().follows());
}

TEST_F(ExplainProgramTest, TellsWhatCannotBeExplained) {
  const Ended none = Run({"explain"});
  EXPECT_EQ(none.exit_code, 2) << none.out;
  EXPECT_WORDING(none.err);
  daemon_->AddSession(SampleSession());  // an arm has variables
  const Ended variables = Run({"explain", "k3"});
  EXPECT_EQ(variables.exit_code, 2) << variables.out;
  EXPECT_WORDING(variables.err);
  for (const char* hz : {"9", "20001", "fast"}) {
    const Ended ended = Run({"explain", "--frequency", hz, "k3"});
    EXPECT_EQ(ended.exit_code, 2) << hz;
    EXPECT_WORDING(ended.err);
  }
}

TEST_F(ExplainProgramTest, AComparisonIsExplainedAtOnce) {
  daemon_->SetScript({VerdictOf(RegressionUpdate())});
  const Ended ended =
      Run({"compare", "--explain", "--max-time", "60s", "--env", "candidate:MODE=fast", "a", "b"});
  EXPECT_EQ(ended.exit_code, 1) << "that of the verdict: " << ended.err;
  EXPECT_NE(ended.out.find("REGRESSION: "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("\n\ncandidate takes 93 ms"), std::string::npos) << ended.out;
  const v1::SessionSpec spec = daemon_->last_submit().spec();
  EXPECT_EQ(spec.profile().explains(), "k3x9m2pq");
  EXPECT_EQ(spec.limits().max_time_seconds(), 60 - 14.25) << "what is left";
  EXPECT_GT(spec.limits().runs(), 1U);
  EXPECT_EQ(spec.benchmarks(0).arms(1).env().at("MODE"), "fast");
  EXPECT_EQ(spec.environment().at("PATH"), "/usr/bin:/bin");
}

TEST_F(ExplainProgramTest, WithoutAChangeNothingIsExplained) {
  v1::Update pass = RegressionUpdate();
  pass.set_verdict(v1::VERDICT_PASS);
  pass.mutable_comparisons(0)->set_verdict(v1::VERDICT_PASS);
  daemon_->SetScript({VerdictOf(pass)});
  EXPECT_EQ(Run({"compare", "--explain", "a", "b"}).exit_code, 0);
  EXPECT_EQ(daemon_->request_ids().size(), 1U);
  pass.mutable_comparisons(0)->set_flag(v1::FLAG_IMPROVEMENT);
  daemon_->SetScript({VerdictOf(pass)});
  EXPECT_EQ(Run({"compare", "--explain", "a", "b"}).exit_code, 0);
  EXPECT_EQ(daemon_->request_ids().size(), 3U) << "an improvement is explained, too";
}

TEST_F(ExplainProgramTest, AFailedExplanationKeepsTheVerdict) {
  daemon_->SetScript({VerdictOf(RegressionUpdate())});
  daemon_->SetSampledScript({Event([](v1::SessionEvent& e) {
    e.mutable_failed()->set_error("perf_event_open: permission denied");
    e.mutable_failed()->set_hint("set kernel.perf_event_paranoid to 2");
  })});
  const Ended ended = Run({"compare", "--explain", "a", "b"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("perf_event_open"), std::string::npos) << ended.err;
  EXPECT_NE(ended.out.find("REGRESSION: "), std::string::npos);
}

TEST_F(ExplainProgramTest, JsonHasASecondVerdictLine) {
  daemon_->SetScript({VerdictOf(RegressionUpdate())});
  const Ended ended = Run({"compare", "--json", "--explain", "a", "b"});
  EXPECT_EQ(ended.exit_code, 1);
  const std::vector<std::string> lines = Lines(ended.out);
  ASSERT_EQ(lines.size(), 2U) << ended.out;
  EXPECT_FALSE(nlohmann::json::parse(lines[0]).contains("explanations"));
  EXPECT_EQ(nlohmann::json::parse(lines[1])["explanations"].size(), 1U);
}

TEST_F(ExplainProgramTest, ExplainNeedsTheVerdictOnThisMachine) {
  const Ended detached = Run({"compare", "--explain", "--detach", "a", "b"});
  EXPECT_EQ(detached.exit_code, 2);
  EXPECT_WORDING(detached.err);
  const Ended pool = Run({"compare", "--explain", "--pool", "slurm", "a", "b"});
  EXPECT_EQ(pool.exit_code, 2);
  EXPECT_WORDING(pool.err);
}

TEST_F(ExplainProgramTest, OnlySampledSessionsHaveStacks) {
  daemon_->AddSession(Sampled());
  const Ended folded = Run({"export", "--format", "folded", "q4"});
  EXPECT_EQ(folded.exit_code, 0) << folded.err;
  EXPECT_TRUE(folded.out.starts_with("base;main 800\n")) << folded.out;
  const Ended none = Run({"export", "--format", "folded", "k3"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_WORDING(none.err);
}

}  // namespace
}  // namespace benchd::client
