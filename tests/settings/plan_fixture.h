#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/settings/plan.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/settings/fake_units.h"

namespace benchd {

/// A machine of eight threads (cores 0,4 1,5 2,6 3,7 on two packages) with the default profile's
/// CPUs, for tests of plans.
class PlanFixture : public testing::Test {
 protected:
  PlanFixture() {
    tree_.Put("sys/devices/system/cpu/online", "0-7");
    tree_.Put("sys/devices/system/cpu/present", "0-7");
    for (int cpu = 0; cpu < 8; ++cpu) {
      const int core = cpu % 4;
      tree_.PutCpu(cpu, std::to_string(core) + "," + std::to_string(core + 4), core / 2);
    }
  }

  /// A profile that changes nothing.
  static MachineProfile Nothing() {
    MachineProfile profile;
    profile.irqs = profile.workqueues = profile.smt = profile.governor = profile.boost = "";
    profile.energy_preference = profile.timer_migration = profile.nmi_watchdog = "";
    return profile;
  }

  std::vector<PlannedSetting> Plan() const { return PlanSettings(profile_, cpus_, settings_); }
  /// The planned setting with this name.
  PlannedSetting Planned(const std::string& name) const {
    const std::vector<PlannedSetting> plan = Plan();
    const auto found = std::find_if(
        plan.begin(), plan.end(), [&name](const PlannedSetting& one) { return one.name == name; });
    EXPECT_NE(found, plan.end()) << name << " is not planned";
    return found == plan.end() ? PlannedSetting{} : *found;
  }

  /// "governor 1=performance" for each change, with "?" after an optional one; or "missing: WHY".
  static std::string Text(const PlannedSetting& planned) {
    if (!planned.missing.empty()) {
      EXPECT_TRUE(planned.changes.empty()) << "what is missing changes nothing";
      return "missing: " + planned.missing;
    }
    std::string text;
    for (const SettingChange& change : planned.changes) {
      text += (text.empty() ? "" : ", ") + std::string(SettingKindName(change.key.kind)) +
              (change.key.target.empty() ? "" : " " + change.key.target) + "=" + change.value +
              (change.optional ? "?" : "");
    }
    return text;
  }
  std::string Changes(const std::string& name) const { return Text(Planned(name)); }
  std::string Present(const std::string& name) const {
    return PresentValue(Planned(name), settings_);
  }

  KernelTree tree_;
  KernelFiles files_{tree_.root()};
  FakeUnits units_;
  Settings settings_{files_, units_};
  MachineProfile profile_ = Nothing();
  ProfileCpus cpus_{
      .housekeeping = {0, 4}, .benchmark = {1, 2, 3, 5, 6, 7}, .used = {1, 2, 3}, .why = {}};
};

}  // namespace benchd
