// Runs `benchctl analyze` as a process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "client/present/text.h"
#include "tests/client/program.h"
#include "tests/client/refusals.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

// Pairs of a and b in a metric x, in which b is slower by that factor.
std::string Pairs(int count, double factor, std::string text = "arm,pair,x\n") {
  for (int i = 0; i < count; ++i) {
    const std::string pair = std::to_string(i);
    text += "a," + pair + "," + std::to_string(100 + i % 3) + "\n";
    text += "b," + pair + "," + std::to_string(factor * (100 + i % 2)) + "\n";
  }
  return text;
}

class AnalyzeTest : public ProgramTest {
 protected:
  std::string Table(const std::string& text = Pairs(12, 1.1)) {
    const std::string path = dir_ / "table.csv";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // `x` gates unless the arguments set other gates.
  Ended Analyze(std::vector<std::string> words) {
    words.insert(words.begin(), "analyze");
    return Run(words);
  }
  Ended Gate(std::vector<std::string> words) {
    words.insert(words.begin(), {"--base", "a", "--metric", "x:2%:lower"});
    return Analyze(words);
  }
};

TEST_F(AnalyzeTest, SaysWhatTheTableSays) {
  const Ended ended = Gate({Table()});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_NE(ended.out.find("REGRESSION: "), std::string::npos) << ended.out;
  EXPECT_TRUE(ended.out.ends_with(" 8 pairs\n")) << ended.out;
  EXPECT_WORDING(LineWith(ended.out, "REGRESSION: "));
  EXPECT_WORDING(Lines(ended.out).back());
}

TEST_F(AnalyzeTest, NeedsNoDaemon) {
  daemon_.reset();
  const Ended ended = Gate({Table()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "");
}

TEST_F(AnalyzeTest, WaitsForNoSession) {
  daemon_->SetRunning("k3x9m2pq");
  const Ended ended = Gate({Table()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "");
}

TEST_F(AnalyzeTest, ReadsATableOfManyPieces) {
  const std::string table = Table(Pairs(40'000, 1.1));
  const Ended ended = Gate({"--json", table});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["comparisons"][0]["n_candidate"], 40'000);
  EXPECT_EQ(json["decided_at"], 8);
}

TEST_F(AnalyzeTest, HearsItsOptions) {
  const std::string table = Table("arm,x\n\"a, b\",1\nc,2\n\"a, b\",1.5\nc,2.5\n");
  const Ended full =
      Analyze({"--json", "--base", "a, b", table, "--column", "x:lower,unit=ms,step=0.5",
               "--metric", "x:3%", "--interval", "classic", "--stars", "mmtests", "--histogram",
               "--confidence", "99.9%"});
  auto json = nlohmann::json::parse(full.out);
  EXPECT_EQ(json["comparisons"][0]["reference"], "a, b") << "a name whole";
  EXPECT_EQ(json["comparisons"][0]["unit"], "ms");
  EXPECT_EQ(json["comparisons"][0]["margin"], 0.03);
  EXPECT_EQ(json["comparisons"][0]["confidence"], 0.999);
  EXPECT_EQ(json["comparisons"][0]["method"], "fixed") << "it follows from the table";
  EXPECT_EQ(json["summaries"].size(), 2U);
  EXPECT_EQ(json["histograms"].size(), 2U);
  const Ended plain = Analyze({"--json", "--references", "a, b", table});
  EXPECT_EQ(plain.exit_code, 2) << "a list of names";
  const Ended bare = Analyze({"--json", "--references", "c", "--method", "welch", table});
  json = nlohmann::json::parse(bare.out);
  EXPECT_EQ(json["comparisons"][0]["reference"], "c");
  EXPECT_EQ(json["comparisons"][0]["method"], "welch");
  EXPECT_FALSE(json.contains("summaries"));
  EXPECT_FALSE(json.contains("histograms"));
}

TEST_F(AnalyzeTest, TheExitCodeIsTheVerdict) {
  EXPECT_EQ(Gate({Table(Pairs(40, 1.0))}).exit_code, 0);
  EXPECT_EQ(Gate({Table(Pairs(40, 1.1))}).exit_code, 1);
  EXPECT_EQ(Gate({Table(Pairs(4, 1.0))}).exit_code, 3);
}

TEST_F(AnalyzeTest, WithoutAGateItSaysWhatToAdd) {
  const Ended ended = Analyze({"--base", "a", Table()});
  EXPECT_EQ(ended.exit_code, 3) << "nothing was judged";
  EXPECT_WORDING(ended.err);
  EXPECT_NE(ended.out.find("differs"), std::string::npos) << ended.out;
}

TEST_F(AnalyzeTest, JsonIsOneLine) {
  const Ended ended = Gate({"--json", Table()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "");
  ASSERT_EQ(std::ranges::count(ended.out, '\n'), 1) << ended.out;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["event"], "verdict");
  EXPECT_FALSE(json.contains("session"));
}

TEST_F(AnalyzeTest, AnErrorInTheTableNamesItsPlace) {
  const Ended ended = Analyze({Table("arm,x\na,1\nb,2,3\n")});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with("error: " + (dir_ / "table.csv") + ": line 3, column 5: "))
      << ended.err;
  EXPECT_WORDING(ended.err, {{dir_.path(), "DIR"}});
}

TEST_F(AnalyzeTest, WhatNeverEndsIsReadUpToTheFirstMistake) {
  const Ended ended = Analyze({"/dev/zero"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(ended.err.starts_with("error: /dev/zero: line 1, column ")) << ended.err;
}

TEST_F(AnalyzeTest, AnErrorThatIsNotTheTablesDoesNotNameIt) {
  const Ended ended = Analyze({"--base", "a", "--metric", "y:lower", Table()});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err.find("table.csv"), std::string::npos) << ended.err;
}

TEST_F(AnalyzeTest, ReadsStdin) {
  stdin_ = Table();
  EXPECT_EQ(Gate({"-"}).exit_code, 1);
  stdin_ = Table("arm,x\n");
  const Ended ended = Gate({"-"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_WORDING(ended.err);
}

// The same numbers as from a file.
TEST_F(AnalyzeTest, ReadsAPipe) {
  const std::string text = Pairs(40'000, 1.1);
  const Ended from_file = Gate({Table(text)});
  stdin_ = dir_ / "pipe";
  ASSERT_EQ(mkfifo(stdin_.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(stdin_, std::ios::binary) << text; });
  const Ended from_pipe = Gate({"-"});
  writer.join();
  EXPECT_EQ(from_pipe.exit_code, 1) << from_pipe.err;
  EXPECT_EQ(from_pipe.out, from_file.out);
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
  EXPECT_WORDING(ended.err);
}

TEST_F(AnalyzeTest, WrongUseIsOneLineAndCode2) {
  const std::string table = Table();
  const std::vector<std::vector<std::string>> uses = {
      {},
      {table, "x.csv"},
      {dir_ / "none.csv"},
      {dir_.path()},
      {table, "--base", "a", "--references", "b"},
      {table, "--base", ""},
      {table, "--references", "a,"},
      {table, "--interval", "fieller"},
      {table, "--stars", "many"},
      {table, "--column", "x"},
      {table, "--column", "x:fast"},
      {table, "--column", "x:lower,fast"},
      {table, "--column", "x:lower", "--column", "x:unit=s"},
      {table, "--margin", "0"},
      {table, "--confidence", "100%"},
      {table, "--method", "t"},
      {table, "--metric", ":2%"},
      {table, "--seed", "-1"},
  };
  for (const std::vector<std::string>& words : uses) {
    const Ended ended = Analyze(words);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(ended.err.starts_with("error: ")) << ended.err;
    EXPECT_LE(std::ranges::count(ended.err, '\n'), 2) << ended.err;
    EXPECT_WORDING(ended.err, {{dir_.path(), "DIR"}});
  }
}

class AnalyzeHarnessTest : public AnalyzeTest {
 protected:
  std::string Go(const std::string& name, int nanoseconds) {
    std::string text;
    for (int i = 0; i < 6; ++i) {
      for (const char* benchmark : {"BenchmarkA", "BenchmarkB"}) {
        text += std::string(benchmark) + " 10 " + std::to_string(nanoseconds + i) + " ns/op\n";
      }
    }
    return dir_.Put(name, text);
  }
};

TEST_F(AnalyzeHarnessTest, TakesTheFirstFileForTheBase) {
  const Ended ended =
      Analyze({"--json", "--parse", "go", Go("old.txt", 1000), Go("new.txt", 1500)});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  const auto& gate = json["comparisons"][0];
  EXPECT_EQ(gate["reference"], "old");
  EXPECT_EQ(gate["candidate"], "new");
  EXPECT_EQ(gate["metric"], "sec/op");
  EXPECT_EQ(gate["method"], "fixed") << "one look";
  std::vector<std::string> codes;
  for (const auto& warning : json["warnings"]) codes.push_back(warning["code"]);
  EXPECT_EQ(std::ranges::count(codes, "not_interleaved"), 1);
  EXPECT_EQ(std::ranges::count(codes, "one_process"), 1);
  ASSERT_EQ(json["geometric_means"].size(), 1U);
  EXPECT_EQ(json["geometric_means"][0]["benchmarks"], 2);
  EXPECT_TRUE(json["geometric_means"][0]["change"].contains("lo"));
}

// hyperfine reports 0 s for an empty program. A difference then decides instead of a ratio.
TEST_F(AnalyzeHarnessTest, WhereNothingGatesItSaysWhatToName) {
  const auto file = [this](const std::string& name, const std::string& text) {
    return dir_.Put(name, text);
  };
  const std::string zeros =
      R"({"results": [{"command": "x", "user": 0, "system": 0, "times": [0, 0, 0, 0]}]})";
  const std::string build = R"({"X": {"my-measure": {"value": 5}}})";
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {"hyperfine", zeros, "--metric time:+ABS"},
      {"bmf", build, "--metric my-measure:lower or --metric my-measure:higher"},
      {"lines", "m 1\n", "--metric m:lower or --metric m:higher"}};
  for (const auto& [format, text, gate] : cases) {
    const Ended ended = Analyze({"--parse", format, file("o", text), file("n", text)});
    EXPECT_EQ(ended.exit_code, 3) << format << ended.out;
    EXPECT_NE(ended.err.find(gate), std::string::npos) << ended.err;
    EXPECT_WORDING(ended.err, {{dir_.path(), "DIR"}});
  }
}

TEST_F(AnalyzeHarnessTest, SaysThatTheRoundsAreMissing) {
  const std::string means = R"({"benchmarks": [{"fullname": "x", "stats": {"mean": 0.512345}}]})";
  const Ended ended =
      Analyze({"--parse", "pytest-benchmark", dir_.Put("o", means), dir_.Put("n", means)});
  EXPECT_EQ(ended.exit_code, 3) << ended.out;
  EXPECT_NE(ended.out.find("--benchmark-save-data"), std::string::npos) << ended.out;
}

TEST_F(AnalyzeHarnessTest, NamesTheHarnessWhoseRoundsAreMissing) {
  const std::string means = "test sum ... bench:         120 ns/iter (+/- 3)\n";
  const Ended ended = Analyze({"--parse", "libtest", dir_.Put("o", means), dir_.Put("n", means)});
  EXPECT_NE(ended.out.find("the files of libtest contain only the mean"), std::string::npos)
      << ended.out;
  EXPECT_EQ(ended.out.find("pytest"), std::string::npos) << ended.out;
}

TEST_F(AnalyzeHarnessTest, TheTableShowsWhichDirectionOfAGateIsGood) {
  const Ended ended =
      Analyze({"--parse", "lines", dir_.Put("o", "#! prefer=lower unit=s\nlag 5.1234\n"),
               dir_.Put("n", "#! prefer=lower unit=s\nlag 5.1234\n")});
  const bool arrow = ended.out.find("lag \u2193") != std::string::npos;
  EXPECT_TRUE(arrow || ended.out.find("lag (lower is better)") != std::string::npos) << ended.out;
}

TEST_F(AnalyzeHarnessTest, NamesAndFiltersAreItsOwn) {
  const std::string old_file = Go("a.txt", 1000);
  const std::string new_file = Go("b.txt", 1000);
  const Ended named = Analyze({"--json", "--parse", "go", "-n", "x", "-n", "x", "-n", "y", "-n",
                               "y", old_file, new_file, old_file, new_file, "--only", "*A"});
  const auto json = nlohmann::json::parse(named.out);
  EXPECT_EQ(json["runs"], (nlohmann::json{{"x", 2}, {"y", 2}})) << "a file is a process";
  EXPECT_FALSE(json.contains("geometric_means")) << "of one benchmark";
  const Ended same = Analyze({"--json", "--parse", "go", old_file, old_file});
  EXPECT_EQ(nlohmann::json::parse(same.out)["comparisons"][0]["candidate"], old_file + "-2");
  const std::vector<std::vector<std::string>> uses = {
      {"--parse", "go", old_file},
      {"--parse", "xml", old_file, new_file},
      {"--parse", "go", "-n", "x", old_file, new_file},
      {"--parse", "go", "--label", "a=b", old_file, new_file},
      {"--name", "x", Table()},
  };
  for (const std::vector<std::string>& words : uses) {
    const Ended ended = Analyze(words);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_WORDING(ended.err, {{dir_.path(), "DIR"}});
  }
}

TEST_F(AnalyzeTest, WritesItsResultForOtherPrograms) {
  const std::string place = dir_ / "line.json";
  const Ended ended =
      Gate({Table(), "--json", "--export-json", place, "--export-junit", dir_ / "cases.xml"});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  const auto written = nlohmann::json::parse(std::ifstream(place));
  EXPECT_EQ(written["comparisons"], nlohmann::json::parse(ended.out)["comparisons"]);
  EXPECT_TRUE(std::ifstream(dir_ / "cases.xml"));
}

TEST_F(AnalyzeHarnessTest, WritesItsValuesAsATableThatIsReadBack) {
  const std::string table = dir_ / "values.csv";
  const Ended first = Analyze(
      {"--json", "--parse", "go", Go("old.txt", 1000), Go("new.txt", 1500), "--export-csv", table});
  EXPECT_EQ(first.exit_code, 1) << first.err;
  std::string heading;
  std::string row;
  std::ifstream file(table);
  std::getline(std::getline(file, heading), row);
  EXPECT_EQ(heading, "arm,benchmark,sec/op");
  EXPECT_EQ(row, "old,BenchmarkA,1e-06");
  const Ended again = Analyze({"--json", "--base", "old", "--metric", "sec/op:lower", table});
  const auto changes = [](const Ended& ended) {
    std::vector<nlohmann::json> found;
    for (const auto& one : nlohmann::json::parse(ended.out)["comparisons"]) {
      found.push_back(one["change"]);
    }
    return found;
  };
  EXPECT_EQ(changes(again), changes(first));
  const Ended table_itself = Analyze({Table(), "--export-csv", dir_ / "again.csv"});
  EXPECT_EQ(table_itself.exit_code, 2);
  EXPECT_WORDING(table_itself.err, {{dir_.path(), "DIR"}});
}

TEST_F(AnalyzeTest, TakesTheRowsOfALabel) {
  const std::string table = Table("arm,host,x\na,one,1\nb,one,2\na,two,5\na,one,1.1\nb,one,2.1\n");
  const Ended ended = Analyze({"--json", "--base", "a", "--label", "host=one", table});
  EXPECT_EQ(nlohmann::json::parse(ended.out)["runs"], (nlohmann::json{{"a", 2}, {"b", 2}}));
}

TEST_F(AnalyzeTest, WhatOnlyMeasuringHasIsUnknown) {
  for (const char* option :
       {"--runs", "--max-time", "--timeout", "--warmup", "--fail-fast", "--shell", "--setup",
        "--env", "--cpus", "--isolation", "--priority", "--between", "--detach", "--reference"}) {
    const Ended ended = Analyze({Table(), option, "1"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_TRUE(ended.err.starts_with("error: " + std::string(option) + ": ")) << ended.err;
    EXPECT_WORDING(ended.err);
  }
}

}  // namespace
}  // namespace benchd::client
