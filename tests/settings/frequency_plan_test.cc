#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/settings/plan.h"
#include "tests/settings/plan_fixture.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using testing::StartsWith;

class FrequencyPlanTest : public PlanFixture {
 protected:
  void PutCpufreq(int cpu, const std::string& name, const std::string& text) const {
    tree_.Put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/" + name, text);
  }
  /// Writes a file for every CPU.
  void PutCpufreq(const std::string& name, const std::string& text) const {
    for (int cpu = 0; cpu < 8; ++cpu) PutCpufreq(cpu, name, text);
  }
  void PutDriver() const {
    PutCpufreq("scaling_governor", "powersave");
    PutCpufreq("scaling_available_governors", "powersave performance");
    PutCpufreq("scaling_min_freq", "800000");
    PutCpufreq("scaling_max_freq", "2000000");
    PutCpufreq("cpuinfo_min_freq", "800000");
    PutCpufreq("cpuinfo_max_freq", "3600000");
  }
  /// The names of the settings, in order.
  std::string Names() const {
    std::string names;
    for (const PlannedSetting& planned : Plan()) names += planned.name + " ";
    return names;
  }
};

TEST_F(FrequencyPlanTest, SetsTheGovernorWhereBenchmarksRun) {
  PutDriver();
  profile_.governor = "performance";
  EXPECT_EQ(Changes("governor"),
            "governor 1=performance, governor 2=performance, governor 3=performance");
}

TEST_F(FrequencyPlanTest, TellsTheGovernorsThatDiffer) {
  PutDriver();
  profile_.governor = "performance";
  EXPECT_EQ(Present("governor"), "powersave");
  PutCpufreq(2, "scaling_governor", "schedutil");
  EXPECT_EQ(Present("governor"), "powersave (CPUs 1,3), schedutil (CPU 2)");
}

TEST_F(FrequencyPlanTest, NamesTheGovernorsThatThereAre) {
  PutDriver();
  profile_.governor = "userspace";
  EXPECT_WORDING(Changes("governor"));
  EXPECT_EQ(Present("governor"), "powersave");
}

TEST_F(FrequencyPlanTest, TrustsADriverThatListsNoGovernors) {
  for (int cpu = 0; cpu < 8; ++cpu) PutCpufreq(cpu, "scaling_governor", "powersave");
  profile_.governor = "performance";
  EXPECT_THAT(Changes("governor"), StartsWith("governor 1=performance"));
}

TEST_F(FrequencyPlanTest, SaysThatTheHostDecidesWhereThereIsNoDriver) {
  profile_.governor = profile_.energy_preference = "performance";
  profile_.min_frequency_khz = profile_.max_frequency_khz = "800000";
  profile_.boost = "off";
  for (const PlannedSetting& planned : Plan()) {
    EXPECT_WORDING(planned.name + " => " + Text(planned));
    EXPECT_EQ(PresentValue(planned, settings_), "");
  }
}

TEST_F(FrequencyPlanTest, NamesTheCpuThatHasNoGovernor) {
  PutCpufreq(1, "scaling_governor", "powersave");
  profile_.governor = "performance";
  EXPECT_WORDING(Changes("governor"), {{tree_.root(), "ROOT"}});
}

TEST_F(FrequencyPlanTest, SetsTheEnergyPreferenceBeforeTheGovernorThatFixesIt) {
  PutDriver();
  PutCpufreq("energy_performance_preference", "balance_performance");
  PutCpufreq("energy_performance_available_preferences", "default performance power");
  profile_.governor = profile_.energy_preference = "performance";
  EXPECT_EQ(Names(), "energy_preference governor ");
  EXPECT_THAT(Changes("energy_preference"), StartsWith("energy_preference 1=performance"));
  EXPECT_EQ(Present("energy_preference"), "balance_performance");
  profile_.energy_preference = "balance_power";
  EXPECT_WORDING(Changes("energy_preference"));
}

TEST_F(FrequencyPlanTest, LeavesOutAnEnergyPreferenceThatTheDriverDoesNotKnow) {
  PutDriver();
  profile_.governor = profile_.energy_preference = "performance";
  EXPECT_EQ(Names(), "governor ");
}

TEST_F(FrequencyPlanTest, SetsTheLimits) {
  PutDriver();
  profile_.min_frequency_khz = "1000000";
  profile_.max_frequency_khz = "1800000";
  cpus_.used = {1};
  EXPECT_EQ(Names(), "min_frequency_khz max_frequency_khz ");
  EXPECT_EQ(Changes("min_frequency_khz"), "min_frequency 1=1000000");
  EXPECT_EQ(Changes("max_frequency_khz"), "max_frequency 1=1800000");
  EXPECT_EQ(Present("max_frequency_khz"), "2000000");
}

TEST_F(FrequencyPlanTest, RaisesTheUpperLimitFirstWhenTheLowerOneWouldPassIt) {
  PutDriver();
  profile_.min_frequency_khz = profile_.max_frequency_khz = "3000000";
  EXPECT_EQ(Names(), "max_frequency_khz min_frequency_khz ");
  profile_.max_frequency_khz = "";
  EXPECT_EQ(Names(), "min_frequency_khz ");
}

TEST_F(FrequencyPlanTest, NamesTheFrequenciesThatAreLeft) {
  PutDriver();
  profile_.max_frequency_khz = "4000000";
  EXPECT_WORDING(Changes("max_frequency_khz"));
  profile_.max_frequency_khz = "799999";
  EXPECT_WORDING(Changes("max_frequency_khz"));
}

TEST_F(FrequencyPlanTest, TurnsBoostOffByTheDriversSwitch) {
  PutDriver();
  tree_.Put("sys/devices/system/cpu/cpufreq/boost", "1");
  profile_.boost = "off";
  EXPECT_EQ(Changes("boost"), "boost=0");
  EXPECT_EQ(Present("boost"), "on");
  profile_.boost = "on";
  EXPECT_EQ(Changes("boost"), "boost=1");
}

TEST_F(FrequencyPlanTest, TurnsBoostOffByIntelsSwitchThatSaysTheOpposite) {
  PutDriver();
  tree_.Put("sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  profile_.boost = "off";
  EXPECT_EQ(Changes("boost"), "no_turbo=1");
  EXPECT_EQ(Present("boost"), "on");
  tree_.Put("sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  EXPECT_EQ(Present("boost"), "off");
  profile_.boost = "on";
  EXPECT_EQ(Changes("boost"), "no_turbo=0");
}

TEST_F(FrequencyPlanTest, AProcessorWithoutBoostHasItOff) {
  PutDriver();
  profile_.boost = "off";
  EXPECT_EQ(Changes("boost"), "");
  EXPECT_EQ(Present("boost"), "off");
  profile_.boost = "on";
  EXPECT_WORDING(Changes("boost"), {{tree_.root(), "ROOT"}});
}

TEST_F(FrequencyPlanTest, LeavesBoostOfOtherCpusAloneWhereEachHasItsSwitch) {
  PutDriver();
  tree_.Put("sys/devices/system/cpu/cpufreq/boost", "1");
  PutCpufreq("boost", "1");
  profile_.boost = "off";
  EXPECT_EQ(Changes("boost"), "cpu_boost 1=0, cpu_boost 2=0, cpu_boost 3=0");
  EXPECT_EQ(Present("boost"), "on");
  PutCpufreq(2, "boost", "0");
  EXPECT_EQ(Present("boost"), "on (CPUs 1,3), off (CPU 2)");
  // The machine's switch overrides the CPUs' own.
  profile_.boost = "on";
  tree_.Put("sys/devices/system/cpu/cpufreq/boost", "0");
  EXPECT_EQ(Changes("boost"), "boost=1");
}

TEST_F(FrequencyPlanTest, LimitsTheFrequencyWhereAmdPstateHasNoSwitch) {
  PutDriver();
  PutCpufreq("scaling_driver", "amd-pstate-epp");
  PutCpufreq("scaling_max_freq", "3600000");
  profile_.boost = "off";
  EXPECT_WORDING(Changes("boost"), {{tree_.root(), "ROOT"}});
  for (int cpu = 0; cpu < 8; ++cpu) {
    tree_.Put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/acpi_cppc/nominal_freq",
              "2400");
  }
  cpus_.used = {1};
  EXPECT_EQ(Changes("boost"), "max_frequency 1=2400000");
  EXPECT_EQ(Present("boost"), "on");
  PutCpufreq("scaling_max_freq", "2400000");
  EXPECT_EQ(Present("boost"), "off");
}

TEST_F(FrequencyPlanTest, TurnsBoostOffBeforeTheLimitsThatItMoves) {
  PutDriver();
  profile_.boost = "off";
  profile_.max_frequency_khz = "1000000";
  profile_.governor = "performance";
  EXPECT_EQ(Names(), "governor boost max_frequency_khz ");
}

}  // namespace
}  // namespace benchd
