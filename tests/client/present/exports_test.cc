#include "client/present/exports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/present/markdown.h"
#include "client/present/markdown_limit.h"
#include "client/present/report.h"
#include "core/parse/harness_output.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

// Names with special characters of each format, a second candidate, and a rate.
v1::Session HostileSession() {
  v1::Session session = SampleSession();
  v1::Update* report = session.mutable_report();
  const std::string benchmark = "a|b `code` <script>&amp; @everyone #12\n]]> \x01 \xEF\xBF\xBF";
  const std::string candidate = "*bold* _x_ [link](http://a) \"quoted\" 'q' \\";
  for (v1::Comparison& c : *report->mutable_comparisons()) {
    c.set_benchmark(benchmark);
    c.set_candidate(candidate);
  }
  v1::Comparison* rate = report->add_comparisons();
  *rate = report->comparisons(0);
  rate->set_metric("rate ``x`` | y");
  rate->set_unit("B/s");
  rate->set_better(v1::BETTER_HIGHER);
  rate->set_mean_candidate(4);
  rate->set_sd_candidate(0.5);
  rate->set_verdict(v1::VERDICT_UNDECIDED);
  rate->clear_decided();
  report->mutable_warnings(0)->set_message("see <b>this</b> | @team `x`");
  session.mutable_spec()->mutable_benchmarks(0)->set_name(benchmark);
  session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(1)->set_name(candidate);
  *session.mutable_report() = WithFindings(session.report());
  return session;
}

v1::Session FailedSession() {
  v1::Session session;
  session.set_session("k3x9m2pq");
  session.set_state(v1::SESSION_STATE_FAILED);
  *session.mutable_failed() = SampleFailed();
  session.mutable_failed()->mutable_run()->set_stderr_tail("```\n</error> \x1b[31mred\x1b[0m\n");
  return session;
}

v1::Session CancelledSession() {
  v1::Session session;
  session.set_session("k3x9m2pq");
  session.set_state(v1::SESSION_STATE_CANCELLED);
  *session.mutable_report() = EarlyUpdate();
  session.mutable_cancelled()->set_by("uid 1000");
  return session;
}

std::string InAllStates(std::string_view format) {
  std::string text;
  for (const v1::Session& session :
       {SampleSession(), HostileSession(), SuiteSession(), FailedSession(), CancelledSession()}) {
    text += Exported(format, session) + "\f\n";
  }
  return text;
}

// A suite of that many benchmarks, each with one gate and the built-in metrics.
v1::Session LargeSuite(int benchmarks) {
  v1::Session session = SampleSession();
  v1::Update* const report = session.mutable_report();
  const v1::Comparison gate = report->comparisons(0);
  const v1::Comparison info = report->comparisons(2);
  report->clear_comparisons();
  const v1::Benchmark benchmark = session.spec().benchmarks(0);
  session.mutable_spec()->clear_benchmarks();
  for (int i = 0; i < benchmarks; ++i) {
    const std::string name = "parser/size=" + std::to_string(1000 + i);
    *session.mutable_spec()->add_benchmarks() = benchmark;
    session.mutable_spec()->mutable_benchmarks(i)->set_name(name);
    v1::Comparison* c = report->add_comparisons();
    *c = gate;
    c->set_benchmark(name);
    for (const char* metric :
         {"user_time", "system_time", "cpu_time", "tree_cpu_time", "max_rss", "minor_faults",
          "major_faults", "voluntary_switches", "involuntary_switches", "stolen_time"}) {
      c = report->add_comparisons();
      *c = info;
      c->set_benchmark(name);
      c->set_metric(metric);
    }
  }
  session.mutable_spec()->set_invocation("--file bench/suite.toml --only 'parser*'");
  return session;
}

TEST(ExportsTest, MarkdownIsShortAndCanBeRepeated) {
  constexpr int kBenchmarks = 20;
  const std::string text = Exported("markdown", LargeSuite(kBenchmarks));
  EXPECT_LE(text.size(), kBenchmarks * 400U) << text;
  EXPECT_EQ(text.find("stolen_time"), std::string::npos) << "what is zero in both arms";
  EXPECT_NE(text.find("\nbenchctl compare --seed 18446744073709551615 --file bench/suite.toml "
                      "--only 'parser*'\n"),
            std::string::npos)
      << text;
}

TEST(ExportsTest, MarkdownLeavesOutMeasuredMetricsThatAreZeroEvenIfNothingGates) {
  v1::Session session = SampleSession();
  v1::Update& report = *session.mutable_report();
  report.clear_verdict();
  for (v1::Comparison& c : *report.mutable_comparisons()) {
    c.set_role(v1::COMPARISON_ROLE_INFO);
    c.clear_verdict();
  }
  for (const char* metric : {"major_faults", "errors"}) {
    v1::Comparison& c = *report.add_comparisons();
    c = report.comparisons(2);
    c.set_metric(metric);
    c.set_mean_reference(0);
    c.set_mean_candidate(0);
  }
  const std::string text = Exported("markdown", session);
  EXPECT_NE(text.find("`max_rss`"), std::string::npos) << text;
  EXPECT_EQ(text.find("major_faults"), std::string::npos) << text;
  EXPECT_NE(text.find("`errors`"), std::string::npos) << "a metric of the program: " << text;
}

TEST(ExportsTest, MarkdownHasWarningsAboveTheFold) {
  v1::Session session = SampleSession();
  session.mutable_report()->clear_warnings();
  v1::Warning* const placebo = session.mutable_report()->add_warnings();
  placebo->set_code("placebo");
  placebo->set_message("the reference differs from itself");
  v1::Warning* const note = session.mutable_report()->add_warnings();
  note->set_code("outliers");
  note->set_message("2 of 12 values lie far out");
  const std::string text = Exported("markdown", session);
  const std::size_t fold = text.find("<details>");
  ASSERT_NE(fold, std::string::npos);
  EXPECT_LT(text.find("the reference differs from itself"), fold) << text;
  EXPECT_GT(text.find("2 of 12 values"), fold) << text;
  EXPECT_NE(text.find("2 of 12 values"), std::string::npos) << text;
}

TEST(ExportsTest, MarkdownHasTheOrderAboveTheFold) {
  v1::Session session = SampleSession();
  v1::ArmOrder* const order = session.mutable_report()->add_orders();
  order->set_metric("wall_time");
  order->add_groups()->add_arms("candidate");
  order->add_groups()->add_arms("base");
  v1::ArmFactor* const factor = order->add_factors();
  factor->set_arm("base");
  factor->mutable_factor()->set_estimate(2.51);
  const std::string text = Exported("markdown", session);
  const std::size_t at = text.find("\n- fastest: candidate, then base 2.510 times\n");
  EXPECT_NE(at, std::string::npos) << text;
  EXPECT_LT(at, text.find("<details>"));
}

// A suite of 200 gates: every tenth regressed, the later the worse, and the others passed.
v1::Session SuiteWithRegressions() {
  v1::Session session = LargeSuite(200);
  int gates = 0;
  for (v1::Comparison& c : *session.mutable_report()->mutable_comparisons()) {
    if (c.role() != v1::COMPARISON_ROLE_GATE) continue;
    const bool regressed = gates++ % 10 == 9;
    c.set_verdict(regressed ? v1::VERDICT_REGRESSION : v1::VERDICT_PASS);
    c.mutable_change()->set_estimate(regressed ? 0.1 + gates * 0.001 : 0.001);
  }
  return session;
}

std::size_t RowsIn(const std::string& markdown) {
  std::size_t rows = 0;
  for (const std::string& line : Lines(markdown)) {
    rows += line.starts_with("| `parser") && line.find("wall_time") != std::string::npos ? 1 : 0;
  }
  return rows;
}

TEST(ExportsTest, MarkdownShowsTheTenWorstAndFoldsTheRest) {
  const std::string text = Exported("markdown", SuiteWithRegressions());
  EXPECT_LE(text.size(), kCommentBytes) << "without leaving anything out";
  const std::size_t fold = text.find("<details>");
  const std::string shown = text.substr(0, fold);
  EXPECT_EQ(RowsIn(shown), 10U) << shown;
  EXPECT_EQ(shown.find("✅"), std::string::npos) << shown;
  const std::size_t worst = shown.find("| `parser/size=1199`");
  ASSERT_NE(worst, std::string::npos) << shown;
  EXPECT_LT(worst, shown.find("| `parser/size=1189`"));
  EXPECT_EQ(shown.find("| `parser/size=1099`"), std::string::npos) << "the eleventh";
  EXPECT_EQ(RowsIn(text.substr(fold)), 190U);
  EXPECT_NE(text.find("<summary>190 more gates, "), std::string::npos) << text;
  EXPECT_LT(text.find("| `parser/size=1099`"), text.find("| `parser/size=1000`"))
      << "in the fold, what regressed comes first, too";
}

TEST(ExportsTest, MarkdownOfAPassHasNoTableOfWhatDidNotChange) {
  v1::Session session = SuiteWithRegressions();
  for (v1::Comparison& c : *session.mutable_report()->mutable_comparisons()) {
    if (c.role() == v1::COMPARISON_ROLE_GATE) c.set_verdict(v1::VERDICT_PASS);
  }
  session.mutable_report()->set_verdict(v1::VERDICT_PASS);
  const std::string text = Exported("markdown", session);
  EXPECT_EQ(RowsIn(text.substr(0, text.find("<details>"))), 0U) << text;
  EXPECT_EQ(RowsIn(text), 200U);
}

TEST(ExportsTest, MarkdownNamesCommitsAndMachineAndLinksThem) {
  v1::Session session = SampleSession();
  const std::string base(40, 'a');
  const std::string head(40, 'b');
  const auto commit = [&session](int arm, const std::string& id, const std::string& description) {
    v1::Commit* to =
        session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(arm)->mutable_commit();
    to->set_id(id);
    to->set_description(description);
  };
  commit(0, base, "v1.2");
  commit(1, head, "bbbbbbb");
  v1::EnvironmentFact* host = session.mutable_started()->add_environment();
  host->set_name("hostname");
  host->set_value("bench_7");
  const std::string plain = Exported("markdown", session);
  EXPECT_NE(plain.find("\n\nv1.2 (`aaaaaaaaaaaa`) → `bbbbbbbbbbbb`, on bench\\_7 (A CPU)\n\n"),
            std::string::npos)
      << plain;
  EXPECT_LT(plain.find("bench\\_7"), plain.find("| metric"));
  const std::string linked =
      RenderMarkdown(session, {.commits = "https://host/commit/", .job = "https://host/job"});
  EXPECT_NE(linked.find("v1.2 ([`aaaaaaaaaaaa`](https://host/commit/" + base + ")) → " +
                        "[`bbbbbbbbbbbb`](https://host/commit/" + head +
                        "), on bench\\_7 (A CPU), " + "[job](https://host/job)\n"),
            std::string::npos)
      << linked;
  commit(1, "not) an [id](x", "");
  const std::string hostile =
      RenderMarkdown(session, {.commits = "https://host/commit/", .job = {}});
  EXPECT_EQ(hostile.find("commit/not"), std::string::npos) << hostile;
}

TEST(ExportsTest, MarkdownIsFitForAPullRequest) {
  ExpectGolden("export_markdown.txt", InAllStates("markdown"));
}

TEST(ExportsTest, JunitHasACaseForEachGate) {
  ExpectGolden("export_junit.txt", InAllStates("junit"));
}

v1::Warning WarningOf(const std::string& code, const std::string& message,
                      const std::string& benchmark = "", const std::string& arm = "") {
  v1::Warning warning;
  warning.set_code(code);
  warning.set_message(message);
  warning.set_benchmark(benchmark);
  warning.set_arm(arm);
  return warning;
}

std::size_t TimesIn(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Jenkins shows the output of the test case, other tools that of the suite.
TEST(ExportsTest, JunitHasEveryWarningThatTakesSomethingFromAVerdict) {
  v1::Session session = SuiteSession();
  v1::Update& report = *session.mutable_report();
  v1::Comparison second = report.comparisons(0);
  second.set_candidate("candidate-2");
  *report.add_comparisons() = second;
  report.mutable_comparisons()->SwapElements(1, 3);
  v1::Warning of_metric = WarningOf("resolution", "a step", "render a page", "candidate");
  of_metric.set_metric("max_rss");
  for (const v1::Warning& warning :
       {WarningOf("placebo", "<all>"), WarningOf("placebo", "copy", "parse", "placebo"),
        WarningOf("failed_runs", "1 of 20 runs of base", "parse", "base"),
        WarningOf("failed_runs", "18 of 20 runs", "parse", "candidate"),
        WarningOf("outliers", "a note", "parse", "candidate"), of_metric,
        WarningOf("metric_missing", "nothing is compared", "lost")}) {
    *report.add_warnings() = warning;
  }
  const std::string text = Exported("junit", session);
  const std::string suite = text.substr(0, text.find("</testsuite>"));
  const std::string first_case = suite.substr(0, suite.find("</testcase>"));
  for (const char* told : {"warning: &lt;all&gt;", "warning: copy", "warning: 1 of 20 runs of base",
                           "warning: 18 of 20 runs"}) {
    EXPECT_EQ(TimesIn(first_case, told), 1U) << told << text;
  }
  EXPECT_EQ(TimesIn(suite, "1 of 20 runs of base"), 3U) << "two cases and the suite: " << text;
  EXPECT_EQ(TimesIn(suite, "18 of 20 runs"), 2U) << "not with the other candidate: " << text;
  EXPECT_EQ(TimesIn(text, "a step"), 2U) << "not with the other metric: " << text;
  EXPECT_EQ(TimesIn(text, "a note"), 0U) << text;
  EXPECT_NE(text.find("<testsuite name=\"lost\" tests=\"0\""), std::string::npos) << text;
  EXPECT_EQ(TimesIn(text, "nothing is compared"), 1U) << text;
}

TEST(ExportsTest, JunitOfNoGateHasTheWarningsOfTheSession) {
  v1::Session session = SampleSession();
  session.mutable_report()->clear_comparisons();
  session.mutable_report()->clear_warnings();
  EXPECT_EQ(Exported("junit", session).find("<testsuite "), std::string::npos);
  *session.mutable_report()->add_warnings() = WarningOf("placebo", "of all");
  EXPECT_NE(Exported("junit", session).find("warning: of all"), std::string::npos);
}

// Checked for each gate, because the result of the session may depend on other gates.
TEST(ExportsTest, WhatTheEstimateSettledIsToldAsThat) {
  for (const v1::Verdict verdict : {v1::VERDICT_PASS, v1::VERDICT_REGRESSION}) {
    v1::Session session = SampleSession();
    v1::Update& report = *session.mutable_report();
    report.set_basis(v1::BASIS_ESTIMATE);
    v1::Comparison& gate = *report.mutable_comparisons(0);
    gate.set_verdict(verdict);
    const std::string by_interval = Exported("junit", session);
    gate.clear_decided();
    const std::string sentence = GateSentence(gate, Style{});
    const std::size_t last = sentence.rfind("; ");
    ASSERT_NE(last, std::string::npos) << sentence;
    const std::string words = sentence.substr(last);
    EXPECT_WORDING(words);
    EXPECT_EQ(by_interval.find(words), std::string::npos) << by_interval;
    for (const std::string& text : {Exported("junit", session), Exported("github", session)}) {
      EXPECT_NE(text.find(words), std::string::npos) << text;
    }
    report.set_verdict(verdict);
    for (const Detail detail : {Detail::kVerdict, Detail::kUsual, Detail::kAll}) {
      const std::string told = RenderFindings(report, OptionsFor(session, detail), Style{});
      EXPECT_EQ(TimesIn(told, words), 1U) << told;
    }
    EXPECT_EQ(TimesIn(Exported("markdown", session), words), 1U);
  }
}

TEST(ExportsTest, GithubHasTheMeansOfGates) {
  ExpectGolden("export_github.txt", InAllStates("github"));
}

TEST(ExportsTest, BmfHasTheMeansOfAllMetrics) {
  ExpectGolden("export_bmf.txt", InAllStates("bmf"));
}

TEST(ExportsTest, AWorseRateIsAHigherReciprocal) {
  const auto json = nlohmann::json::parse(Exported("github", HostileSession()));
  ASSERT_EQ(json.size(), 2U) << "gates alone";
  EXPECT_EQ(json[1]["value"], 0.25);
  EXPECT_EQ(json[1]["unit"], "s/B");
  EXPECT_EQ(json[1]["range"], "± 0.0312") << "0.5 / 4^2";
}

TEST(ExportsTest, ASeriesHasNoCandidatesNameUnlessThereAreSeveral) {
  v1::Session session = SampleSession();
  auto json = nlohmann::json::parse(Exported("github", session));
  EXPECT_EQ(json[0]["name"], "main: wall_time");
  v1::Comparison second = session.report().comparisons(0);
  second.set_candidate("other");
  *session.mutable_report()->add_comparisons() = second;
  json = nlohmann::json::parse(Exported("github", session));
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["name"], "main/candidate: wall_time");
  EXPECT_EQ(json[1]["name"], "main/other: wall_time");
}

TEST(ExportsTest, ACandidateAgainstTwoReferencesIsToldOnce) {
  v1::Session session = SampleSession();
  v1::Comparison second = session.report().comparisons(0);
  second.set_reference("older");
  *session.mutable_report()->add_comparisons() = second;
  EXPECT_EQ(nlohmann::json::parse(Exported("github", session)).size(), 1U);
}

TEST(ExportsTest, ThePlaceboIsNoResult) {
  v1::Session session = SampleSession();
  v1::Arm* arm = session.mutable_spec()->mutable_benchmarks(0)->add_arms();
  arm->set_name("placebo");
  arm->set_role(v1::ARM_ROLE_PLACEBO);
  v1::Comparison placebo = session.report().comparisons(1);
  placebo.set_candidate("placebo");
  *session.mutable_report()->add_comparisons() = placebo;
  EXPECT_EQ(Exported("bmf", session), Exported("bmf", SampleSession()));
}

TEST(ExportsTest, BmfReadsBack) {
  v1::Session session = SampleSession();
  v1::Comparison* latency = session.mutable_report()->mutable_comparisons(1);
  latency->set_metric("latency");  // Bencher's own metric, in nanoseconds
  const auto output = ParseHarnessOutput("bmf", Exported("bmf", session));
  ASSERT_TRUE(output) << output.error().message;
  ASSERT_EQ(output->samples.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const v1::Comparison& c = session.report().comparisons(static_cast<int>(i));
    EXPECT_EQ(output->samples[i].inner_benchmark, c.benchmark());
    EXPECT_EQ(output->samples[i].metric, c.metric());
    EXPECT_DOUBLE_EQ(output->samples[i].value, c.mean_candidate());
  }
}

TEST(ExportsTest, EveryOptionHasAFormat) {
  std::set<std::string_view> offered;
  for (const OptionInfo& option : ExportOptions(/*of_session=*/true)) {
    EXPECT_NE(FindExportFormat(ExportFormatOf(option.name)), nullptr) << option.name;
    offered.insert(ExportFormatOf(option.name));
  }
  const auto of_stacks = std::ranges::count_if(ExportFormats(), &ExportFormat::of_stacks);
  EXPECT_EQ(of_stacks, 1) << "folded, which only export writes";
  EXPECT_EQ(offered.size() + 1, ExportFormats().size());
  EXPECT_EQ(FindExportFormat(ExportFormatOf("json")), nullptr) << "--json is another option";
  EXPECT_EQ(FindExportFormat(ExportFormatOf("export-")), nullptr);
}

}  // namespace
}  // namespace benchd::client
