#include "client/report/flame_graph.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/report/page.h"
#include "client/report/report_source.h"
#include "tests/client/explanation_samples.h"
#include "tests/client/golden.h"

namespace benchd::client {
namespace {

std::size_t OccurrencesIn(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

FlamePair SamplePair() {
  const std::vector<FlamePair> pairs =
      FlamePairsOf(SampledSession().report(), SumStacks(SampledRuns(), false));
  return pairs.at(0);
}

TEST(FlameGraphTest, WidthIsTheCandidateAndColourTheChange) {
  const Picture picture = DrawFlameGraph("flame", SamplePair());
  const std::string text = picture.svg.File(picture.name, picture.description);
  ExpectGolden("flame_graph.svg", text + picture.note + "\n");
  EXPECT_EQ(OccurrencesIn(text, "<script"), 0U);
  // all, main, parse_line, read, Reader::next, fill
  EXPECT_EQ(picture.description.substr(0, 26), "Flame graph of 6 frames. c");
}

TEST(FlameGraphTest, AMatchedFunctionIsOneFrame) {
  FlamePair pair = SamplePair();
  EXPECT_EQ(pair.matched.at("Reader<unsigned int>::next()"), "Reader<unsigned long>::next()");
  const std::string matched = DrawFlameGraph("flame", pair).Inline();
  EXPECT_EQ(OccurrencesIn(matched, "gone: Reader"), 0U) << matched;
  pair.matched.clear();
  EXPECT_GT(OccurrencesIn(DrawFlameGraph("flame", pair).Inline(), "gone: Reader"), 0U);
}

// As in the table, the samples stand for the time outside of the kernel.
TEST(FlameGraphTest, TheKernelHasAFrameOfItsOwn) {
  FlamePair pair = SamplePair();
  pair.reference = {"base", 1, 0, {{"main;f", 60}, {"main", 40}}};
  pair.candidate = {"new", 2, 1, {{"main;f", 60}, {"main", 40}}};
  const std::string text = DrawFlameGraph("flame", pair).Inline();
  EXPECT_NE(text.find("[kernel]: 1 s a run"), std::string::npos) << text;
  EXPECT_NE(text.find("f: 600 ms a run"), std::string::npos) << text;
}

// The table says that f is now inlined, and not that it is gone.
TEST(FlameGraphTest, AnInlinedFunctionAndACloneAreTheFunction) {
  FlamePair pair = SamplePair();
  pair.matched.clear();
  pair.reference = {"base", 1, 0, {{"main;f", 60}, {"main;g.part.0", 40}}};
  pair.candidate = {"new", 1, 0, {{"main;f_[i]", 60}, {"main;g", 40}}};
  const std::string text = DrawFlameGraph("flame", pair).Inline();
  EXPECT_EQ(text.find("gone: "), std::string::npos) << text;
  EXPECT_EQ(text.find("f_[i]"), std::string::npos) << text;
}

TEST(FlameGraphTest, AFunctionOfTheReferenceAloneIsListed) {
  const std::string text = DrawFlameGraph("flame", SamplePair()).Inline();
  EXPECT_NE(text.find("gone: hash_step"), std::string::npos) << text;
}

TEST(FlameGraphTest, TheNumberOfFramesIsLimited) {
  FlamePair pair = SamplePair();
  for (int i = 0; i < 900; ++i) {
    for (int j = 0; j < 3; ++j) {
      const std::string stack = "main;wide" + std::to_string(i) + ";deep" + std::to_string(j);
      pair.candidate.counts[stack] = 1000 + i;
    }
  }
  for (int i = 0; i < 5000; ++i) pair.candidate.counts["main;rare" + std::to_string(i)] = 1;
  const Picture picture = DrawFlameGraph("flame", pair);
  const std::size_t legend = 13;
  EXPECT_LE(OccurrencesIn(picture.Inline(), "<rect"), kMostFrames + legend + 8);
  EXPECT_NE(picture.note.find("narrow frames left out"), std::string::npos) << picture.note;
}

TEST(FlameGraphTest, ADeepRecursionIsCutOff) {
  FlamePair pair = SamplePair();
  std::string stack = "main";
  for (int i = 0; i < 5000; ++i) stack += ";recurse";
  pair.candidate.counts = {{stack, 10}};
  pair.reference.counts = {{stack, 9}};
  const Picture picture = DrawFlameGraph("flame", pair);
  EXPECT_LT(picture.svg.height(), 3000);
}

TEST(FlameGraphTest, NamesAreHarmless) {
  FlamePair pair = SamplePair();
  pair.candidate.counts["main;<script>alert(1)</script>\x01\xff"] = 500;
  pair.candidate.counts[""] = 100;
  pair.candidate.counts[";;"] = 100;
  pair.reference.name = "\"><b>";
  const Picture picture = DrawFlameGraph("flame", pair);
  const std::string text = picture.Inline() + picture.name;
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find('\x01'), std::string::npos);
  EXPECT_EQ(picture.Inline().find("<b>"), std::string::npos);
}

TEST(FlameGraphTest, WithoutSamplesThereIsNoPicture) {
  FlamePair pair = SamplePair();
  pair.candidate.counts.clear();
  EXPECT_NE(DrawFlameGraph("flame", pair).Inline().find("no samples of candidate"),
            std::string::npos);
  pair = SamplePair();
  pair.reference.counts.clear();
  EXPECT_EQ(DrawFlameGraph("flame", pair).Inline().find("nan"), std::string::npos);
  EXPECT_TRUE(FlamePairsOf(SampledSession().report(), {}).empty());
}

TEST(FlameGraphTest, TheReportOfASampledSessionHasTableAndPicture) {
  const ReportSource source = SourceOfSession(SampledSession(), SampledRuns());
  EXPECT_EQ(source.flames.size(), 1U);
  EXPECT_TRUE(source.metrics.empty());
  EXPECT_FALSE(source.on_machine.has_value());
  const std::string page = RenderReportPage({&source, 1});
  ExpectGolden("explanation.html", page);
  EXPECT_EQ(page.find("Regression"), std::string::npos) << "there is no verdict";
  const std::vector<ReportSource> both = {source, source};
  EXPECT_NE(RenderReportPage(both).find("</a> explanation</li>"), std::string::npos);
}

}  // namespace
}  // namespace benchd::client
