// Output of `benchctl similarity` and `benchctl agreement`, also as processes.
#include "client/present/similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/client/golden.h"
#include "tests/client/program.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/client/similarity_samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

constexpr Style kSimilarityPlain{false, true, 0};
const benchd::SimilarityOptions kLiteral{kSimilarityThreshold, SimilarityVariant::kLiteral};
const benchd::SimilarityOptions kShape{kSimilarityThreshold, SimilarityVariant::kShape};

using ParsedJson = nlohmann::json;

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
  files[0].sets[0].assessment.values = 49;
  EXPECT_WORDING(LineWith(RenderSimilarity(files, kLiteral, kSimilarityPlain), "50 values"));
}

TEST(SimilarityJsonTest, NamesTheFiveMeansAndWhoDiffers) {
  const std::vector<std::string> lines =
      SimilarityJson(Files({"runs.csv"}).front(), kLiteral, google::protobuf::Timestamp());
  ASSERT_EQ(lines.size(), 1U);
  const ParsedJson line = ParsedJson::parse(lines[0]);
  EXPECT_EQ(line["event"], "similarity");
  EXPECT_EQ(line["file"], "runs.csv");
  EXPECT_EQ(line["m1"], 0.875);
  EXPECT_EQ(line["m5"], 0.5);
  EXPECT_EQ(line["decision"], "dissimilar");
  EXPECT_EQ(line["differs_most"], "tue");
  EXPECT_EQ(line["literal"]["max"]["m3"]["runs"], ParsedJson({"mon", "tue"}));
  EXPECT_EQ(line["shape"]["decision"], "similar");
  EXPECT_EQ(line["same"]["decision"], "spikes");
  EXPECT_EQ(line["same"]["labels"], ParsedJson({0, 1, 0, 0}));
  const ParsedJson shape = ParsedJson::parse(
      SimilarityJson(Files({"x"}).front(), kShape, google::protobuf::Timestamp()).front());
  EXPECT_EQ(shape["m3"], 0.125);
  EXPECT_EQ(shape["variant"], "shape");
}

TEST(RenderAgreementTest, HasKappaPairsAndConfusion) {
  ExpectGolden("agreement.txt", RenderAgreement(SampleAgreement(), "human", kSimilarityPlain));
}

TEST(AgreementJsonTest, LeavesOutWhatCannotBeHad) {
  const ParsedJson line =
      ParsedJson::parse(AgreementJson(SampleAgreement(), "human", google::protobuf::Timestamp()));
  EXPECT_EQ(line["kappa"], 0.3125);
  EXPECT_EQ(line["band"], "fair");
  EXPECT_EQ(line["pairs"][0]["agreement"], 0.75);
  const ParsedJson& confusion = line["confusions"][0];
  EXPECT_EQ(confusion["counts"], ParsedJson({{2, 0}, {1, 1}}));
  EXPECT_EQ(confusion["scores"]["dissimilar"]["sensitivity"], 1);
  EXPECT_FALSE(confusion["scores"]["similar"].contains("sensitivity"));
}

class SimilarityProgramTest : public ProgramTest {
 protected:
  // Two runs of two values; the second has twice the values of the first.
  std::string File(const std::string& name, const std::string& text = "a,b\n1,2\n2,4\n") {
    const std::string path = dir_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  ParsedJson Assess(std::vector<std::string> words) {
    words.insert(words.begin(), {"similarity", "--json"});
    const Ended ended = Run(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return ParsedJson::parse(ended.out, nullptr, /*allow_exceptions=*/false);
  }
};

TEST_F(SimilarityProgramTest, AssessesEveryFileAndPrintsTheAnswersInTheirOrder) {
  std::vector<std::string> words{"similarity", "--json"};
  for (int i = 0; i < 9; ++i) {
    std::string rows = "a,b\n";
    for (int row = 0; row <= i; ++row) rows += "1,2\n";
    words.push_back(File("f" + std::to_string(i) + ".csv", rows));
  }
  const Ended ended = Run(words);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  std::istringstream lines(ended.out);
  std::size_t i = 2;
  for (std::string line; std::getline(lines, line); ++i) {
    ASSERT_LT(i, words.size());
    EXPECT_EQ(ParsedJson::parse(line)["file"], words[i]);
    EXPECT_EQ(ParsedJson::parse(line)["values"], i - 1);
  }
  EXPECT_EQ(i, words.size());
}

TEST_F(SimilarityProgramTest, HearsItsOptions) {
  const std::string raw = File("x.f64", std::string(48, '\0'));
  const ParsedJson shaped =
      Assess({"--threshold", "0.5", "--variant", "shape", "--shape", "2x3", raw});
  EXPECT_EQ(shaped["threshold"], 0.5);
  EXPECT_EQ(shaped["variant"], "shape");
  EXPECT_EQ(shaped["runs"], 2);
  EXPECT_EQ(shaped["values"], 3);
  const std::string unequal = File("unequal.csv", "a,b\n1,2\n3,\n");
  EXPECT_EQ(Run({"similarity", unequal}).exit_code, 2);
  EXPECT_EQ(Assess({"--cut", unequal})["cut"], 1);
}

TEST_F(SimilarityProgramTest, GoesOnAfterAFileThatCannotBeRead) {
  const Ended ended =
      Run({"similarity", dir_ / "none.csv", File("good.csv"), File("bad.csv", "a,b\n1,x\n")});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("bad.csv: line 2, column 3: "), std::string::npos) << ended.err;
  EXPECT_WORDING(LineWith(ended.err, "none.csv"), {{dir_.path(), "DIR"}});
  EXPECT_WORDING(LineWith(ended.err, "bad.csv"), {{dir_.path(), "DIR"}});
  EXPECT_WORDING(LineWith(ended.out, "good.csv"), {{dir_.path(), "DIR"}});
}

TEST_F(SimilarityProgramTest, AFileThatNeverEndsIsRefused) {
  const Ended ended = Run({"similarity", "--shape", "2x3", "/dev/zero"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_WORDING(ended.err);
}

TEST_F(SimilarityProgramTest, RefusesWhatMakesNoSense) {
  const std::string file = File("x.f64");
  for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                 {file},
                                                                 {"--shape", "3000", file},
                                                                 {"--shape", "0x5", file},
                                                                 {"--threshold", "2", file},
                                                                 {"--variant", "round", file},
                                                                 {"-", "-"}}) {
    std::vector<std::string> all{"similarity"};
    all.insert(all.end(), words.begin(), words.end());
    const Ended ended = Run(all);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.out, "");
    EXPECT_WORDING(ended.err, {{dir_.path(), "DIR"}});
  }
}

TEST_F(SimilarityProgramTest, AgreementHearsItsOptions) {
  const std::string ratings = File("r.csv", "file,human,literal,same\ns1,x,x,y\ns2,y,y,y\n");
  const Ended ended = Run({"agreement", ratings, "--subjects", "file", "--truth", "human",
                           "--raters", "human,literal"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("2 raters, 2 subjects: Fleiss' kappa 1.000"), std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("human \\ literal"), std::string::npos) << ended.out;
  EXPECT_EQ(Run({"agreement"}).exit_code, 2);
  EXPECT_EQ(Run({"agreement", "a", "b"}).exit_code, 2);
  EXPECT_EQ(Run({"agreement", ratings, "--raters", "a,,b"}).exit_code, 2);
}

TEST_F(SimilarityProgramTest, AgreementNamesThePlaceOfAMistake) {
  const Ended ended = Run({"agreement", File("hole.csv", "a,b\nx,x\nx,\n")});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(ended.err.starts_with("error: " + (dir_ / "hole.csv") + ": line 3, column 3: "))
      << ended.err;
  EXPECT_WORDING(ended.err, {{dir_.path(), "DIR"}});
}

}  // namespace
}  // namespace benchd::client
