#include "client/session/setting_trial.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/present/calibration.h"
#include "tests/client/golden.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"

namespace benchd::client {
namespace {

ParsedArguments Given(std::vector<GivenOption> options) { return {std::move(options), {}}; }

std::vector<std::string> NamesOf(const std::vector<TrialSetting>& settings) {
  std::vector<std::string> names;
  for (const TrialSetting& one : settings) names.push_back(one.name);
  return names;
}

TEST(ReadTrialSettingsTest, OneKindOfIsolationIsNoTrial) {
  EXPECT_FALSE(WantsSettingTrial(Given({})));
  EXPECT_FALSE(WantsSettingTrial(Given({{"isolation", "off"}, {"machine-profile", "quiet"}})));
  EXPECT_TRUE(WantsSettingTrial(Given({{"isolation", "off,strict"}})));
  EXPECT_TRUE(WantsSettingTrial(Given({{"machine-profile", "a,b"}})));
  EXPECT_TRUE(WantsSettingTrial(Given({{"each", ""}})));
}

TEST(ReadTrialSettingsTest, KeepsTheOrderAndNamesWhatDiffers) {
  auto kinds = ReadTrialSettings(Given({{"isolation", "off,best-effort,strict"}}));
  ASSERT_TRUE(kinds) << kinds.error().message;
  EXPECT_EQ(NamesOf(*kinds), (std::vector<std::string>{"off", "best-effort", "strict"}));
  EXPECT_EQ((*kinds)[2].isolation, v1::ISOLATION_STRICT);
  EXPECT_EQ((*kinds)[2].profile, "default");
  auto profiles = ReadTrialSettings(Given({{"machine-profile", "a,b"}}));
  ASSERT_TRUE(profiles);
  EXPECT_EQ(NamesOf(*profiles), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ((*profiles)[1].isolation, v1::ISOLATION_BEST_EFFORT);
}

// Without machine settings, the profile does not matter.
TEST(ReadTrialSettingsTest, OffIsThereOnceWhateverTheProfiles) {
  auto both =
      ReadTrialSettings(Given({{"isolation", "off,best-effort"}, {"machine-profile", "a,b"}}));
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(NamesOf(*both), (std::vector<std::string>{"off", "best-effort/a", "best-effort/b"}));
}

TEST(ReadTrialSettingsTest, RefusesWhatCannotBeTried) {
  for (const std::vector<GivenOption>& options :
       {std::vector<GivenOption>{{"isolation", "off,stict"}},
        {{"isolation", "off,"}},
        {{"isolation", "off,off"}},
        {{"machine-profile", "a,,b"}},
        {{"each", ""}, {"isolation", "off,strict"}},
        {{"each", ""}, {"isolation", "off"}}}) {
    ExpectRefused(ReadTrialSettings(Given(options)));
  }
}

// 3 settings, 20 ms per block and 0.5 s overhead: segments of 2 s have 100 blocks, and 30 segments
// take 30 * 2.5 s = 75 s.
TEST(PlanTrialTest, TakesTenStretchesOfTwoSecondsUnlessToldOtherwise) {
  auto plan = PlanTrial(3, 0.02, 0.5, 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->rounds, 10U);
  EXPECT_EQ(plan->blocks, 100U);
  EXPECT_DOUBLE_EQ(plan->seconds, 75);
  plan = PlanTrial(3, 0.02, 0.5, 150);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->rounds, 20U);
  EXPECT_EQ(plan->blocks, 100U);
  plan = PlanTrial(3, 0.02, 0.5, 45);  // 1.5 s per segment, 1 s of it for blocks
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->rounds, 10U);
  EXPECT_EQ(plan->blocks, 50U);
}

TEST(PlanTrialTest, NamesTheTimeThatItNeeds) {
  const auto plan = PlanTrial(3, 0.02, 0.5, 10);  // 30 segments of 20 blocks: 27 s
  ASSERT_FALSE(plan);
  ExpectRefused(plan);
  EXPECT_TRUE(plan.error().message.starts_with("--for: ")) << plan.error().message;
  EXPECT_NE(plan.error().hint.find("27 s"), std::string::npos) << plan.error().hint;
  EXPECT_TRUE(PlanTrial(3, 10, 0, 0)) << "a slow program takes as long as it takes";
}

constexpr Style kTrialPlain{false, true, 0};

TrialRow Row(std::string name, double spread, std::size_t held) {
  return {.name = std::move(name),
          .refused = {},
          .stretches = 10,
          .median_s = 0.01012,
          .spread = spread,
          .tail = 1 + spread,
          .interruptions = 10 * spread,
          .foreign_switches = {},
          .held = held,
          .wanted = held > 0 ? std::size_t{9} : 0,
          .seen_in_minute = spread / 5};
}

TrialReport Found() {
  TrialReport report;
  report.rows = {Row("off", 0.042, 0), Row("best-effort", 0.019, 7), {.name = "strict"}};
  report.rows[2].refused = "cpuset: strict isolation needs isolated, but it is affinity";
  report.trial.settings.resize(3);
  report.trial.settings[1] = {.rounds = 10,
                              .spread = SpreadRatio{0.45, 0.31, 0.66},
                              .tail = SpreadRatio{0.98, 0.97, 1.01},
                              .effect = SettingEffect::kQuieter};
  report.trial.best = 1;
  report.seed = 18446744073709551615U;
  report.confidence = 0.95;
  report.runs = 200;
  return report;
}

TEST(RenderSettingTrialTest, PrintsATableAndWhatToMakeTheDefault) {
  TrialReport unclear = Found();
  unclear.trial.settings[1].effect = SettingEffect::kUnclear;
  unclear.trial.settings[1].spread = SpreadRatio{0.9, 0.7, 1.2};
  unclear.trial.best = 0;
  unclear.nothing_held = "user mode does not change machine settings";
  TrialReport worse = Found();
  worse.trial.settings[1].effect = SettingEffect::kNoisier;
  worse.trial.settings[1].spread = SpreadRatio{2, 1.5, 2.7};
  worse.trial.best = 0;
  TrialReport each = Found();
  each.each = true;
  each.rows[0].name = "all settings";
  each.rows[1].name = "without governor";
  each.rows[2] = Row("without boost", 0.04, 6);
  each.trial.settings[1] = worse.trial.settings[1];
  each.trial.settings[2] = unclear.trial.settings[1];
  TrialReport early = Found();
  early.trial.settings[1] = {.rounds = 1};
  early.trial.best = 0;
  std::string text;
  for (const TrialReport& report : {Found(), unclear, worse, each, early}) {
    text += RenderSettingTrial(report, kTrialPlain) + "\n";
  }
  ExpectGolden("setting_trial.txt", text);
}

TEST(SettingTrialJsonTest, HasWhatTheTableHas) {
  const auto now = Event([](auto&) {}).time();
  ExpectGolden("setting_trial.jsonl", SettingTrialJson(Found(), now) + "\n");
}

}  // namespace
}  // namespace benchd::client
