#include "client/present/explanation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/present/exports.h"
#include "client/present/json.h"
#include "client/present/live_view.h"
#include "client/present/pages.h"
#include "client/present/report.h"
#include "client/present/stacks.h"
#include "client/session/session_export.h"
#include "core/base/text.h"
#include "tests/client/explanation_samples.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

std::string Titled(const std::string& title, const std::string& text) {
  return "== " + title + "\n" + text;
}

std::string Narrow(int width) {
  Style style;
  style.width = width;
  return RenderExplanation(SampleExplanation(), {}, style);
}

TEST(ExplanationTest, TheTableFitsTheTerminal) {
  std::string text = Titled("unlimited", Narrow(0));
  for (const int width : {130, 100, 80, 50}) {
    const std::string narrow = Narrow(width);
    EXPECT_LE(Widest(Lines(narrow)), width) << narrow;
    text += Titled(std::to_string(width), narrow);
  }
  text +=
      Titled("ascii, ms", RenderExplanation(SampleExplanation(), {FunctionsShown::kAll, true, true},
                                            Style{.unicode = false, .time_unit = "ms"}));
  text += Titled("nothing changed", RenderExplanation(UnchangedExplanation(), {}, Style()));
  ExpectGolden("explanation.txt", text);
}

TEST(ExplanationTest, EveryFunctionThatChangedIsListedAndFewOthers) {
  v1::Explanation explanation = SampleExplanation();
  for (int i = 0; i < 9; ++i) {
    v1::FunctionChange* other = explanation.add_functions();
    *other = SampleExplanation().functions(5);
    other->set_function("other" + std::to_string(i));
  }
  const std::string usual = RenderExplanation(explanation, {}, Style());
  EXPECT_NE(usual.find("other2"), std::string::npos) << usual;
  EXPECT_EQ(usual.find("other3"), std::string::npos) << "five in all: " << usual;
  EXPECT_NE(usual.find("6 more functions"), std::string::npos) << usual;
  const std::string all = RenderExplanation(explanation, {FunctionsShown::kAll}, Style());
  EXPECT_NE(all.find("other8"), std::string::npos) << all;
  EXPECT_EQ(all.find("more functions"), std::string::npos) << all;
}

TEST(ExplanationTest, TheHeadlineSaysHowMuchIsExplained) {
  v1::Explanation explanation = SampleExplanation();
  EXPECT_WORDING(ExplanationHeadline(explanation, {}, Style()));
  explanation.mutable_change()->set_estimate(-0.0933);
  explanation.mutable_change()->set_lo(-0.1043);
  explanation.mutable_change()->set_hi(-0.0823);
  EXPECT_WORDING(ExplanationHeadline(explanation, {}, Style()));
  explanation.clear_explained();
  explanation.mutable_change()->set_hi(0.01);
  EXPECT_WORDING(ExplanationHeadline(explanation, {}, Style()));
  EXPECT_WORDING(ExplanationHeadline(UnchangedExplanation(), {}, Style()));
  v1::Explanation boundless = UnchangedExplanation();
  boundless.mutable_functions(0)->mutable_self()->clear_lo();
  EXPECT_WORDING(ExplanationHeadline(boundless, {}, Style()));
  v1::Explanation few = UnchangedExplanation();
  few.set_blocks(3);
  EXPECT_WORDING(ExplanationHeadline(few, {}, Style()));
  EXPECT_WORDING(ExplanationHeadline(few, {.of_builds = true}, Style()));
}

TEST(ExplanationTest, TheMeasuredChangeStandsBesideIt) {
  EXPECT_WORDING(MeasuredBeside(SampleExplanation(), SampleSession(), Style()));
  v1::Explanation other = SampleExplanation();
  other.set_candidate("another");
  EXPECT_EQ(MeasuredBeside(other, SampleSession(), Style()), "");
}

TEST(ExplanationTest, ThePlanSaysWhatItCanShow) {
  ExplainingPlan plan{.blocks = 23, .seconds = 46.2, .shown = 0.012, .change = 0.024};
  EXPECT_WORDING(PlanSentence(plan, Style()));
  plan.enough = false;
  plan.shown = 0.04;
  EXPECT_WORDING(PlanSentence(plan, Style()));
  EXPECT_WORDING(PlanSentence({.blocks = 3, .shown = 0, .enough = false}, Style()));
  EXPECT_WORDING(PlanSentence({.blocks = 30}, Style()));
}

TEST(ExplanationTest, ASampledSessionHasNoVerdict) {
  const v1::Session session = SampledSession();
  const std::string text =
      RenderFindings(session.report(), OptionsFor(session, Detail::kUsual), Style());
  EXPECT_EQ(text.find("REGRESSION"), std::string::npos) << text;
  EXPECT_EQ(text.find("wall_time"), std::string::npos) << text;
  EXPECT_EQ(RenderFindings(session.report(), OptionsFor(session, Detail::kVerdict), Style()),
            ExplanationHeadline(SampleExplanation(), {}, Style()) + "\n");
  const auto user = [](std::uint32_t uid) { return std::to_string(uid); };
  const std::string page = RenderSession(session, {}, user, Style());
  EXPECT_WORDING(page.substr(page.find("again: "),
                             page.find('\n', page.find("again: ")) - page.find("again: ")));
  EXPECT_NE(page.find("1000 Hz, callers by frame pointers"), std::string::npos) << page;
  EXPECT_NE(page.find("k3x9m2pq"), std::string::npos) << page;
  EXPECT_NE(RenderList({&session, 1}, user, session.ended_at(), Style()).find("explained"),
            std::string::npos);
}

TEST(ExplanationTest, TheValuesOfSampledRunsAreNotShownWhileTheyRun) {
  v1::Update update = SuiteUpdate();
  update.set_state(v1::SESSION_STATE_RUNNING);
  LiveState state;
  state.session = "q4r8s2tv";
  state.sampled = true;
  state.limits.set_runs(80);
  state.Apply(Event([&update](v1::SessionEvent& e) { *e.mutable_update() = update; }));
  EXPECT_WORDING(Join(RenderLiveView(state, Style(), 20), "\n"));
  PlainNarrator narrator(Style(), /*sampled=*/true);
  EXPECT_WORDING(Join(
      narrator.Describe(Event([&update](v1::SessionEvent& e) { *e.mutable_update() = update; }), 1),
      "\n"));
}

TEST(ExplanationTest, JsonHasTheWholeExplanation) {
  v1::SessionEvent event =
      Event([](v1::SessionEvent& e) { *e.mutable_verdict() = SampledSession().report(); });
  const Json json = Json::parse(EventJson(event));
  const Json& explanation = json["explanations"][0];
  EXPECT_EQ(explanation["explained"], 0.92);
  EXPECT_EQ(explanation["functions"][0]["function"], "parse_line(char const*)");
  EXPECT_EQ(explanation["functions"][0]["presence"], "both");
  EXPECT_FALSE(explanation["functions"][0].contains("matched"));
  EXPECT_EQ(explanation["functions"][1]["presence"], "gone");
  EXPECT_EQ(explanation["functions"][3]["matched"], "Reader<unsigned int>::next()");
  EXPECT_TRUE(explanation["functions"][0]["changed"]);
  EXPECT_FALSE(explanation["functions"][4]["changed"]);
  *event.mutable_verdict() = RegressionUpdate();
  EXPECT_FALSE(Json::parse(EventJson(event)).contains("explanations"));
}

TEST(ExplanationTest, NoExportHasAVerdictOfSampledRuns) {
  const v1::Session session = SampledSession();
  const std::string markdown = Exported("markdown", session);
  ExpectGolden("explanation.md", markdown);
  for (const char* format : {"markdown", "junit", "github", "bmf"}) {
    const std::string text = Exported(format, session);
    EXPECT_EQ(text.find("regression"), std::string::npos) << format << ": " << text;
    EXPECT_EQ(text.find("REGRESSION"), std::string::npos) << format << ": " << text;
  }
  EXPECT_NE(Exported("junit", session).find("skipped=\"1\""), std::string::npos);
  EXPECT_EQ(Exported("github", session), "[]\n");
  EXPECT_FALSE(MachineSessionOf(session, "session.json"));
}

TEST(StacksTest, TheMeasuredRunsOfAnArmAreAddedUp) {
  const std::vector<ArmStacks> stacks = SumStacks(SampledRuns(), false);
  ASSERT_EQ(stacks.size(), 2U);
  EXPECT_EQ(stacks[0].arm, "base");
  EXPECT_EQ(stacks[0].counts.at("main;hash_step"), 30);
  EXPECT_EQ(stacks[1].counts.at("main"), 810) << "without warm-up runs";
  EXPECT_FALSE(stacks[1].counts.contains("main;hash_step"));
}

TEST(StacksTest, BuildsOfAnArmCanBeOneArm) {
  std::vector<v1::Run> runs = SampledRuns();
  for (v1::Run& run : runs) run.set_arm(run.arm() + (run.block() == 0 ? "/1" : "/2"));
  EXPECT_EQ(SumStacks(runs, false).size(), 4U);
  EXPECT_EQ(SumStacks(runs, true), SumStacks(SampledRuns(), false));
}

TEST(FoldedExportTest, EachStackOfAnArmIsALine) {
  const ExportFormat& format = *FindExportFormat("folded");
  EXPECT_EQ(format.render(SampledSession(), SampledRuns()),
            "base;main 800\n"
            "base;main;Reader<unsigned int>::next() 40\n"
            "base;main;hash_step 30\n"
            "base;main;parse_line(char const*) 120\n"
            "base;main;parse_line(char const*);read_[i] 40\n"
            "candidate;main 810\n"
            "candidate;main;Reader<unsigned long>::next() 48\n"
            "candidate;main;fill 22\n"
            "candidate;main;parse_line(char const*) 210\n"
            "candidate;main;parse_line(char const*);read_[i] 40\n");
}

TEST(FoldedExportTest, WithSeveralBenchmarksTheBenchmarkIsTheOutermostFrame) {
  v1::Run parse = SampledRuns()[2];
  v1::Run render = parse;
  parse.set_benchmark("parse;all");
  render.set_benchmark("render");
  parse.mutable_samples()->DeleteSubrange(1, parse.samples_size() - 1);
  render.mutable_samples()->DeleteSubrange(1, render.samples_size() - 1);
  parse.mutable_samples(0)->set_value(123456789);
  EXPECT_EQ(FindExportFormat("folded")->render(SampledSession(), std::vector{parse, render}),
            "parse:all;base;main 123456789\nrender;base;main 400\n");
}

}  // namespace
}  // namespace benchd::client
