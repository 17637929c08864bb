#include "core/analysis/table_analysis.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/analysis/session_builder.h"
#include "tests/analysis/table_text.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// An endless table, generated while it is read: `rows` pairs of a and b, b 10 % slower.
std::size_t BytesInUse() {
  const auto now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

class EndlessTable {
 public:
  EndlessTable(std::string header, std::uint64_t pairs) : header_(header), pairs_(pairs) {}

  Result<std::string_view> Read() {
    most_in_use = std::max(most_in_use, BytesInUse());
    buffer_ = next_ == 0 ? header_ + "\n" : "";
    const bool paired = header_.find("pair") != std::string::npos;
    for (int i = 0; i < 500 && next_ < pairs_; ++i, ++next_) {
      const std::string pair = paired ? std::to_string(next_) + "," : "";
      buffer_ += "a," + pair + Value(1000) + "\nb," + pair + Value(1100) + "\n";
    }
    return std::string_view(buffer_);
  }

  std::size_t most_in_use = 0;  ///< bytes, sampled at each piece

 private:
  std::string Value(std::uint64_t around) { return std::to_string(around + random_() % 50); }

  std::string header_;
  std::uint64_t pairs_;
  std::uint64_t next_ = 0;
  std::mt19937_64 random_{7};
  std::string buffer_;
};

struct Grown {
  Result<TableReport> result;
  std::size_t bytes;  // the peak above the initial use
};

Grown AnalyzeAndWatchMemory(EndlessTable& table, const TableOptions& options) {
  const std::size_t before = BytesInUse();
  table.most_in_use = before;
  Result<TableReport> result = AnalyzeTable([&table] { return table.Read(); }, options);
  return {std::move(result), table.most_in_use - before};
}

// A row takes eight bytes for its value, eight for its pair and eight for arm, benchmark and line;
// growing buffers have up to twice the size.
TEST(TableAnalysisTest, TakesTheMemoryOfItsNumbers) {
  constexpr std::uint64_t kPairs = 250'000;
  for (const auto& [header, method] : {std::pair{"arm,pair,t", Method::kPaired},
                                       {"arm,t", Method::kPaired},
                                       {"arm,t", Method::kFixed},
                                       {"arm,pair,t", Method::kFixed},
                                       {"arm,t", Method::kWelch}}) {
    SCOPED_TRACE(std::string(header) + " " + std::to_string(static_cast<int>(method)));
    EndlessTable table(header, kPairs);
    TableOptions options = Gated("t");
    options.method = method;
    const Grown grown = AnalyzeAndWatchMemory(table, options);
    ASSERT_TRUE(grown.result) << grown.result.error().message;
    EXPECT_EQ(Find(grown.result->report, "t", "b").n_candidate, kPairs);
    EXPECT_EQ(grown.result->report.verdict, Verdict::kRegression);
    EXPECT_LT(grown.bytes, 2 * (8 + 8 + 8) * 2 * kPairs);
  }
}

TEST(TableAnalysisTest, WithoutAPairColumnTakesOneLookAtIndependentArms) {
  const auto result =
      Analyze("arm,wall_time\nbase,10\nnew,20\nbase,11\nnew,21\nbase,10.5\nnew,20.5\n", {});
  ASSERT_TRUE(result) << result.error().message;
  const Comparison& one = Find(result->report, "wall_time", "new");
  EXPECT_EQ(one.method, Method::kFixed);
  EXPECT_EQ(one.role, ComparisonRole::kGate);
  EXPECT_EQ(one.n_reference, 3U);
  EXPECT_EQ(one.mean_candidate, 20.5);
  EXPECT_EQ(result->report.verdict, Verdict::kRegression);
  EXPECT_TRUE(result->has_gates);
  EXPECT_FALSE(result->decided_at) << "one look is not a replay";
  EXPECT_EQ(result->report.elapsed, Nanoseconds::zero());
  EXPECT_EQ(result->report.runs, (std::vector<ArmRuns>{{"main", "base", 3}, {"main", "new", 3}}));
}

TEST(TableAnalysisTest, TheOneLookIsFixedAlsoWhereItCouldNotBeTaken) {
  for (const char* table : {"arm,t\na,1\nb,2\n", "arm,pair,t\na,0,1\nb,0,2\n"}) {
    TableOptions options = Gated("t");
    options.method = Method::kFixed;
    const auto result = Analyze(table, options);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(Find(result->report, "t", "b").method, Method::kFixed);
    EXPECT_FALSE(Find(result->report, "t", "b").change->lo);
  }
}

TEST(TableAnalysisTest, WithoutADirectionEverythingIsInformation) {
  const auto result = Analyze("arm,t,u\na,1,5\nb,2,6\na,1.5,5\nb,2.5,6\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->has_gates);
  ASSERT_EQ(result->report.comparisons.size(), 2U);
  for (const Comparison& one : result->report.comparisons) {
    EXPECT_EQ(one.role, ComparisonRole::kInfo);
    EXPECT_FALSE(one.verdict);
    EXPECT_TRUE(one.change);
  }
}

// A pair is complete immediately, so it is decided at the first look: 8 pairs.
TEST(TableAnalysisTest, SaysAfterHowManyPairsItWasDecided) {
  std::string text = "arm,pair,t\n";
  for (int i = 0; i < 40; ++i) {
    const std::string pair = std::to_string(i);
    text += "a," + pair + ",10." + std::to_string(i % 2) + "\nb," + pair + ",30." +
            std::to_string(i % 3) + "\n";
  }
  const auto result = Analyze(text, Gated("t"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->decided_at, 8U);
  EXPECT_EQ(Find(result->report, "t", "b").n_candidate, 40U) << "the remaining rows still count";
  TableOptions estimate = Gated("t", Better::kLower, 1.97);
  estimate.spec.limits.at_limit = AtLimit::kEstimate;
  const auto guessed = Analyze(text, estimate);
  ASSERT_TRUE(guessed) << guessed.error().message;
  EXPECT_EQ(guessed->report.basis, Basis::kEstimate);
  EXPECT_FALSE(guessed->decided_at) << "no interval decided this";
}

TEST(TableAnalysisTest, AGateMayBeMissingInTheFirstRows) {
  std::string text = "arm,pair,t,u\na,0,,1\nb,0,,1\n";
  for (int i = 1; i < 30; ++i) {
    const std::string pair = std::to_string(i);
    text += "a," + pair + ",10." + std::to_string(i % 2) + ",1\nb," + pair + ",10." +
            std::to_string(i % 3) + ",1\n";
  }
  const auto result = Analyze(text, Gated("t"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(Find(result->report, "t", "b").n_candidate, 29U);
}

// The level of the gates is alpha / G, and the first benchmark must not wait for the second.
TEST(TableAnalysisTest, ABenchmarkWithoutGatesHoldsUpNobody) {
  std::string text = "arm,benchmark,pair,wall_time,note\n";
  for (int i = 0; i < 20; ++i) {
    const std::string pair = std::to_string(i);
    text += "a,x," + pair + ",1." + std::to_string(i % 2) + ",\nb,x," + pair + ",3,\n";
  }
  text += "a,y,0,,1\nb,y,0,,1\n";
  const auto result = Analyze(text);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(Find(result->report, "wall_time", "b", "x").verdict, Verdict::kRegression);
  EXPECT_EQ(result->decided_at, 8U);
  EXPECT_NEAR(Find(result->report, "wall_time", "b", "x").confidence, 0.99, 1e-12);
}

// 20 ticks of 0.01 s against 20 or 21: section 3's rule for the resolution of the printed values.
TEST(TableAnalysisTest, AForeignClockIsAsCoarseAsItsDigits) {
  std::string text = "arm,pair,wall_time\n";
  for (int i = 0; i < 200; ++i) {
    const std::string pair = std::to_string(i);
    text += "a," + pair + ",0.20\nb," + pair + ",0.21\n";
  }
  const auto result = Analyze(text);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->report.verdict, Verdict::kUndecided);
  EXPECT_NE(MessageOf(result->report.warnings, "resolution"), "");
  const Comparison& one = Find(result->report, "wall_time", "b");
  // log(0.21/0.20) -/+ 0.01 (1/0.20 + 1/0.21).
  EXPECT_NEAR(*one.change->lo, 1.05 * std::exp(-0.01 * (5 + 1 / 0.21)) - 1, 1e-12);
}

TEST(TableAnalysisTest, GivesTheReadersSentence) {
  const auto result = Analyze("arm,t\na,1\na,2\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(result.error());
  TableOptions options = AgainstA();
  options.references = {"c"};
  EXPECT_WORDING(Analyze("arm,t\na,1\nb,2\n", options).error());
}

TEST(TableAnalysisTest, RefusesWhatNoSessionCouldDo) {
  TableOptions median = AgainstA();
  median.spec.estimator.kind = EstimatorKind::kMedian;
  const auto refused = [](const TableOptions& options, const std::string& field) {
    const auto result = Analyze("arm,t\na,1\nb,2\n", options);
    ASSERT_FALSE(result) << field;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(result.error().message.starts_with(field + ": ")) << result.error().message;
    EXPECT_WORDING(result.error());
  };
  refused(median, "estimator");
  refused(Gated("t", std::nullopt), "metric t");
}

// A gate without data does not end the table: the other one is judged.
TEST(TableAnalysisTest, AGateWithoutARatioIsUndecidedAlone) {
  const auto rate = Analyze("arm,t\na,0\nb,2\na,0\nb,2\na,0\nb,1\n", Gated("t", Better::kHigher));
  ASSERT_TRUE(rate) << rate.error().message;
  EXPECT_EQ(rate->report.verdict, Verdict::kUndecided);
  EXPECT_EQ(rate->report.comparisons.front().reason, "not_positive");
  const auto time = Analyze("arm,t\na,1\nb,0\na,2\nb,0\na,1\nb,0\n", Gated("t", Better::kLower));
  ASSERT_TRUE(time) << time.error().message;
  EXPECT_EQ(time->report.comparisons.front().reason, "not_positive");
}

TEST(TableAnalysisTest, RefusesATableWithoutAnyPair) {
  const auto result = Analyze("arm,pair,t\na,0,1\nb,1,2\na,2,1\nb,3,1\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(result.error().message.starts_with("pair: ")) << result.error().message;
  EXPECT_WORDING(result.error());
}

// With an empty field or without a row, the candidate has no value there.
TEST(TableAnalysisTest, APairWithoutARowOfAnArmIsAMissingValueOfIt) {
  for (const int every : {4, 1}) {
    std::vector<Comparison> gates;
    for (const bool has_row : {true, false}) {
      std::string text = "arm,pair,wall_time\n";
      for (int i = 0; i < 40; ++i) {
        const std::string row = std::to_string(i) + ",1.00" + std::to_string((i * 7) % 10) + "\n";
        text += "a," + row;
        if (i % every == 0) {
          text += "b," + row;
        } else if (has_row) {
          text += "b," + std::to_string(i) + ",\n";
        }
      }
      TableOptions options = AgainstA();
      options.spec.default_margin = 0.05;
      const auto result = Analyze(text, options);
      ASSERT_TRUE(result) << result.error().message;
      gates.push_back(result->report.comparisons.at(0));
    }
    EXPECT_EQ(gates[0], gates[1]);
    EXPECT_EQ(gates[1].verdict, every == 1 ? Verdict::kPass : Verdict::kUndecided);
    EXPECT_EQ(gates[1].reason, every == 1 ? "" : "missing_values");
  }
}

TEST(TableAnalysisTest, WhatLacksValuesIsCountedInBlocksOfPairsAndElseInRunsOfTheArm) {
  const auto said = [](bool pairs, int lacks_of_a, int lacks_of_b) {
    std::string text = pairs ? "arm,pair,wall_time\n" : "arm,wall_time\n";
    for (int i = 0; i < 40; ++i) {
      const std::string value = "1.00" + std::to_string((i * 7) % 10);
      const std::string pair = pairs ? "," + std::to_string(i) : "";
      text += "a" + pair + "," + (i < lacks_of_a ? "" : value) + "\n";
      text += "b" + pair + "," + (i < lacks_of_b ? "" : value) + "\n";
    }
    TableOptions options = AgainstA();
    options.spec.default_margin = 0.05;
    const auto result = Analyze(text, options);
    EXPECT_TRUE(result) << result.error().message;
    return result ? WarningText(result->report.warnings, "missing_values") : "";
  };
  EXPECT_WORDING(said(true, 0, 3));
  EXPECT_WORDING(said(false, 0, 3));
  EXPECT_WORDING(said(false, 4, 2));
  EXPECT_WORDING(said(false, 4, 3));
  EXPECT_EQ(said(false, 2, 2), "");
}

TEST(TableAnalysisTest, CarriesTheWarningsOfItsShapeAndItsBlocks) {
  const auto result = Analyze("arm,pair,t\na,0,1\na,1,2\nb,0,1\nb,1,3\nb,2,4\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(CodesOf(result->report.warnings),
            (std::vector<std::string>{"not_interleaved", "incomplete_pairs"}));
}

}  // namespace
}  // namespace benchd
