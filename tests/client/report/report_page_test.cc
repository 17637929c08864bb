#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "client/present/combination.h"
#include "client/report/metric_picture.h"
#include "client/report/page.h"
#include "client/report/svg.h"
#include "tests/client/golden.h"
#include "tests/client/refusals.h"
#include "tests/client/report_samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

std::string PageOf(const ReportSource& source) { return RenderReportPage({&source, 1}); }

bool PageHas(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

// A table "arm,pair,wall_time" of two arms, whose values differ by a tenth.
std::string Csv(std::size_t pairs) {
  std::string csv = "arm,role,pair,wall_time,rate\n";
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::string pair = std::to_string(i);
    csv += "base,reference," + pair + "," + std::to_string(1 + 0.01 * Noise(i)) + ",7\n";
    csv += "new,candidate," + pair + "," + std::to_string(1.1 + 0.01 * Noise(i + 9)) + ",8\n";
  }
  return csv;
}

TEST(ReportPageTest, TellsTheWholeSession) {
  ReportSource source = SampleSource(20);
  source.session.mutable_started()->mutable_isolation(0)->set_at_end("0-1");
  ExpectGolden("report.html", PageOf(source));
}

TEST(ReportPageTest, BeginsWithCommandsDateAndMachine) {
  ReportSource source = SampleSource(20);
  v1::EnvironmentFact* const host = source.session.mutable_started()->add_environment();
  host->set_name("hostname");
  host->set_value("quiet1");
  const std::string page = PageOf(source);
  const std::size_t end = page.find("</header>");
  ASSERT_NE(end, std::string::npos);
  for (const char* text : {"./bench --size 10", "./bench --size 11", "2026-01-02 03:04:06 UTC",
                           "quiet1, A CPU, 6.1.0"}) {
    EXPECT_LT(page.find(text), end) << text;
  }
}

TEST(ReportPageTest, BeginsWithCommits) {
  ReportSource source = SampleSource(8);
  v1::Benchmark& benchmark = *source.session.mutable_spec()->mutable_benchmarks(0);
  const std::string ids[] = {std::string(40, 'a'), std::string(40, 'b')};
  for (int i = 0; i < 2; ++i) {
    benchmark.mutable_arms(i)->mutable_commit()->set_id(ids[i]);
    benchmark.mutable_arms(i)->mutable_commit()->set_description("v1." + std::to_string(i));
  }
  const std::string page = PageOf(source);
  const std::string top = page.substr(0, page.find("</header>"));
  for (const char* text : {"v1.0", "aaaaaaa", "v1.1", "bbbbbbb"}) {
    EXPECT_TRUE(PageHas(top, text)) << text << top;
  }
}

TEST(ReportPageTest, ASuiteBeginsWithItsCommand) {
  ReportSource source = SampleSource(8);
  v1::SessionSpec& spec = *source.session.mutable_spec();
  *spec.add_benchmarks() = spec.benchmarks(0);
  spec.set_invocation("--git v1..v2 --file <suite>.toml");
  const std::string page = PageOf(source);
  EXPECT_LT(page.find("<code>benchctl compare --git v1..v2 --file &lt;suite&gt;.toml</code>"),
            page.find("</header>"));
}

TEST(ReportPageTest, AFewLooksAreNoCourseSoTheBlocksAreDrawn) {
  const std::string many = PageOf(SampleSource(20));
  EXPECT_TRUE(PageHas(many, "How the interval shrank"));
  EXPECT_FALSE(PageHas(many, "Blocks: candidate vs base"));
  ReportSource source = SampleSource(8);
  const std::string few = PageOf(source);
  EXPECT_FALSE(PageHas(few, "How the interval shrank"));
  EXPECT_TRUE(PageHas(few, "Blocks: candidate vs base"));
  source.session.mutable_spec()->set_schedule(v1::SCHEDULE_KIND_COIN);
  EXPECT_FALSE(PageHas(PageOf(source), "Blocks: candidate vs base")) << "a coin pairs no runs";
}

std::size_t TimesIn(const std::string& page, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = page.find(text, at)) != std::string::npos; ++at) ++count;
  return count;
}

constexpr char kGates[] = "<figcaption>Intervals against their margins</figcaption>";

TEST(ReportPageTest, OnePictureOfGatesWithoutRemarksIsBesideTheRuns) {
  ReportSource source = SampleSource(20);
  EXPECT_LT(PageOf(source).find(kGates), PageOf(source).find("<h2>wall_time</h2>"));
  source.session.mutable_report()->clear_warnings();
  const std::string page = PageOf(source);
  EXPECT_EQ(TimesIn(page, kGates), 1U);
  EXPECT_TRUE(PageHas(
      page, "<h2>wall_time</h2>\n<div class=\"figures even\">\n<figure>\n" + std::string(kGates)))
      << "four pictures, in two rows";
}

TEST(ReportPageTest, ManyGatesAreDividedIntoTwoPictures) {
  ReportSource source = SampleSource(8);
  source.metrics.clear();
  v1::Update& report = *source.session.mutable_report();
  report.clear_warnings();
  const v1::Comparison gate = report.comparisons(0);
  report.clear_comparisons();
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) {
      v1::Comparison& one = *report.add_comparisons();
      one = gate;
      one.set_benchmark("b" + std::to_string(report.comparisons_size()));
    }
    return PageOf(source);
  };
  EXPECT_EQ(TimesIn(add(3), kGates), 2U) << "nothing else would be in the row";
  v1::Warning* warning = report.add_warnings();
  warning->set_code("placebo");
  warning->set_message("the reference differs from itself");
  EXPECT_EQ(TimesIn(add(0), kGates), 1U);
  EXPECT_EQ(TimesIn(add(17), kGates), 2U);
  EXPECT_EQ(TimesIn(add(180), kGates), 4U) << "50 rows each";
  EXPECT_EQ(TimesIn(add(0), "class=\"candidate estimate\""), 200U);
}

TEST(ReportPageTest, TheResultStandsBesideTheMetric) {
  ReportSource source = SampleSource(8);
  EXPECT_TRUE(PageHas(PageOf(source), "<th scope=\"col\">metric</th><th scope=\"col\">result</th>"))
      << PageOf(source);
  EXPECT_FALSE(PageHas(PageOf(source), ">comparison</th><th scope=\"col\">result")) << "one pair";
  v1::Comparison* const other = source.session.mutable_report()->add_comparisons();
  *other = source.session.report().comparisons(0);
  other->set_candidate("second");
  EXPECT_TRUE(PageHas(PageOf(source), ">second vs base</td>"));
}

TEST(ReportPageTest, NeedsNoScriptAndNoNetwork) {
  const std::string page = PageOf(SampleSource(20));
  EXPECT_TRUE(PageHas(page, "content=\"default-src 'none'; style-src 'unsafe-inline'\""));
  for (const char* no : {"<script", "javascript:", " src=", "url(http", "@import", "onload"}) {
    EXPECT_FALSE(PageHas(page, no)) << no;
  }
}

TEST(ReportPageTest, NamesAreNeverMarkup) {
  const std::string hostile = "<script>alert(1)</script>\" onload='x' &amp;";
  ReportSource source = SampleSource(12);
  v1::Session& session = source.session;
  session.set_session(hostile);
  source.name = hostile;
  session.mutable_report()->mutable_comparisons(0)->set_candidate(hostile);
  session.mutable_report()->mutable_warnings(0)->set_message(hostile);
  session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(1)->set_command(hostile);
  (*session.mutable_spec()->mutable_labels())[hostile] = hostile;
  session.mutable_started()->mutable_environment(0)->set_value(hostile);
  session.mutable_started()->mutable_isolation(0)->set_why(hostile);
  source.metrics[0].arms[1].name = hostile;
  for (const std::string& page : {PageOf(source), *RenderMetricPicture(source, "wall_time")}) {
    EXPECT_FALSE(PageHas(page, "<script")) << page;
    EXPECT_FALSE(PageHas(page, "' onload")) << page;
    EXPECT_TRUE(
        PageHas(page, "&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&#39;x&#39; &amp;amp;"));
  }
}

TEST(ReportPageTest, IntervalsAreWatchedAgainAndEndAsTheAnalysisDoes) {
  const auto source = SourceOfTable("runs.csv", Csv(60), {});
  ASSERT_TRUE(source) << source.error().message;
  const auto& comparisons = source->session.report().comparisons();
  ASSERT_EQ(comparisons.size(), 2);
  EXPECT_EQ(source->session.report().verdict(), v1::VERDICT_REGRESSION);
  ASSERT_EQ(source->trajectories.size(), 2U);
  EXPECT_EQ(source->trajectories[0].points.back().effect.estimate,
            comparisons[0].change().estimate());
  EXPECT_EQ(*source->trajectories[0].points.back().effect.hi, comparisons[0].change().hi());
  const std::string page = PageOf(*source);
  EXPECT_TRUE(PageHas(page, "Regression")) << page;
  EXPECT_TRUE(PageHas(page, "How the interval shrank: new vs base"));
}

TEST(ReportPageTest, OneLookIsDrawnAsIfItHadBeenWatched) {
  benchd::TableOptions options;
  options.method = Method::kFixed;
  const auto source = SourceOfTable("runs.csv", Csv(60), options);
  ASSERT_TRUE(source) << source.error().message;
  ASSERT_FALSE(source->trajectories.empty());
  EXPECT_EQ(source->trajectories[0].method, Method::kPaired);
  EXPECT_TRUE(PageHas(PageOf(*source), "Drawn as if the session had looked after every block."));
}

TEST(ReportPageTest, SeveralAreSectionsBelowOnePictureOfTheirGates) {
  std::vector<ReportSource> sources;
  sources.push_back(SampleSource(12));
  sources.push_back(*SourceOfTable("other.csv", Csv(20), {}));
  const std::string page = RenderReportPage(sources);
  EXPECT_TRUE(PageHas(page, "<h1>2 results</h1>"));
  EXPECT_TRUE(PageHas(page, "<a href=\"#r1\">other.csv</a> regression"));
  EXPECT_TRUE(PageHas(page, "k3x9m2pq: wall_time, candidate vs base"));
  EXPECT_TRUE(PageHas(page, "other.csv: wall_time, new vs base"));
  EXPECT_TRUE(PageHas(page, "<h2 class=\"verdict regression\">"));
}

TEST(ReportPageTest, BuildsOfOneArmAreOneArmAndHaveAPictureOfTheirOwn) {
  const ReportSource source = LayoutSource(4, 8);
  ASSERT_TRUE(source.missing.empty()) << source.missing;
  ASSERT_EQ(source.metrics.size(), 1U);
  const MetricRuns& runs = source.metrics.front();
  ASSERT_EQ(runs.arms.size(), 2U) << "and not eight";
  EXPECT_EQ(runs.arms[1].name, "candidate");
  EXPECT_EQ(runs.arms[1].values.size(), 32U);
  const auto builds = LayoutsOf(runs, source.session.report().comparisons(0));
  ASSERT_TRUE(builds);
  ASSERT_EQ(builds->groups.size(), 2U);
  EXPECT_EQ(builds->groups[0].mean.value, 0) << "everything is beside it";
  const UnitOfPicture& mean = builds->groups[1].mean;
  EXPECT_NEAR(mean.value, 0.1, 0.05);
  EXPECT_EQ(mean.lo, source.session.report().comparisons(0).change().lo());
  ASSERT_EQ(builds->groups[1].units.size(), 4U);
  EXPECT_EQ(builds->groups[1].units[2].cells.front(), "candidate/3");
  EXPECT_EQ(builds->groups[1].units[2].cells.back(), "8 runs");
  const std::string page = PageOf(source);
  EXPECT_TRUE(PageHas(page, "Builds: candidate vs base"));
  EXPECT_TRUE(PageHas(page, ", candidate/3: ")) << "in the title of a run";
  EXPECT_FALSE(PageHas(page, "How the interval shrank")) << "there is one look";
  EXPECT_TRUE(PageHas(*RenderMetricPicture(source, "wall_time"), "unit candidate"));
}

TEST(ReportPageTest, ASessionOfOneBuildEachHasNoBuilds) {
  const ReportSource source = SampleSource(12);
  EXPECT_FALSE(
      LayoutsOf(source.metrics.front(), source.session.report().comparisons(0)).has_value());
}

TEST(ReportPageTest, ABuiltTableIsDrawnAsItsAnalysisComparesIt) {
  std::string csv = "arm,role,pair,rate\n";
  for (std::size_t i = 0; i < 80; ++i) {
    const bool base = i % 8 < 4;
    csv += std::string(base ? "base/" : "new/") + std::to_string(1 + i % 4) +
           (base ? ",reference," : ",candidate,") + std::to_string(i / 8) + "," +
           std::to_string((base ? 7.0 : 8.0) + 0.1 * static_cast<double>(i % 2) + Noise(i)) + "\n";
  }
  benchd::TableOptions options;
  options.method = Method::kLayouts;
  options.columns = {{"rate", "1/s", Better::kHigher, {}}};
  const auto source = SourceOfTable("runs.csv", csv, options);
  ASSERT_TRUE(source) << source.error().message;
  const v1::Comparison& one = source->session.report().comparisons(0);
  const auto builds = LayoutsOf(source->metrics.front(), one);
  ASSERT_TRUE(builds);
  EXPECT_NEAR(builds->groups[1].mean.value, one.change().estimate(), 1e-12);
}

TEST(ReportPageTest, SessionsOfSeveralMachinesHaveOneVerdictAboveTheirOwn) {
  std::vector<ReportSource> sources;
  for (std::size_t i = 0; i < 4; ++i) {
    sources.push_back(MachineSource(i, 0.1 + 0.003 * static_cast<double>(i)));
  }
  const auto combination = CombinationOf(sources);
  ASSERT_TRUE(combination);
  const UnitsOfPicture machines = MachinesOf(*combination, 0);
  ASSERT_EQ(machines.groups.size(), 1U);
  EXPECT_EQ(machines.groups[0].label, "4 machines");
  EXPECT_EQ(machines.groups[0].units[3].cells.front(), "node3.json");
  EXPECT_TRUE(machines.groups[0].prediction);
  EXPECT_EQ(machines.groups[0].margin->at, 0.02);
  ExpectGolden("picture_machines.svg",
               DrawUnits("machines", machines).svg.File(machines.name, machines.note));
  const std::string page = RenderReportPage(sources);
  EXPECT_TRUE(PageHas(page, "<h2>4 machines</h2>"));
  constexpr Style kPage{false, true, 0};
  EXPECT_TRUE(PageHas(page, SpreadSentence(combination->gates.front(), kPage))) << page;
  EXPECT_TRUE(PageHas(page, "REGRESSION: "));
  EXPECT_TRUE(PageHas(page, CombinationVerdicts(*combination, {}, kPage).front())) << page;
  sources[3].on_machine.reset();
  EXPECT_TRUE(PageHas(RenderReportPage(sources), "UNDECIDED: 3 machines"));
}

TEST(ReportPageTest, WhatIsNotTheSameComparisonOnSeveralMachinesIsNotCombined) {
  std::vector<ReportSource> sources;
  sources.push_back(MachineSource(0, 0.1));
  sources.push_back(MachineSource(0, 0.1));
  sources[1].on_machine->session = "another";
  EXPECT_FALSE(CombinationOf(sources)) << "one machine";
  sources.push_back(MachineSource(1, 0.1));
  EXPECT_TRUE(CombinationOf(sources));
  sources[2].on_machine->gates[0].margin = 0.05;
  EXPECT_FALSE(CombinationOf(sources)) << "another margin";
}

TEST(ReportPageTest, WhatFailedSaysWhyAndHasNoPictures) {
  v1::Session session = SampleSession();
  session.clear_report();
  session.set_state(v1::SESSION_STATE_FAILED);
  *session.mutable_failed() = SampleFailed();
  const ReportSource source = SourceOfSession(session, {});
  const std::string page = PageOf(source);
  EXPECT_TRUE(PageHas(page, "candidate exited with code 1")) << page;
  EXPECT_NE(source.missing, "");
  EXPECT_TRUE(PageHas(page, EscapeMarkup(source.missing))) << page;
  EXPECT_WORDING(source.missing);
}

TEST(ReportPageTest, BothPhasesOfAConfirmedSessionAreShown) {
  ReportSource source = SampleSource(20);
  EXPECT_FALSE(PageHas(PageOf(source), "second phase"));
  v1::Comparison& gate = *source.session.mutable_report()->mutable_comparisons(0);
  v1::Confirmation& second = *gate.mutable_confirmation();
  second.set_blocks(24);
  second.set_confidence(0.99);
  second.set_verdict(v1::VERDICT_REGRESSION);
  second.mutable_change()->set_estimate(0.09);
  second.mutable_change()->set_lo(0.08);
  second.mutable_change()->set_hi(0.1);
  std::string page = PageOf(source);
  EXPECT_TRUE(PageHas(page, "; second phase: +9.0 %")) << page;
  EXPECT_TRUE(PageHas(page, "regression, confirmed")) << page;
  EXPECT_TRUE(PageHas(page, "second phase: wall_time, candidate vs base")) << page;
  EXPECT_TRUE(PageHas(page, "<td>wall_time, second phase</td>") ||
              PageHas(page, ">wall_time, second phase</th>"))
      << page;
  EXPECT_TRUE(PageHas(page, "+8.0 … +10.0 %")) << page;
  EXPECT_TRUE(PageHas(page, "show the first phase")) << page;
  gate.set_reason("failed_in_candidate");
  page = PageOf(source);
  EXPECT_TRUE(PageHas(page, "regression, runs of candidate failed, confirmed")) << page;
  gate.set_verdict(v1::VERDICT_UNDECIDED);
  gate.set_reason("not_confirmed");
  second.set_verdict(v1::VERDICT_PASS);
  page = PageOf(source);
  EXPECT_TRUE(PageHas(page, "undecided, not confirmed")) << page;
  EXPECT_FALSE(PageHas(page, "regression, confirmed")) << page;
}

TEST(ReportPageTest, ANegativeMarginIsOnTheSideOfImprovements) {
  v1::Comparison gate = RegressionUpdate().comparisons(0);
  gate.set_margin_ratio(-0.05);
  EXPECT_EQ(MarginOf(gate)->at, -0.05);
  EXPECT_TRUE(MarginOf(gate)->worse_above) << "whatever is not 5 % lower regresses";
  gate.set_better(v1::BETTER_HIGHER);
  EXPECT_EQ(MarginOf(gate)->at, 0.05);
  EXPECT_FALSE(MarginOf(gate)->worse_above);
}

TEST(ReportPageTest, APictureIsOfAMetricThatIsThere) {
  const ReportSource source = SampleSource(20);
  const auto picture = RenderMetricPicture(source, "wall_time");
  ASSERT_TRUE(picture) << picture.error().message;
  ExpectGolden("report_picture.svg", *picture);
  const auto none = RenderMetricPicture(source, "wall");
  ExpectRefused(none);
}

TEST(ReportPageTest, TenThousandRunsAreBelowAMegabyte) {
  EXPECT_LT(PageOf(SampleSource(5000)).size(), 1'000'000U);
}

}  // namespace
}  // namespace benchd::client
