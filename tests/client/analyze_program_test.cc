// `benchctl analyze` as a process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/client/analysis_samples.h"
#include "tests/client/program.h"

namespace benchd::client {
namespace {

class AnalyzeTest : public ProgramTest {
 protected:
  AnalyzeTest() { daemon_->SetAnalysis(DecidedAnalysis()); }

  // A table in a file; what stands in it matters only to the real daemon.
  std::string Table(std::size_t bytes = 100) {
    const std::string path = dir_ / "table.csv";
    std::ofstream file(path, std::ios::binary);
    for (std::size_t i = 0; i < bytes; ++i) file.put(static_cast<char>('a' + i % 23));
    return path;
  }

  Ended Analyze(std::vector<std::string> words) {
    words.insert(words.begin(), "analyze");
    return Run(words);
  }

  static v1::AnalyzeResponse With(v1::Verdict verdict) {
    v1::AnalyzeResponse response = DecidedAnalysis();
    response.mutable_verdict()->set_verdict(verdict);
    return response;
  }
};

TEST_F(AnalyzeTest, SendsTheTableInChunksAndPrintsTheAnswer) {
  constexpr std::size_t kBytes = 300'000;
  const std::string path = Table(kBytes);
  const Ended ended = Analyze({path});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_NE(ended.out.find("regression: candidate is 10.2 % slower than base"), std::string::npos);
  EXPECT_TRUE(ended.out.ends_with("\ndecided at 12 pairs\n")) << ended.out;
  std::ifstream file(path, std::ios::binary);
  const std::string table(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(daemon_->analyzed_table() == table, true) << "another table arrived";
  EXPECT_EQ(daemon_->largest_chunk(), 64U * 1024);
}

TEST_F(AnalyzeTest, SendsItsOptions) {
  EXPECT_EQ(Analyze({"--base", "a, b", Table(), "--column", "x:lower,step=0.5", "--metric", "x:3%",
                     "--interval", "classic", "--stars", "mmtests", "--histogram", "--confidence",
                     "99.9%"})
                .exit_code,
            1);
  v1::AnalyzeOptions options = daemon_->analyze_options();
  ASSERT_EQ(options.references_size(), 1);
  EXPECT_EQ(options.references(0), "a, b") << "a name whole";
  ASSERT_EQ(options.columns_size(), 1);
  EXPECT_EQ(options.columns(0).resolution(), 0.5);
  EXPECT_TRUE(options.classic_interval());
  EXPECT_TRUE(options.summaries());
  EXPECT_TRUE(options.mmtests_stars());
  EXPECT_TRUE(options.histograms());
  EXPECT_EQ(options.spec().alpha(), 0.001);
  EXPECT_EQ(options.spec().benchmarks(0).gates(0).metric(), "x");
  EXPECT_EQ(options.spec().method(), v1::METHOD_UNSPECIFIED) << "it follows from the table";

  EXPECT_EQ(Analyze({"--references", "a,b c", "--stars", "welch", Table()}).exit_code, 1);
  options = daemon_->analyze_options();
  ASSERT_EQ(options.references_size(), 2);
  EXPECT_EQ(options.references(1), "b c");
  EXPECT_TRUE(options.summaries());
  EXPECT_FALSE(options.mmtests_stars());
  EXPECT_FALSE(options.histograms());
}

TEST_F(AnalyzeTest, TheExitCodeIsTheVerdict) {
  for (const auto& [verdict, code] : std::map<v1::Verdict, int>{
           {v1::VERDICT_PASS, 0}, {v1::VERDICT_REGRESSION, 1}, {v1::VERDICT_UNDECIDED, 3}}) {
    daemon_->SetAnalysis(With(verdict));
    EXPECT_EQ(Analyze({Table()}).exit_code, code);
  }
}

TEST_F(AnalyzeTest, WithoutAGateItSaysWhatToAdd) {
  v1::AnalyzeResponse response = With(v1::VERDICT_UNSPECIFIED);
  response.clear_decided_at();
  for (v1::Comparison& c : *response.mutable_verdict()->mutable_comparisons()) {
    c.set_role(v1::COMPARISON_ROLE_INFO);
    c.clear_verdict();
  }
  daemon_->SetAnalysis(response);
  const Ended ended = Analyze({Table()});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "benchctl: no metric gates: add --metric NAME:lower or NAME:higher\n");
  EXPECT_NE(ended.out.find("cpu_time"), std::string::npos) << ended.out;
}

TEST_F(AnalyzeTest, JsonIsOneLine) {
  const Ended ended = Analyze({"--json", Table()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "");
  ASSERT_EQ(std::ranges::count(ended.out, '\n'), 1) << ended.out;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["event"], "verdict");
  EXPECT_EQ(json["decided_at"], 12);
  EXPECT_FALSE(json.contains("session"));
}

TEST_F(AnalyzeTest, AnErrorInTheTableEndsTheUploadAndNamesItsPlace) {
  daemon_->RefuseAnalysis({grpc::StatusCode::INVALID_ARGUMENT,
                           "line 3, column 5: 'fast' is not a number", "write a number"},
                          100'000);
  const Ended ended = Analyze({"/dev/zero"});  // it would never end by itself
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err,
            "error: /dev/zero: line 3, column 5: 'fast' is not a number\nhint: write a number\n");
}

TEST_F(AnalyzeTest, AnErrorThatIsNotTheTablesDoesNotNameIt) {
  daemon_->RefuseAnalysis({grpc::StatusCode::INVALID_ARGUMENT, "alpha: must lie between 0 and 1"},
                          0);
  EXPECT_EQ(Analyze({Table()}).err, "error: alpha: must lie between 0 and 1\n");
}

TEST_F(AnalyzeTest, ReadsStdin) {
  stdin_ = Table();
  EXPECT_EQ(Analyze({"-"}).exit_code, 1);
  EXPECT_EQ(daemon_->analyzed_table().size(), 100U);
  daemon_->RefuseAnalysis({grpc::StatusCode::INVALID_ARGUMENT, "line 1, column 1: no rows"}, 0);
  EXPECT_EQ(Analyze({"-"}).err, "error: stdin: line 1, column 1: no rows\n");
}

TEST_F(AnalyzeTest, ATerminalIsNoTable) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  stdin_ = ptsname(terminal);
  const Ended ended = Analyze({"-"});
  close(terminal);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(ended.err.starts_with("error: -: stdin is a terminal: there is no table to read\n"))
      << ended.err;
}

TEST_F(AnalyzeTest, SaysThatASessionRuns) {
  daemon_->SetRunning("k3x9m2pq");
  const Ended ended = Analyze({Table()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "benchctl: session k3x9m2pq runs: the analysis waits for its end\n");
}

TEST_F(AnalyzeTest, WrongUseIsOneLineAndCode2) {
  const std::string table = Table();
  const std::vector<std::pair<std::vector<std::string>, std::string>> uses = {
      {{}, "analyze: no table: a file is missing"},
      {{table, "x.csv"}, "x.csv: one table at a time"},
      {{dir_ / "none.csv"}, (dir_ / "none.csv") + ": No such file or directory"},
      {{dir_.path()}, dir_.path() + ": Is a directory"},
      {{table, "--base", "a", "--references", "b"}, "--references: --base says the same already"},
      {{table, "--base", ""}, "--base : a name is empty"},
      {{table, "--references", "a,"}, "--references a,: a name is empty"},
      {{table, "--interval", "fieller"}, "--interval fieller: unknown value"},
      {{table, "--stars", "many"}, "--stars many: unknown value"},
      {{table, "--column", "x"}, "--column x: a name and what its values are is expected"},
      {{table, "--column", "x:fast"},
       "--column x:fast: a name and what its values are is expected"},
      {{table, "--column", "x:lower,fast"},
       "--column x:lower,fast: fast: it says nothing about a column"},
      {{table, "--column", "x:lower", "--column", "x:unit=s"},
       "--column x:unit=s: the column is described already"},
      {{table, "--margin", "0"}, "--margin 0: a margin must be above zero"},
      {{table, "--confidence", "100%"},
       "--confidence 100%: it must lie between 0 and 100 %, both excluded"},
      {{table, "--method", "t"}, "--method t: unknown value"},
      {{table, "--metric", ":2%"}, "--metric :2%: the metric has no name"},
      {{table, "--seed", "-1"}, "--seed -1: not a whole number from 0 on"},
  };
  for (const auto& [words, message] : uses) {
    const Ended ended = Analyze(words);
    EXPECT_EQ(ended.exit_code, 2) << message;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.err.substr(0, ended.err.find('\n')), "error: " + message);
    EXPECT_LE(std::ranges::count(ended.err, '\n'), 2) << ended.err;
  }
}

TEST_F(AnalyzeTest, WhatOnlyMeasuringHasIsUnknown) {
  for (const char* option : {"--runs", "--max-time", "--timeout", "--warmup", "--fail-fast",
                             "--shell", "--setup", "--env", "--parse", "--cpus", "--isolation",
                             "--priority", "--label", "--detach", "--name", "--reference"}) {
    const Ended ended = Analyze({Table(), option, "1"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_TRUE(ended.err.starts_with("error: " + std::string(option) + ": unknown option\n"))
        << ended.err;
  }
}

}  // namespace
}  // namespace benchd::client
