// `benchctl similarity` and `benchctl agreement`: what they print, and as processes.
#include "client/render/similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/client/golden.h"
#include "tests/client/program.h"
#include "tests/client/samples.h"
#include "tests/client/similarity_samples.h"

namespace benchd::client {
namespace {

constexpr Style kSimilarityPlain{false, true, 0};
constexpr bool kLiteral = false;
constexpr bool kShape = true;

using nlohmann::json;

std::vector<AssessedFile> Files(std::vector<std::string> names) {
  std::vector<AssessedFile> files;
  for (std::string& name : names) files.push_back({std::move(name), SampleAssessment()});
  return files;
}

TEST(RenderSimilarityTest, TellsOfOneFileWhatEveryMethodSays) {
  ExpectGolden("similarity.txt", RenderSimilarity(Files({"runs.csv"}), kLiteral, kSimilarityPlain));
}

TEST(RenderSimilarityTest, HasALineForEachOfSeveralFiles) {
  ExpectGolden("similarity_many.txt",
               RenderSimilarity(Files({"a.csv", "b.csv"}), kShape, kSimilarityPlain));
}

TEST(RenderSimilarityTest, SaysWhereRunsAreTooShort) {
  auto files = Files({"runs.csv"});
  files[0].response.mutable_sets(0)->set_assessable(false);
  EXPECT_NE(RenderSimilarity(files, kLiteral, kSimilarityPlain).find("fewer than 50 values a run"),
            std::string::npos);
}

TEST(SimilarityJsonTest, NamesTheFiveMeansAndWhoDiffers) {
  const std::vector<std::string> lines =
      SimilarityJson(Files({"runs.csv"}).front(), kLiteral, google::protobuf::Timestamp());
  ASSERT_EQ(lines.size(), 1U);
  const json line = json::parse(lines[0]);
  EXPECT_EQ(line["event"], "similarity");
  EXPECT_EQ(line["file"], "runs.csv");
  EXPECT_EQ(line["m1"], 0.875);
  EXPECT_EQ(line["m5"], 0.5);
  EXPECT_EQ(line["decision"], "dissimilar");
  EXPECT_EQ(line["differs_most"], "tue");
  EXPECT_EQ(line["literal"]["max"]["m3"]["runs"], json({"mon", "tue"}));
  EXPECT_EQ(line["shape"]["decision"], "similar");
  EXPECT_EQ(line["same"]["decision"], "spikes");
  EXPECT_EQ(line["same"]["labels"], json({0, 1, 0, 0}));
  const json shape = json::parse(
      SimilarityJson(Files({"x"}).front(), kShape, google::protobuf::Timestamp()).front());
  EXPECT_EQ(shape["m3"], 0.125);
  EXPECT_EQ(shape["variant"], "shape");
}

TEST(RenderAgreementTest, HasKappaPairsAndConfusion) {
  ExpectGolden("agreement.txt", RenderAgreement(SampleAgreement(), kSimilarityPlain));
}

TEST(AgreementJsonTest, LeavesOutWhatCannotBeHad) {
  const json line = json::parse(AgreementJson(SampleAgreement(), google::protobuf::Timestamp()));
  EXPECT_EQ(line["kappa"], 0.3125);
  EXPECT_EQ(line["band"], "fair");
  EXPECT_EQ(line["pairs"][0]["agreement"], 0.75);
  const json& confusion = line["confusions"][0];
  EXPECT_EQ(confusion["counts"], json({{2, 0}, {1, 1}}));
  EXPECT_EQ(confusion["scores"]["dissimilar"]["sensitivity"], 1);
  EXPECT_FALSE(confusion["scores"]["similar"].contains("sensitivity"));
}

class SimilarityProgramTest : public ProgramTest {
 protected:
  std::string File(const std::string& name, const std::string& text = "a,b\n1,2\n") {
    const std::string path = dir_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
};

TEST_F(SimilarityProgramTest, SendsEveryFileAndPrintsTheAnswersInTheirOrder) {
  std::vector<std::string> words{"similarity", "--json"};
  for (int i = 0; i < 9; ++i) {
    words.push_back(File("f" + std::to_string(i) + ".csv", std::to_string(i)));
  }
  const Ended ended = Run(words);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  std::istringstream lines(ended.out);
  std::size_t i = 2;
  for (std::string line; std::getline(lines, line); ++i) {
    ASSERT_LT(i, words.size());
    EXPECT_EQ(json::parse(line)["file"], words[i]);
  }
  EXPECT_EQ(i, words.size());
  std::vector<std::string> sent = daemon_->assessed_files();
  std::ranges::sort(sent);
  EXPECT_EQ(sent, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8"}));
}

TEST_F(SimilarityProgramTest, SendsItsOptions) {
  const std::string raw = File("x.f64", std::string(48, '\0'));
  EXPECT_EQ(Run({"similarity", "--threshold", "0.5", "--variant", "shape", "--shape", "2x3",
                 "--cut", raw})
                .exit_code,
            0);
  const v1::SimilarityOptions options = daemon_->similarity_options();
  EXPECT_EQ(options.threshold(), 0.5);
  EXPECT_TRUE(options.shape_variant());
  EXPECT_EQ(options.format(), v1::RUNS_FORMAT_RAW);
  EXPECT_EQ(options.runs(), 2U);
  EXPECT_EQ(options.values(), 3U);
  EXPECT_TRUE(options.cut_to_shortest());
}

TEST_F(SimilarityProgramTest, GoesOnAfterAFileThatCannotBeRead) {
  const Ended ended =
      Run({"similarity", dir_ / "none.csv", File("good.csv"), File("bad.csv", "broken")});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("none.csv: No such file or directory"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("bad.csv: line 1, column 1: 'broken' is not a number"),
            std::string::npos);
  EXPECT_NE(ended.out.find("good.csv: 4 runs of 80 values"), std::string::npos) << ended.out;
}

TEST_F(SimilarityProgramTest, RefusesWhatMakesNoSense) {
  const std::string file = File("x.f64");
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "similarity: no file"},
           {{file}, "raw doubles do not say how many runs they are"},
           {{"--shape", "3000", file}, "--shape 3000: expected runs x values"},
           {{"--shape", "0x5", file}, "--shape 0x5: expected runs x values"},
           {{"--threshold", "2", file}, "--threshold 2: expected a number from 0 to 1"},
           {{"--variant", "round", file}, "--variant round: unknown value"},
           {{"-", "-"}, "-: stdin is read once"}}) {
    std::vector<std::string> all{"similarity"};
    all.insert(all.end(), words.begin(), words.end());
    const Ended ended = Run(all);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_TRUE(ended.err.find(message) != std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
}

TEST_F(SimilarityProgramTest, AgreementSendsItsOptionsAndPrintsTheAnswer) {
  const Ended ended = Run({"agreement", File("r.csv"), "--subjects", "file", "--truth", "human",
                           "--raters", "human,literal"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("Fleiss' kappa 0.312, fair"), std::string::npos) << ended.out;
  const v1::AgreementOptions options = daemon_->agreement_options();
  EXPECT_EQ(options.subjects(), "file");
  EXPECT_EQ(options.truth(), "human");
  ASSERT_EQ(options.raters_size(), 2);
  EXPECT_EQ(options.raters(1), "literal");
  EXPECT_EQ(Run({"agreement"}).exit_code, 2);
  EXPECT_EQ(Run({"agreement", "a", "b"}).exit_code, 2);
  EXPECT_EQ(Run({"agreement", File("r.csv"), "--raters", "a,,b"}).exit_code, 2);
}

}  // namespace
}  // namespace benchd::client
