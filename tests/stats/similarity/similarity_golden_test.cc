#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/stats/similarity/assessment.h"
#include "core/stats/similarity/measures.h"
#include "core/stats/similarity/words.h"
#include "tests/golden/golden.h"
#include "tests/stats/similarity/jmh_files.h"

namespace benchd {
namespace {

// tests/golden/similarity.json: computed by a reference in Python (clarity over speed, exact sums)
// from the published formulas. The tolerance of all measures but M2, which is exact.
constexpr double kTolerance = 1e-9;

const nlohmann::json& Golden() {
  static const nlohmann::json& golden = golden::ReadFile("similarity.json");
  return golden;
}

void ExpectMeasures(const Measures& actual, const nlohmann::json& expected) {
  for (std::size_t m = 0; m < actual.size(); ++m) {
    const double tolerance = m == 1 ? 1e-15 : kTolerance;  // M2: the quotient's own rounding
    EXPECT_NEAR(actual[m], expected[m].get<double>(), tolerance) << "M" << m + 1;
  }
}

// The two series of a case; empty if they are in the folder of real data and that is unavailable.
Runs SeriesOf(const nlohmann::json& one) {
  if (one.contains("x")) return {one["x"], one["y"]};
  if (JmhFolder().empty()) return {};
  const nlohmann::json& source = one["source"];
  const std::filesystem::path file(source["file"].get<std::string>());
  const Runs all = ReadJmhFile(JmhFolder() / file.filename());
  if (all.empty()) return {};
  Runs runs{all[source["run_x"].get<std::size_t>()], all[source["run_y"].get<std::size_t>()]};
  for (std::vector<double>& run : runs) run.resize(source["first"].get<std::size_t>());
  return runs;
}

int Votes(const Measures& measures) {
  int votes = 0;
  for (const double value : measures) votes += value > kSimilarityThreshold ? 1 : 0;
  return votes;
}

void ExpectPair(const nlohmann::json& one, const Runs& series) {
  const auto pairs = ComparePairs(series);
  ASSERT_TRUE(pairs) << pairs.error().message;
  ASSERT_EQ(pairs->size(), 1U);
  const RunPair& pair = pairs->front();
  ExpectMeasures(pair.literal, one["literal"]);
  ExpectMeasures(pair.shape, one["shape_pairpooled"]);
  for (std::size_t k = 0; k < pair.same.size(); ++k) {
    EXPECT_NEAR(pair.same[k], one["same_pair"][k].get<double>(), kTolerance) << "SAME " << k;
  }
  EXPECT_EQ(Votes(pair.literal), one["literal_votes"].get<int>());
  EXPECT_EQ(Votes(pair.shape), one["shape_votes"].get<int>());
  EXPECT_EQ(Vote(*pairs, SimilarityVariant::kLiteral).Dissimilar(),
            one["literal_dissimilar"].get<bool>());
}

TEST(SimilarityGoldenTest, MatchesEveryPair) {
  std::size_t compared = 0;
  for (const auto& one : Golden().at("pairs")) {
    SCOPED_TRACE(one.at("name"));
    const Runs series = SeriesOf(one);
    if (series.empty()) continue;
    ++compared;
    ExpectPair(one, series);
  }
  // 31 pairs, two of them in the folder of real data.
  EXPECT_EQ(compared, JmhFolder().empty() ? 29U : 31U);
}

std::vector<std::uint8_t> WordOf(const std::vector<double>& values) {
  return NormalisedWord(PreparedRun(values).centred);
}

std::string Letters(const std::vector<std::uint8_t>& word) {
  std::string letters;
  for (const std::uint8_t symbol : word) letters += static_cast<char>('a' + symbol);
  return letters;
}

TEST(SimilarityGoldenTest, MatchesTheWordsAndTheirPhrases) {
  std::size_t words = 0;
  for (const auto& one : Golden().at("pairs")) {
    SCOPED_TRACE(one.at("name"));
    const Runs series = SeriesOf(one);
    if (series.empty()) continue;
    const LzText x(WordOf(series[0]));
    const LzText y(WordOf(series[1]));
    EXPECT_EQ(x.phrases(), one["lz"]["cx"].get<std::size_t>());
    EXPECT_EQ(y.phrases(), one["lz"]["cy"].get<std::size_t>());
    EXPECT_EQ(x.PhrasesWith(y), one["lz"]["cxy"].get<std::size_t>());
    EXPECT_EQ(y.PhrasesWith(x), one["lz"]["cyx"].get<std::size_t>());
    if (!one.contains("sax_x")) continue;
    ++words;
    EXPECT_EQ(Letters(WordOf(series[0])), one["sax_x"].get<std::string>());
    EXPECT_EQ(Letters(WordOf(series[1])), one["sax_y"].get<std::string>());
  }
  EXPECT_GT(words, 10U);
}

void ExpectSet(const nlohmann::json& one, const Runs& runs) {
  const auto found = AssessRuns(runs);
  ASSERT_TRUE(found) << found.error().message;
  for (const char* name : {"literal", "shape"}) {
    SCOPED_TRACE(name);
    const MajorityVote& vote = name == std::string("shape") ? found->shape : found->literal;
    Measures means{};
    for (std::size_t m = 0; m < means.size(); ++m) means[m] = vote.measures[m].mean;
    ExpectMeasures(means, one[name]["mean"]);
    EXPECT_EQ(vote.Dissimilar(), one[name]["decision"] == "dissimilar");
  }
  const nlohmann::json& same = one["same"];
  EXPECT_EQ(found->same.labels, same["labels"].get<std::vector<std::size_t>>());
  EXPECT_EQ(found->same.clusters, same["clusters"].get<std::size_t>());
  EXPECT_EQ(found->same.Dissimilar(), same["decision"] == "dissimilar");
  ASSERT_EQ(found->same.merge_heights.size(), same["merge_heights"].size());
  for (std::size_t k = 0; k < found->same.merge_heights.size(); ++k) {
    EXPECT_NEAR(found->same.merge_heights[k], same["merge_heights"][k].get<double>(), kTolerance);
  }
  if (!same.contains("matrix")) return;
  const auto pairs = ComparePairs(runs);
  ASSERT_TRUE(pairs);
  for (const RunPair& pair : *pairs) {
    EXPECT_NEAR(pair.SameDistance(), same["matrix"][pair.first][pair.second].get<double>(),
                kTolerance);
  }
}

TEST(SimilarityGoldenTest, MatchesTheSyntheticRunSets) {
  for (const auto& one : Golden().at("synthetic_run_sets")) {
    SCOPED_TRACE(one.at("name"));
    ExpectSet(one, one["runs"].get<Runs>());
  }
}

TEST(SimilarityGoldenTest, MatchesTheRealBenchmarks) {
  if (JmhFolder().empty()) GTEST_SKIP() << kNoJmhFolder;
  std::size_t compared = 0;
  for (const auto& one : Golden().at("benchmarks")) {
    const std::filesystem::path file(one["file"].get<std::string>());
    SCOPED_TRACE(file);
    const Runs runs = ReadJmhFile(JmhFolder() / file.filename());
    ASSERT_FALSE(runs.empty());
    ExpectSet(one, runs);
    ++compared;
  }
  EXPECT_EQ(compared, 12U);
}

// index.csv: file, original name, blob, sha256, then the reference's answers by literal, shape and
// SAME, then a label of other authors.
TEST(SimilarityGoldenTest, DecidesAllFortyRealBenchmarksAsTheReference) {
  if (JmhFolder().empty()) GTEST_SKIP() << kNoJmhFolder;
  std::ifstream index(JmhFolder() / "index.csv");
  std::string line;
  std::getline(index, line);
  std::size_t compared = 0;
  while (std::getline(index, line)) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    ASSERT_GE(fields.size(), 8U) << line;
    SCOPED_TRACE(fields[0]);
    const Runs runs = ReadJmhFile(JmhFolder() / fields[0]);
    ASSERT_FALSE(runs.empty());
    const auto found = AssessRuns(runs);
    ASSERT_TRUE(found) << found.error().message;
    const std::size_t last = fields.size() - 1;
    EXPECT_EQ(found->literal.Dissimilar() ? "dissimilar" : "similar", fields[last - 3]);
    EXPECT_EQ(found->shape.Dissimilar() ? "dissimilar" : "similar", fields[last - 2]);
    EXPECT_EQ(found->same.Dissimilar() ? "dissimilar" : "similar", fields[last - 1]);
    ++compared;
  }
  EXPECT_EQ(compared, 40U);
}

}  // namespace
}  // namespace benchd
