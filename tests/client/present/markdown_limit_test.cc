#include "client/present/markdown_limit.h"

#include <gtest/gtest.h>

#include <string>

#include "client/ci/outcome.h"
#include "client/present/markdown.h"
#include "client/present/text.h"
#include "tests/client/samples.h"

namespace benchd::client {
namespace {

constexpr int kBenchmarks = 200;

std::string NameOfBenchmark(int number) {
  return "parser/" + std::string(250, 'x') + "/size=" + std::to_string(1000 + number);
}

// A suite of 200 benchmarks with long names and a warning each. All but every fourth regressed, the
// later the worse.
v1::Session LongSuite() {
  v1::Session session = SampleSession();
  v1::Update& report = *session.mutable_report();
  const v1::Comparison gate = report.comparisons(0);
  report.clear_comparisons();
  report.clear_warnings();
  session.mutable_spec()->set_invocation("--git aaaa..bbbb --file suite.toml");
  const v1::Benchmark benchmark = session.spec().benchmarks(0);
  session.mutable_spec()->clear_benchmarks();
  for (int i = 0; i < kBenchmarks; ++i) {
    v1::Benchmark& one = *session.mutable_spec()->add_benchmarks();
    one = benchmark;
    one.set_name(NameOfBenchmark(i));
    v1::Comparison& c = *report.add_comparisons();
    c = gate;
    c.set_benchmark(NameOfBenchmark(i));
    c.set_verdict(i % 4 == 0 ? v1::VERDICT_PASS : v1::VERDICT_REGRESSION);
    c.mutable_change()->set_estimate(i % 4 == 0 ? 0.001 : 0.1 + 0.001 * i);
    v1::Warning& warning = *report.add_warnings();
    warning.set_code("failed_runs");
    warning.set_message("2 of 12 runs failed");
    warning.set_benchmark(NameOfBenchmark(i));
    warning.set_arm("candidate");
  }
  return session;
}

// Returns the numbers of the benchmarks whose rows a text has, in order.
std::vector<int> NumbersIn(const std::string& text) {
  std::vector<int> numbers;
  for (const std::string& line : Lines(text)) {
    const std::size_t at = line.find("/size=");
    if (line.starts_with("| `") && at != std::string::npos) {
      numbers.push_back(std::stoi(line.substr(at + 6)) - 1000);
    }
  }
  return numbers;
}

TEST(MarkdownLimitTest, ACommentOn200BenchmarksFitsAndCountsWhatItLeavesOut) {
  const std::string whole = RenderMarkdown(LongSuite(), {});
  ASSERT_GT(whole.size(), kCommentBytes) << "or the test shows nothing";
  const std::string comment = CommentOf("benchd", whole);
  EXPECT_LE(comment.size(), kCommentBytes);
  EXPECT_TRUE(comment.starts_with("<!-- benchd: benchd -->\n**❌ REGRESSION: 150 of 200 gates "))
      << comment.substr(0, 200);
  const std::size_t fold = comment.find("<details>");
  ASSERT_NE(fold, std::string::npos);
  EXPECT_EQ(NumbersIn(comment.substr(0, fold)),
            (std::vector<int>{199, 198, 197, 195, 194, 193, 191, 190, 189, 187}))
      << "the ten worst, worst first";
  EXPECT_LT(comment.find("2 of 12 runs failed (and 199 more of this kind)"), fold);
  EXPECT_NE(comment.find("<summary>190 more gates, "), std::string::npos);

  // Every gate has a row, or is counted.
  const std::string folded = comment.substr(fold);
  const std::size_t rows = NumbersIn(folded).size();
  const std::size_t at = folded.find("\n| … ");
  ASSERT_NE(at, std::string::npos) << folded.substr(0, 400);
  const std::size_t counted = std::stoul(folded.substr(at + std::string("\n| … ").size()));
  EXPECT_GT(counted, 0U);
  EXPECT_EQ(rows + counted, 190U);
  const std::vector<int> kept = NumbersIn(folded);
  EXPECT_EQ(kept.front(), 186) << "the worst of the others stay";
  EXPECT_NE(comment.find("\nbenchctl compare --seed 18446744073709551615 --git aaaa..bbbb --file "
                         "suite.toml\n"),
            std::string::npos);
}

TEST(MarkdownLimitTest, WarningsAreLeftOutLastAndAreCounted) {
  std::string text = "**verdict**\n\n";
  for (int i = 0; i < 3000; ++i) text += "- warning " + std::to_string(i) + " of a benchmark\n";
  const std::string shortened = ShortenMarkdown(text, kCommentBytes);
  EXPECT_LE(shortened.size(), kCommentBytes);
  EXPECT_TRUE(shortened.starts_with("**verdict**\n\n- warning 0 of a benchmark\n"));
  const std::size_t at = shortened.find("\n- … ");
  ASSERT_NE(at, std::string::npos);
  const std::size_t counted = std::stoul(shortened.substr(at + std::string("\n- … ").size()));
  std::size_t kept = 0;
  for (const std::string& line : Lines(shortened)) kept += line.starts_with("- warning ") ? 1 : 0;
  EXPECT_EQ(kept + counted, 3000U);
}

TEST(MarkdownLimitTest, WhatFitsIsNotTouched) {
  const std::string text = RenderMarkdown(SampleSession(), {});
  EXPECT_EQ(ShortenMarkdown(text, text.size()), text);
  EXPECT_LT(ShortenMarkdown(text, text.size() - 1).size(), text.size());
}

}  // namespace
}  // namespace benchd::client
