#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/settings/setting.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/settings/faulty_files.h"

namespace benchd {

inline std::vector<SettingKind> AllKinds() {
  std::vector<SettingKind> kinds;
  for (int i = 0; i <= static_cast<int>(kLastSettingKind); ++i) kinds.push_back(SettingKind(i));
  return kinds;
}

/// A systemd that stores every value that it is given, or refuses everything.
class KeepingUnits : public UnitProperties {
 public:
  Result<std::string> AllowedCpus(std::string_view unit) override {
    if (refusal) return *refusal;
    return allowed[std::string(unit)];
  }
  Result<void> SetAllowedCpus(std::string_view unit, std::string_view cpus) override {
    if (refusal) return *refusal;
    allowed[std::string(unit)] = cpus;
    return {};
  }

  std::map<std::string, std::string> allowed;
  std::optional<Error> refusal;
};

/// Lines of a hybrid machine.
inline constexpr const char* kMountInfo =
    "24 1 0:22 / /proc rw - proc proc rw\n"
    "33 30 0:29 / /sys/fs/cgroup/systemd rw shared:11 - cgroup cgroup rw,name=systemd\n"
    "35 30 0:31 / /sys/fs/cgroup/unified rw shared:13 - cgroup2 cgroup2 rw,nsdelegate";

class SettingsTest : public testing::Test {
 protected:
  void SetUp() override { tree_.Put("proc/self/mountinfo", kMountInfo); }

  std::string Read(const SettingKey& key) const {
    auto value = settings_.Read(key);
    return value ? *value : "error: " + value.error().message;
  }
  std::string Write(const SettingKey& key, std::string_view value) const {
    auto written = settings_.Write(key, value);
    return written ? "" : written.error().message;
  }

  KernelTree tree_;
  FaultyFiles files_{tree_.root()};
  KeepingUnits units_;
  Settings settings_{files_, units_};
};

/// A setting and the content of its file.
struct FileCase {
  SettingKey key;
  const char* path;
  const char* text;     ///< as the kernel writes it
  const char* value;    ///< in normal form
  const char* other;    ///< another value ...
  const char* written;  ///< ... and its text in the file
};

inline const FileCase kFileCases[] = {
    {{SettingKind::kIrqAffinity, "24"}, "proc/irq/24/smp_affinity_list", "0,1", "0-1", "2", "2"},
    {{SettingKind::kDefaultIrqAffinity, ""},
     "proc/irq/default_smp_affinity",
     "f",
     "0-3",
     "0,2",
     "5"},
    {{SettingKind::kWorkqueueCpus, ""},
     "sys/devices/virtual/workqueue/cpumask",
     "1,00000003",
     "0-1,32",
     "33",
     "2,00000000"},
    {{SettingKind::kSmt, ""}, "sys/devices/system/cpu/smt/control", "on", "on", "off", "off"},
    {{SettingKind::kCpusetPartition, "bench.slice"},
     "sys/fs/cgroup/unified/bench.slice/cpuset.cpus.partition",
     "member",
     "member",
     "isolated",
     "isolated"},
    {{SettingKind::kGovernor, "3"},
     "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor",
     "ondemand",
     "ondemand",
     "performance",
     "performance"},
    {{SettingKind::kMinFrequency, "0"},
     "sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq",
     "800000",
     "800000",
     "2000000",
     "2000000"},
    {{SettingKind::kMaxFrequency, "0"},
     "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq",
     "4200000",
     "4200000",
     "2000000",
     "2000000"},
    {{SettingKind::kEnergyPreference, "1"},
     "sys/devices/system/cpu/cpu1/cpufreq/energy_performance_preference",
     "balance_performance",
     "balance_performance",
     "performance",
     "performance"},
    {{SettingKind::kBoost, ""}, "sys/devices/system/cpu/cpufreq/boost", "1", "1", "0", "0"},
    {{SettingKind::kCpuBoost, "1"},
     "sys/devices/system/cpu/cpu1/cpufreq/boost",
     "1",
     "1",
     "0",
     "0"},
    {{SettingKind::kNoTurbo, ""},
     "sys/devices/system/cpu/intel_pstate/no_turbo",
     "0",
     "0",
     "1",
     "1"},
    {{SettingKind::kTimerMigration, ""}, "proc/sys/kernel/timer_migration", "1", "1", "0", "0"},
    {{SettingKind::kNmiWatchdog, ""}, "proc/sys/kernel/nmi_watchdog", "1", "1", "0", "0"},
    {{SettingKind::kTransparentHugepages, ""},
     "sys/kernel/mm/transparent_hugepage/enabled",
     "always [madvise] never",
     "madvise",
     "never",
     "never"},
    {{SettingKind::kSwappiness, ""}, "proc/sys/vm/swappiness", "60", "60", "0", "0"},
    {{SettingKind::kPerfSampleRate, ""},
     "proc/sys/kernel/perf_event_max_sample_rate",
     "100000",
     "100000",
     "1",
     "1"},
};

}  // namespace benchd
