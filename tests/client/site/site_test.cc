#include "client/site/site.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/site/trend.h"
#include "tests/client/refusals.h"
#include "tests/client/site/site_samples.h"

namespace benchd::client {
namespace {

std::vector<std::string> StemsOf(const Site& site) {
  std::vector<std::string> stems;
  for (const SiteBenchmark& benchmark : site.benchmarks) stems.push_back(benchmark.stem);
  return stems;
}

TEST(SiteTest, ABenchmarkHasASeriesForEachMachine) {
  const Site site = SampleSite();
  EXPECT_EQ(StemsOf(site), (std::vector<std::string>{"main-85944171f73967e8", "parse"}));
  EXPECT_EQ(site.benchmarks[0].name, "main: ./解析 --fast <input>");
  const std::vector<HistorySeries>& parse = site.benchmarks[1].series;
  ASSERT_EQ(parse.size(), 2U);
  EXPECT_EQ(MachineOf(parse[0]), "EPYC, CPUs 0-3");
  EXPECT_EQ(MachineOf(parse[1]), "Xeon, CPUs 0-1");
  EXPECT_NE(AnchorOf(parse[0]), AnchorOf(parse[1]));
  EXPECT_EQ(MeasureOf(parse[0]), "wall_time");
  EXPECT_EQ(MeasureOf(site.benchmarks[0].series[0]), "rate, candidate");
}

TEST(SiteTest, SeveralThreadsMakeTheSameSite) {
  std::vector<GateSummary> summaries;
  for (int i = 0; i < 20; ++i) {
    for (const GateSummary& one : EntriesOfBenchmark("b" + std::to_string(i))) {
      summaries.push_back(one);
    }
  }
  const Site one = MakeSite(summaries, {}, 1).value();
  const Site many = MakeSite(summaries, {}, 5).value();
  ASSERT_EQ(StemsOf(one), StemsOf(many));
  for (std::size_t i = 0; i < one.benchmarks.size(); ++i) {
    const HistorySegment& a = one.benchmarks[i].series[0].segments[0];
    const HistorySegment& b = many.benchmarks[i].series[0].segments[0];
    EXPECT_EQ(a.entries, b.entries);
    EXPECT_EQ(a.steps, b.steps);
  }
}

TEST(SiteTest, AnImpossibleSearchIsAnError) {
  SiteOptions options;
  options.search.alpha = 0;
  EXPECT_FALSE(MakeSite(SummariesOfSite(), options, 2));
}

TEST(SiteTest, OfRegressionsAgainstTheSameBaseOnlyTheFirstIsNews) {
  const Site site = MakeSite(EntriesOfBenchmark("parse"), {}, 1).value();
  const std::vector<News> news = NewestOf(site, 10);
  ASSERT_EQ(news.size(), 2U);
  int steps = 0;
  for (const News& one : news) {
    EXPECT_EQ(one.entry->session.value, "session8");
    steps += one.step != nullptr;
  }
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(NewestOf(site, 1).size(), 1U);
  // Against its parent, each regression is another one.
  std::vector<GateSummary> entries = EntriesOfBenchmark("parse");
  for (std::size_t i = 1; i < entries.size(); ++i) {
    entries[i].reference_commit = entries[i - 1].candidate_commit;
  }
  EXPECT_EQ(NewestOf(MakeSite(entries, {}, 1).value(), 20).size(), 9U);
}

TEST(SiteTest, OnlyACompleteIdBecomesALink) {
  const SiteOptions options{"https://host.example/{commit}?id={commit}", "", {}};
  GateSummary entry = EntriesOfBenchmark("parse", 1).front();
  const std::string id(40, 'a');
  EXPECT_EQ(CommitAddress(options, entry), "https://host.example/" + id + "?id=" + id);
  entry.candidate_commit->id = "main\"><script>";
  EXPECT_EQ(CommitAddress(options, entry), std::nullopt);
  entry.candidate_commit.reset();
  EXPECT_EQ(CommitAddress(options, entry), std::nullopt);
  EXPECT_EQ(CommitAddress({}, EntriesOfBenchmark("parse", 1).front()), std::nullopt);
}

TEST(SiteTest, AddressesOfOtherSchemesAreRefused) {
  for (const char* const url : {"javascript:alert({commit})", "host/{commit}",
                                "https://host/commit", "https://host/{commit} x"}) {
    SiteOptions options{url, "", {}};
    ExpectRefused(CompleteAddresses(&options));
  }
  SiteOptions relative{"", "bench", {}};
  ExpectRefused(CompleteAddresses(&relative));
  SiteOptions fine{"", "https://bench.example/site", {}};
  EXPECT_TRUE(CompleteAddresses(&fine));
  EXPECT_EQ(fine.address, "https://bench.example/site/");
}

std::size_t Occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(TrendTest, ALongSeriesHasMarksOfSeveralEntries) {
  const Site site = MakeSite(EntriesOfBenchmark("parse", 900), {}, 1).value();
  const HistorySeries& series = site.benchmarks[0].series[0];
  const Picture picture = DrawTrend("t", series, 100);
  const std::string svg = picture.Inline();
  // 8, 4 and 888 entries: 1 + 1 + 99 marks of up to 9.
  EXPECT_EQ(Occurrences(svg, "class=\"candidate entry\""), 101U);
  EXPECT_EQ(Occurrences(svg, "class=\"run span candidate\""), 101U);
  EXPECT_NE(svg.find("mean of 888 entries: "), std::string::npos);
  EXPECT_NE(picture.description.find("900 entries"), std::string::npos) << picture.description;
  EXPECT_EQ(picture.note,
            "Each mark is the mean of up to 9 consecutive entries, with a line from the smallest "
            "to the largest value.");
  EXPECT_LT(DrawSparkline("s", series).size(), 1500U);
  const Picture all = DrawTrend("t", series, 900);
  EXPECT_EQ(Occurrences(all.Inline(), "class=\"candidate entry\""), 900U);
  EXPECT_EQ(all.note, "");
}

TEST(TrendTest, ASeriesWhoseMachineKeepsChangingIsDrawnFromItsNewestLevelsOn) {
  std::vector<GateSummary> entries = EntriesOfBenchmark("parse", 300);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].kernel = i % 2 == 0 ? "a" : "b";
  const Site site = MakeSite(entries, {}, 1).value();
  const Picture picture = DrawTrend("t", site.benchmarks[0].series[0], 1000);
  EXPECT_EQ(Occurrences(picture.Inline(), "class=\"candidate entry\""), kMostLevels);
  EXPECT_EQ(Occurrences(picture.Inline(), "class=\"zero\""), kMostLevels - 1);
  EXPECT_EQ(picture.note, "The oldest 220 of 300 entries are not drawn.");
}

}  // namespace
}  // namespace benchd::client
