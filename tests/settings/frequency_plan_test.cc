#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/settings/plan.h"
#include "tests/settings/plan_fixture.h"

namespace benchd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kNoDriver =
    "missing: no cpufreq driver (in a virtual machine the host decides)";

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
            "governor of CPU 1=performance, governor of CPU 2=performance, governor of CPU "
            "3=performance");
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
  EXPECT_EQ(Changes("governor"),
            "missing: 'userspace' is not among the driver's governors: powersave "
            "performance");
  EXPECT_EQ(Present("governor"), "powersave");
}

TEST_F(FrequencyPlanTest, TrustsADriverThatListsNoGovernors) {
  for (int cpu = 0; cpu < 8; ++cpu) PutCpufreq(cpu, "scaling_governor", "powersave");
  profile_.governor = "performance";
  EXPECT_THAT(Changes("governor"), StartsWith("governor of CPU 1=performance"));
}

TEST_F(FrequencyPlanTest, SaysThatTheHostDecidesWhereThereIsNoDriver) {
  profile_.governor = profile_.energy_preference = "performance";
  profile_.min_frequency_khz = profile_.max_frequency_khz = "800000";
  profile_.boost = "off";
  for (const PlannedSetting& planned : Plan()) {
    EXPECT_EQ(Text(planned), kNoDriver) << planned.name;
    EXPECT_EQ(PresentValue(planned, settings_), "");
  }
}

TEST_F(FrequencyPlanTest, NamesTheCpuThatHasNoGovernor) {
  PutCpufreq(1, "scaling_governor", "powersave");
  profile_.governor = "performance";
  EXPECT_THAT(Changes("governor"), HasSubstr("cpu2/cpufreq/scaling_governor: No such file"));
}

TEST_F(FrequencyPlanTest, SetsTheEnergyPreferenceBeforeTheGovernorThatFixesIt) {
  PutDriver();
  PutCpufreq("energy_performance_preference", "balance_performance");
  PutCpufreq("energy_performance_available_preferences", "default performance power");
  profile_.governor = profile_.energy_preference = "performance";
  EXPECT_EQ(Names(), "energy_preference governor ");
  EXPECT_THAT(Changes("energy_preference"), StartsWith("energy preference of CPU 1=performance"));
  EXPECT_EQ(Present("energy_preference"), "balance_performance");
  profile_.energy_preference = "balance_power";
  EXPECT_THAT(Changes("energy_preference"),
              HasSubstr("not among the driver's energy preferences: default perf"));
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
  EXPECT_EQ(Changes("min_frequency_khz"), "minimum frequency of CPU 1=1000000");
  EXPECT_EQ(Changes("max_frequency_khz"), "maximum frequency of CPU 1=1800000");
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
  EXPECT_EQ(Changes("max_frequency_khz"),
            "missing: 4000000 kHz is outside the range of CPU 1, 800000 to 3600000 kHz");
  profile_.max_frequency_khz = "799999";
  EXPECT_THAT(Changes("max_frequency_khz"), HasSubstr("is outside"));
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
  EXPECT_THAT(Changes("boost"), StartsWith("missing: the kernel does not have a switch for it"));
}

TEST_F(FrequencyPlanTest, LeavesBoostOfOtherCpusAloneWhereEachHasItsSwitch) {
  PutDriver();
  tree_.Put("sys/devices/system/cpu/cpufreq/boost", "1");
  PutCpufreq("boost", "1");
  profile_.boost = "off";
  EXPECT_EQ(Changes("boost"), "boost of CPU 1=0, boost of CPU 2=0, boost of CPU 3=0");
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
  EXPECT_THAT(Changes("boost"), StartsWith("missing: the kernel does not have a switch for it"));
  for (int cpu = 0; cpu < 8; ++cpu) {
    tree_.Put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/acpi_cppc/nominal_freq",
              "2400");
  }
  cpus_.used = {1};
  EXPECT_EQ(Changes("boost"), "maximum frequency of CPU 1=2400000");
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
